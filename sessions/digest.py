"""The digest of one session: its prompts and failed calls as facts, scrubbed and bounded (S-166 to S-178). Pure.

Every string is scrubbed before it is measured or cut.
"""

import hashlib
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import orjson

from ..core.scrub import ScrubRules, scrub, scrub_json
from .entry import Call, Entry, Tally
from .flags import find_phrase
from .own import is_own_call
from .refs import Ref
from .summary import Counter
from .values import format_time

SUMMARY_BYTES = 160
EXCERPT_BYTES = 240
SESSION_BYTES = 64 * 1024
_ENOUGH = SESSION_BYTES  # of items in hand: more can never be reported at once
_FACT_BYTES = 2048  # of a folder or a model's name: hostile metadata must leave room for events
_WINDOW = 32_768  # characters from which a short piece is cut: no secret that begins in the piece ends beyond

_MOST_FACTS = 256

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")  # holds no secret
_EXIT_CODE = re.compile(r"Exit code (\d{1,10})(?:\n|\Z)")


class Digest(NamedTuple):
    """A session's digest.

    Attributes:
        data: the object of S-167 to S-174.
        covered: offset that the watermark takes: before the first event left out; ``None`` when all are kept.
    """

    data: dict[str, Any]
    covered: int | None


class _Item(NamedTuple):
    """An event and what else of the digest goes with it, where it stands, and its size as compact JSON."""

    offset: int
    end: int
    parts: dict[str, Any]
    size: int


