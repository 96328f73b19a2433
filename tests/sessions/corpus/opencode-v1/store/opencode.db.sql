-- OpenCode 1.18: one session in message and part, a child session, and one of the newer engine in session_message.
CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text NOT NULL, title text NOT NULL,
  time_created integer NOT NULL, time_updated integer NOT NULL);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
  time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, data text NOT NULL);
CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL, seq integer NOT NULL,
  data text NOT NULL);

INSERT INTO session VALUES ('ses_a', NULL, '/home/ada/shop', 'Make it build', 1796040000000, 1796040060000);
INSERT INTO session VALUES ('ses_b', 'ses_a', '/home/ada/shop', 'A helper', 1796040010000, 1796040011000);
INSERT INTO session VALUES ('ses_c', NULL, '/home/ada/shop', 'By the newer engine', 1796041000000, 1796041000000);

INSERT INTO message VALUES ('msg_01', 'ses_a', 1796040000000, 1796040000000,
  '{"role":"user","time":{"created":1796040000000}}');
INSERT INTO part VALUES ('prt_01', 'msg_01', 'ses_a', '{"type":"text","text":"\"Make it build\""}');

INSERT INTO message VALUES ('msg_02', 'ses_a', 1796040001000, 1796040009000,
  '{"role":"assistant","time":{"created":1796040001000,"completed":1796040009000},"modelID":"big-model","path":{"cwd":"/home/ada/shop"}}');
INSERT INTO part VALUES ('prt_02', 'msg_02', 'ses_a',
  '{"type":"tool","tool":"bash","callID":"c1","state":{"status":"completed","input":{"command":"make"},"output":"missing separator. Stop.\n","metadata":{"exit":2},"time":{"start":1796040002000,"end":1796040003000}}}');
INSERT INTO part VALUES ('prt_03', 'msg_02', 'ses_a',
  '{"type":"tool","tool":"bash","callID":"c2","state":{"status":"completed","input":{"command":"test -f Makefile.old"},"output":"(no output)","metadata":{"exit":1},"time":{"start":1796040003000,"end":1796040003100}}}');
INSERT INTO part VALUES ('prt_04', 'msg_02', 'ses_a',
  '{"type":"tool","tool":"edit","callID":"c3","state":{"status":"error","input":{"filePath":"/home/ada/shop/Makefile","oldString":"x","newString":"y"},"error":"Could not find oldString in the file.","time":{"start":1796040004000,"end":1796040004100}}}');
INSERT INTO part VALUES ('prt_05', 'msg_02', 'ses_a',
  '{"type":"tool","tool":"bash","callID":"c4","state":{"status":"error","input":{"command":"curl example.org"},"error":"The user has specified a rule which prevents you from using this specific tool call.","time":{"start":1796040005000,"end":1796040005100}}}');
INSERT INTO part VALUES ('prt_06', 'msg_02', 'ses_a', '{"type":"text","text":"The Makefile needs tabs."}');

-- Killed: neither message nor call ever ends, and the session goes on.
INSERT INTO message VALUES ('msg_03', 'ses_a', 1796040010000, 1796040010000,
  '{"role":"assistant","time":{"created":1796040010000},"modelID":"big-model","path":{"cwd":"/home/ada/shop"}}');
INSERT INTO part VALUES ('prt_07', 'msg_03', 'ses_a',
  '{"type":"tool","tool":"bash","callID":"c5","state":{"status":"running","input":{"command":"sleep 600"}}}');

INSERT INTO message VALUES ('msg_04', 'ses_a', 1796040020000, 1796040020000,
  '{"role":"user","time":{"created":1796040020000},"summary":{"diffs":[]}}');
INSERT INTO part VALUES ('prt_08', 'msg_04', 'ses_a', '{"type":"text","text":"Still broken. Use tabs, not spaces."}');
INSERT INTO part VALUES ('prt_09', 'msg_04', 'ses_a', '{"type":"text","text":"<file>Makefile</file>","synthetic":true}');

INSERT INTO message VALUES ('msg_05', 'ses_a', 1796040021000, 1796040030000,
  '{"role":"assistant","time":{"created":1796040021000,"completed":1796040030000},"modelID":"big-model","path":{"cwd":"/home/ada/shop"},"error":{"name":"MessageAbortedError"}}');
INSERT INTO part VALUES ('prt_10', 'msg_05', 'ses_a',
  '{"type":"tool","tool":"bash","callID":"c6","state":{"status":"completed","input":{"command":"make"},"output":"(no output)\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>","metadata":{"exit":null},"time":{"start":1796040022000,"end":1796040029000}}}');

INSERT INTO message VALUES ('msg_b1', 'ses_b', 1796040010000, 1796040010000,
  '{"role":"user","time":{"created":1796040010000}}');
INSERT INTO part VALUES ('prt_b1', 'msg_b1', 'ses_b', '{"type":"text","text":"Count the lines"}');

INSERT INTO session_message VALUES ('evt_01', 'ses_c', 'user', 1,
  '{"time":{"created":1796041000000},"text":"Run the tests"}');
INSERT INTO session_message VALUES ('evt_02', 'ses_c', 'assistant', 2,
  '{"time":{"created":1796041001000,"completed":1796041009000},"model":{"id":"big-model"},"content":[{"type":"tool","id":"d1","name":"bash","state":{"status":"completed","input":{"command":"make test"},"content":[{"type":"text","text":"1 failed\n"}],"structured":{"exit":1}},"time":{"created":1796041002000}},{"type":"tool","id":"d2","name":"bash","state":{"status":"error","input":{"command":"sleep 15"},"content":[],"structured":{},"error":{"type":"unknown","message":"Tool execution interrupted"}},"time":{"created":1796041005000}}]}');
