"""Lines of a Claude Code log that need no parsing, told by how they begin and end.

A line is passed over only when its shape proves what it is: it begins exactly as 2.1.332 writes such a record, key by
key from the root, and ends with the keys that close the root. Any other line (another order of keys, spaces after
colons, another release, hostile text) matches nothing here and is parsed, so the answer is the same and only slower.
Quotes inside a JSON string are escaped, so none of these patterns is met inside a text; a value that ends in an escaped
quote would leave the next key bare, which is no JSON.

Not seen, because no writer of JSON makes them: a root that has ``message`` or ``type`` twice, and keys whose letters
are escaped (``"is_\\u0065rror"``) in a line that is otherwise exactly as the program writes it.
"""

import re

from .claude_records import STATE_TYPES

# Records of state have their type first.
STATE_OPENINGS = tuple(f'{{"type":"{name}",'.encode() for name in STATE_TYPES)

# Records of the conversation begin so.
RECORD_OPENING = b'{"parentUuid":'

_ID = rb'"[^"]{1,200}"'
_SAID_BY_MODEL = (
    rb'"message":\{"id":' + _ID + rb',"type":"message","role":"assistant","model":"([^"\\]*)","content":\[\{"type":'
)
HEAD = re.compile(
    rb'\{"parentUuid":(?:' + _ID + rb'|null),"isSidechain":false,(?:'
    rb'(?:"promptId":' + _ID + rb',)?"type":"user","message":\{"role":"user","content":'
    rb'\[\{"tool_use_id":"([^"\\]{1,200})","type":"tool_result","content":'
    rb"|" + _SAID_BY_MODEL + rb'(?:"tool_use","id":"([^"\\]{1,200})","name":"([^"\\]{1,200})","input":'
    rb'|"text","text":"(?!"|No response requested\.)()'
    rb'|"thinking","thinking":"())'
    rb'|"attachment":\{"type":"(?!queued_command")([^"]*)"'
    rb'|"type":"system","subtype":"(?!local_command")([^"]*)")'
)
# Numbers of its groups; that of the last one that took part (``lastindex``) tells the kind of line.
RESULT, MODEL, CALL, TOOL, TEXT, THINKING, MACHINE, NOTICE = range(1, 9)

FAILED = b'"is_error":true'
ANOTHER_BLOCK = b'},{"type":"'
OF_ASSISTANT = b'"type":"assistant"'  # the root's own type, which comes after what the record says
OF_ATTACHMENT = b'"type":"attachment"'
AFTER_ARGUMENTS = b'}],"stop_reason":'  # of a record's only call

# How the root closes: what the lines of a session have in common. No brace or bracket stands between its first comma
# and the final brace, so these keys are the root's own.
_TAIL = re.compile(
    rb',"cwd":"(?:[^"\\]|\\.)*","sessionId":"[^"\\]*","version":"[^"\\]*"(?:,"\w+":"(?:[^"\\]|\\.)*")*\}\Z', re.DOTALL
)
_TAIL_BYTES = 8192  # a folder's name is no longer


def find_tail(line: memoryview) -> bytes:
    """Return the keys from ``cwd`` on that close a record's root; ``b""`` when it closes otherwise."""
    end = bytes(line[-_TAIL_BYTES:])
    start = end.rfind(b',"cwd":"')
    found = _TAIL.match(end, start) if start >= 0 else None
    return found[0] if found else b""