class Digester:
    """Takes a session's entries in the order of completion; ``digest`` then says what they amount to."""

    def __init__(self, ref: Ref, rules: ScrubRules, from_offset: int) -> None:
        self._ref = ref
        self._rules = rules
        self._from_offset = from_offset
        self._counter = Counter()
        self._failed: dict[tuple[str, str], str] = {}
        self._failed_tools: set[str] = set()
        self._items: dict[tuple[str, str], _Item] = {}
        self._size = 0
        self._final = ""
        self._facts_cut: dict[str, str] = {}

    def take(self, entry: Entry) -> None:
        """Take one entry; a call that comes again replaces its former entry."""
        self._counter.take(entry)
        if entry.kind == "assistant_text":
            self._final = entry.text
        elif entry.kind == "prompt":
            self._put((entry.span, ""), entry, self._prompt_parts)
        elif entry.call is not None and entry.call.status != "open":
            self._put((entry.span, entry.call.id), entry, self._call_parts)

    @property
    def is_full(self) -> bool:
        """Whether it holds all events that one digest can report."""
        return self._size > _ENOUGH

    def _put(self, key: tuple[str, str], entry: Entry, make: Callable[[Entry], dict[str, Any]]) -> None:
        if former := self._items.pop(key, None):
            self._size -= former.size
        if self.is_full:
            self._items.setdefault(("", "rest"), _Item(entry.offset, entry.end, {}, _ENOUGH))
            return  # never reported this time; a log of any length must not fill the memory
        if parts := make(entry):
            size = sum(len(orjson.dumps(part)) + 1 for part in parts.values())
            self._items[key] = _Item(entry.offset, entry.end, parts, size)
            self._size += size

    def digest(self, tally: Tally, cap: int = SESSION_BYTES) -> Digest:
        """Return the digest of what was taken, at most *cap* bytes as compact JSON."""
        data = self._facts(tally)
        kept, covered, omitted = _keep(list(self._items.values()), cap - len(orjson.dumps(data)))
        data["truncated"] = covered is not None or omitted > 0
        in_log_order = sorted(kept, key=lambda item: item.offset)
        for name in ("events", "retries", "denials", "flagged"):
            data[name] = [item.parts[name] for item in in_log_order if name in item.parts]
        data["omitted"] = omitted
        if not omitted:
            del data["omitted"]
        return Digest(data, covered)

    def _facts(self, tally: Tally) -> dict[str, Any]:
        """Return all members but the lists, which are there and empty, so that the size is right."""
        facts = {
            "ref": self._fact(str(self._ref)),
            "harness": self._ref.harness,
            "session_id": self._fact(self._ref.session_id),
            "project": self._fact(tally.cwds[0]) if tally.cwds else "",
            "cwd": self._fact(tally.cwd),
            "start": format_time(tally.started_at) if tally.started_at is not None else "",
            "end": format_time(tally.ended_at) if tally.ended_at is not None else "",
            "model": self._fact(tally.model),
        }
        data: dict[str, Any] = {name: value for name, value in facts.items() if value}
        return data | {
            "from_offset": self._from_offset,
            "truncated": False,
            "omitted": 0,
            "counts": self._counter.counts(tally)._asdict(),
            "events": [],
            "retries": [],
            "denials": [],
            "flagged": [],
            "final_excerpt": self._cut(self._final, EXCERPT_BYTES),
        }

    def _prompt_parts(self, entry: Entry) -> dict[str, Any]:
        parts: dict[str, Any] = {"events": self._event(entry, "prompt") | {"summary": self._summarise(entry.text)}}
        if phrase := find_phrase(entry.text):
            parts["flagged"] = {"span": self._span(entry), "phrase": phrase}
        return parts

    def _call_parts(self, entry: Entry) -> dict[str, Any]:
        """Return what a call adds: an event when it failed, a retry when it repeats one that failed before."""
        call = entry.call
        if call is None or (call.status == "ok" and call.tool not in self._failed_tools):
            return {}
        parts: dict[str, Any] = {}
        args_digest = self._digest_arguments(call)
        if of_span := self._failed.get((call.tool, args_digest)):
            parts["retries"] = {"span": self._span(entry), "of_span": of_span, "tool": self._fact(call.tool)}
            parts["retries"]["args_digest"] = args_digest
        if call.status != "ok":
            self._failed_tools.add(call.tool)
            self._failed.setdefault((call.tool, args_digest), self._span(entry))
            parts["events"] = self._call_event(entry, call, args_digest)
        if call.status == "denied":
            parts["denials"] = self._span(entry)
        return parts

    def _call_event(self, entry: Entry, call: Call, args_digest: str) -> dict[str, Any]:
        exit_code = find_exit_code(call)
        kind = call.status if call.status != "error" else "tool_error" if exit_code is None else "exit"
        return self._event(entry, "tool_call") | {
            "tool": self._fact(call.tool),
            "args_digest": args_digest,
            "status": call.status,
            "error_class": kind,
            "exit_code": exit_code,
            "excerpt": self._cut(call.result, EXCERPT_BYTES),
            "self": is_own_call(call.tool, call.command),
        }

    def _event(self, entry: Entry, kind: str) -> dict[str, Any]:
        span = self._span(entry)
        at = format_time(entry.at) if entry.at is not None else None
        return {"span": span, "ref": f"{self._fact(str(self._ref))}#{span}", "at": at, "type": kind}

    def _span(self, entry: Entry) -> str:
        return entry.span if _UUID.fullmatch(entry.span) else scrub(entry.span, self._rules)

    def _digest_arguments(self, call: Call) -> str:
        """Return 16 hex digits of the scrubbed command, or of the scrubbed input when there is no command (S-172)."""
        if call.command:
            said = scrub(call.command, self._rules).encode("utf-8", "replace")
        else:
            said = orjson.dumps(scrub_json(call.input, self._rules), option=orjson.OPT_SORT_KEYS)
        return hashlib.sha256(said).hexdigest()[:16]

    def _summarise(self, prompt: str) -> str:
        """Return the first non-empty line of a prompt."""
        text = scrub(prompt.lstrip()[:_WINDOW], self._rules).lstrip()
        return cut_bytes(text.partition("\n")[0].strip(), SUMMARY_BYTES)

    def _cut(self, text: str, most_bytes: int) -> str:
        return cut_bytes(scrub(text.strip()[:_WINDOW], self._rules), most_bytes)

    def _fact(self, text: str) -> str:
        """Return a text that many events share, scrubbed and cut once."""
        cut = self._facts_cut.get(text)
        if cut is None:
            cut = cut_bytes(scrub(text[:_WINDOW], self._rules), _FACT_BYTES)
            if len(self._facts_cut) < _MOST_FACTS:
                self._facts_cut[text] = cut
        return cut


def find_exit_code(call: Call) -> int | None:
    """Return the exit code that the harness records, else that of a first line ``Exit code N``."""
    if call.exit_code is not None or call.status == "ok":
        return call.exit_code
    found = _EXIT_CODE.match(call.result)
    return int(found[1]) if found else None


def cut_bytes(text: str, most: int) -> str:
    """Return the beginning of *text* that has at most *most* bytes of UTF-8, whole characters only."""
    data = text.encode("utf-8", "replace")
    return data[:most].decode("utf-8", "ignore") if len(data) > most else data.decode()


def _keep(items: list[_Item], room: int) -> tuple[list[_Item], int | None, int]:
    """Keep what fits in *room* bytes, in the order of completion.

    Returns:
        The kept items; the offset before the line that completes the first one left out, ``None`` when that would be
        no progress or none is left out; how many items no later digest can report.
    """
    kept: list[_Item] = []
    for number, item in enumerate(items):
        room -= item.size
        if room >= 0:
            kept.append(item)
            continue
        line_end = item.end
        whole = [other for other in kept if other.end < line_end]
        if whole:
            return whole, whole[-1].end, 0
        # one line completes more than fits: what fits is reported, the rest of that line is lost, and we go on
        after = next((other.end for other in items[number:] if other.end > line_end), None)
        lost = sum(1 for other in items if other.end == line_end) - len(kept)
        return kept, line_end if after is not None else None, lost
    return kept, None, 0
