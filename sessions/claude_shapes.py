"""What of a Claude Code log need not be parsed, told by searching its bytes.

A part of a log (some lines) is plain when counting proves that each of its lines is written as Claude Code writes: no
space after a colon, a record of state or of the conversation, its type at the root. In such a part the lines that
matter hold a mark, wherever in the line it stands. A line of any other writer makes its part odd; odd parts are halved
until the odd lines stand alone, and those are parsed.

Quotes inside a JSON string are escaped, so no mark is met inside a text. It may be met as a key or a value of a tool's
input: then a line is parsed in vain, or a part is odd.

Not seen, because no writer of JSON makes them: a root that has ``message`` or ``type`` twice, keys whose letters are
escaped (``"is_\\u0065rror"``), and spaces after some of a line's colons only.
"""

import re

from .claude_records import STATE_TYPES
from .needles import count, find, find_all, rfind

# How a line opens: a record of state with its type, one of the conversation with its parent.
STATE_OPENINGS = tuple(f'{{"type":"{name}",'.encode() for name in STATE_TYPES)
_STATE, _RECORD, _FIRST_RECORD = b'{"type":"', b'{"parentUuid":"', b'{"parentUuid":null,'
_NEXT_OF_CONVERSATION = b'}\n{"parentUuid":'
_NEXT_STATE, _NEXT_RECORD, _NEXT_FIRST_RECORD = (b"}\n" + opening for opening in (_STATE, _RECORD, _FIRST_RECORD))
_BRACE = ord("}")

TOOL_USE = b'"type":"tool_use"'
TEXT = b'"type":"text"'
ASSISTANT = b'"type":"assistant"'
_USER = b'"type":"user"'
_ATTACHMENT = b'"type":"attachment"'
_SYSTEM = b'"type":"system"'
_FAILED = b'"is_error":true'
_SIDECHAIN = b'"isSidechain":true'
_QUEUED = b'"type":"queued_command"'

# A user record that is a tool's result, from its type on; ids have 30 characters as a rule.
_RESULT = b'"type":"user","message":{"role":"user","content":[{"tool_use_id":"'
_OF_RESULT = b'","type":"tool_result",'
_ID_BYTES = 30
_RESULT_BYTES = len(_RESULT) + _ID_BYTES
_RESULT_TYPE_FIRST = b'"type":"user","message":{"role":"user","content":[{"type":"tool_result",'

_SUBTYPE = b'"type":"system","subtype":"'
_LOCAL_COMMAND = b'"type":"system","subtype":"local_command"'


def count_lines(block: bytes, start: int, end: int) -> tuple[int, int] | None:
    """Return how many lines a part has, and how many of them are of the conversation; ``None`` when one is neither.

    All of them begin with ``{`` and end with ``}``.
    """
    if block[end - 2] != _BRACE:
        return None
    startswith, openings = block.startswith, STATE_OPENINGS
    lines, states = count(block, b"\n", start, end), 0
    if startswith(_STATE, start):
        if not startswith(openings, start):
            return None
        states = 1
    place = start
    while (place := find(block, _NEXT_STATE, place, end)) >= 0:
        place += 2
        if not startswith(openings, place):
            return None
        states += 1
    records = count(block, _NEXT_RECORD, start, end) + startswith(_RECORD, start)
    if records + states != lines:
        records += count(block, _NEXT_FIRST_RECORD, start, end) + startswith(_FIRST_RECORD, start)
    return (lines, records) if records + states == lines else None


def find_last_record(block: bytes, start: int, end: int) -> int:
    """Return where the last line of the conversation begins; -1 when a part has none."""
    if (place := rfind(block, _NEXT_OF_CONVERSATION, start, end)) >= 0:
        return place + 2
    return start if block.startswith((_RECORD, _FIRST_RECORD), start) else -1


def has_sidechain(block: bytes, start: int, end: int) -> bool:
    """Whether a line may be a sub-agent's."""
    return find(block, _SIDECHAIN, start, end) >= 0


def find_marks(block: bytes, start: int, end: int, records: int, all_results: bool, all_said: bool) -> list[int] | None:
    """Return where a part's lines hold a mark of what matters; ``None`` when a record's type is not told.

    Args:
        records: how many lines are of the conversation.
        all_results: every result matters, and not only the failed ones.
        all_said: every record of the model matters.
    """
    startswith = block.startswith
    marks: list[int] = []
    place = start
    while (place := find(block, _USER, place, end)) >= 0:
        records -= 1
        if all_results or not (
            (startswith(_RESULT, place) and startswith(_OF_RESULT, place + _RESULT_BYTES)) or _is_result(block, place)
        ):
            marks.append(place)
        place += 13
    if all_said:
        said = list(find_all(block, ASSISTANT, start, end))
        records -= len(said)
        marks += said
    else:
        records -= count(block, ASSISTANT, start, end)
    for place in find_all(block, _ATTACHMENT, start, end):  # also when no record is left: a nested type hides one
        records -= 1
        if find(block, _QUEUED, rfind(block, b"\n", start, place) + 1, place) >= 0:
            marks.append(place)
    for place in find_all(block, _SYSTEM, start, end):
        records -= 1
        if startswith(_LOCAL_COMMAND, place) or not startswith(_SUBTYPE, place):
            marks.append(place)
    if records:
        return None
    marks += find_all(block, _FAILED, start, end)
    return marks


def _is_result(block: bytes, place: int) -> bool:
    """Whether a user record holds a result; what opens as usual needs no such long look."""
    if block.startswith(_RESULT, place):
        return block.startswith(_OF_RESULT, find(block, b'"', place + len(_RESULT), len(block)))
    return block.startswith(_RESULT_TYPE_FIRST, place)


def find_middle(block: bytes, start: int, end: int) -> int:
    """Return where a line begins near the middle of a part; *end* when it is one line."""
    middle = (start + end) // 2
    return (rfind(block, b"\n", start, middle) + 1) or (find(block, b"\n", middle, end) + 1)


# A call as the only block of a record of the model, up to its type.
_BEFORE_CALL = re.compile(rb'"role":"assistant","model":"[^"\\]*","content":\[\{\Z')
_BEFORE_BYTES = 200
_NAME = b'","name":"'
_NAME_AT = len(TOOL_USE) + len(b',"id":"') + _ID_BYTES


def find_call_opening(block: bytes, place: int) -> bytes:
    """Return the bytes from the role to *place*, where a call's type stands; ``b""`` when it is no record's first."""
    found = _BEFORE_CALL.search(block[max(0, place - _BEFORE_BYTES) : place])
    return found[0] if found else b""


def count_calls(block: bytes, start: int, end: int, opening: bytes) -> int:
    """Return how many calls a part has; -1 when not all of them open as *opening* says."""
    calls = count(block, TOOL_USE, start, end)
    return calls if calls == count(block, opening + TOOL_USE, start, end) else -1


def find_tool(block: bytes, place: int) -> int:
    """Return where the tool's name begins, of the call whose type stands at *place*; -1 when it does not follow."""
    named = place + _NAME_AT
    if not block.startswith(_NAME, named):
        named = find(block, b'"', named - _ID_BYTES, len(block))
    return named + len(_NAME) if block.startswith(_NAME, named) else -1
