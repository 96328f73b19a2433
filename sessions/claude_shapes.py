"""Lines of a Claude Code log that need no parsing, told by how they begin and end.

A line is passed over only when its shape proves what it is: it begins exactly as 2.1.332 writes such a record, key by
key from the root, and ends with the keys that close the root. Any other line (another order of keys, spaces after
colons, another release, hostile text) matches nothing here and is parsed, so the answer is the same and only slower.
Quotes inside a JSON string are escaped, so none of these patterns is met inside a text.
"""

import re

from .claude_records import STATE_TYPES

# Records of state have their type first.
STATE_OPENINGS = tuple(f'{{"type":"{name}",'.encode() for name in STATE_TYPES)

_ID = rb'"[^"\\\n]{1,200}"'
_SAID_BY_MODEL = (
    rb'"message":\{"id":' + _ID + rb',"type":"message","role":"assistant","model":"(?P<model>[^"\\\n]*)","content":\[\{'
)

# The last group that took part tells the kind: result, tool, text, thinking, machine, notice.
HEAD = re.compile(
    rb'\{"parentUuid":(?:null|' + _ID + rb'),"isSidechain":false,(?:'
    rb'(?:"promptId":' + _ID + rb',)?"type":"user","message":\{"role":"user","content":'
    rb'\[\{"tool_use_id":"(?P<result>[^"\\\n]{1,200})","type":"tool_result","content":'
    rb"|" + _SAID_BY_MODEL + rb'"type":(?:'
    rb'"tool_use","id":"(?P<call>[^"\\\n]{1,200})","name":"(?P<tool>[^"\\\n]{1,200})","input":'
    rb'|"text","text":"(?!"|No response requested\.")(?P<text>)'
    rb'|"thinking","thinking":"(?P<thinking>))'
    rb'|"attachment":\{"type":"(?!queued_command")(?P<machine>[^"\\\n]*)"'
    rb'|"type":"system","subtype":"(?!local_command")(?P<notice>[^"\\\n]*)")'
)

# How the root closes: what a whole session has in common. No brace or bracket stands between its first comma and the
# final brace, so these keys are the root's own.
_TAIL = re.compile(
    rb',"cwd":"(?:[^"\\\n]|\\.)*","sessionId":"[^"\\\n]*","version":"[^"\\\n]*"(?:,"\w+":"(?:[^"\\\n]|\\.)*")*\}\Z'
)
_TAIL_BYTES = 8192  # a folder's name is no longer

FAILED = b'"is_error":true'
ANOTHER_BLOCK = b'},{"type":"'


def find_tail(line: bytes) -> bytes:
    """Return the keys from ``cwd`` on that close a record's root; ``b""`` when it closes otherwise."""
    end = line[-_TAIL_BYTES:]
    start = end.rfind(b',"cwd":"')
    found = _TAIL.match(end, start) if start >= 0 else None
    return found[0] if found else b""


# What follows the arguments of a record's only call.
AFTER_ARGUMENTS = b'}],"stop_reason":'
