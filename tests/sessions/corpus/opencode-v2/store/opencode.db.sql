-- OpenCode 2, in the form that the documents give 2.2.6.
CREATE TABLE session_v2 (id text PRIMARY KEY, parent_id text, directory text NOT NULL, title text NOT NULL,
  time_created integer NOT NULL, time_updated integer NOT NULL);
CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL, seq integer NOT NULL,
  data text NOT NULL);
CREATE TABLE session_part (id text PRIMARY KEY, message_id text NOT NULL, data text NOT NULL);

INSERT INTO session_v2 VALUES ('ses_n', NULL, '/home/ada/shop', 'Ship it', 1796042000000, 1796042060000);

INSERT INTO session_message VALUES ('m01', 'ses_n', 'user', 1, '{"time":{"created":1796042000000},"text":"Ship it"}');
INSERT INTO session_message VALUES ('m02', 'ses_n', 'assistant', 2,
  '{"time":{"created":1796042001000,"completed":1796042009000},"model":{"id":"big-model"},"content":[{"type":"text","text":"I build it first."},{"type":"tool","id":"c1","name":"bash","state":{"status":"completed","input":{"command":"make dist"},"content":[{"type":"text","text":"no rule\n"}],"metadata":{"exit":2}},"time":{"created":1796042002000}},{"type":"tool","id":"c2","name":"read","state":{"status":"completed","input":{"path":"logo.png"},"content":[{"type":"file","name":"logo.png","mime":"image/png","url":"data:image/png;base64,AAAA"}],"metadata":{}},"time":{"created":1796042003000}}]}');
INSERT INTO session_message VALUES ('m03', 'ses_n', 'user', 3,
  '{"time":{"created":1796042010000},"text":"That is wrong again, use the release script"}');
INSERT INTO session_message VALUES ('m04', 'ses_n', 'assistant', 4,
  '{"time":{"created":1796042011000,"completed":1796042019000},"model":{"id":"big-model"},"content":[]}');
INSERT INTO session_part VALUES ('p01', 'm04',
  '{"type":"tool","id":"c3","name":"edit","state":{"status":"error","input":{"path":"release"},"error":{"message":"no such file"}},"time":{"created":1796042012000}}');
INSERT INTO session_part VALUES ('p02', 'm04',
  '{"type":"tool","id":"c4","name":"bash","state":{"status":"completed","input":{"command":"make dist"},"content":[{"type":"text","text":"done\n"}],"metadata":{"exit":0}},"time":{"created":1796042015000}}');
INSERT INTO session_message VALUES ('m05', 'ses_n', 'idle', 5,
  '{"time":{"created":1796042020000},"outcome":"interrupted"}');
