"""What a caller wants of a log's texts and calls, for the readers that parse every line anyway."""

from collections.abc import Iterable, Iterator

from .entry import Call, Entry, Want


class Wanted:
    """Lets through the entries that the caller's ``Want`` names."""

    def __init__(self, want: Want) -> None:
        self._want = want
        self._held: Entry | None = None
        self._failed_tools: set[str] = set()

    def text(self, entry: Entry) -> Iterator[Entry]:
        """Yield an ``assistant_text`` that is wanted whatever follows; hold it back when only the last one is."""
        if self._want.texts == "all":
            yield entry
        elif self._want.texts != "none":
            self._held = entry

    def held(self) -> Iterator[Entry]:
        """Yield the text held back: a prompt, an interrupt or the log's end follows, so it was the last."""
        if self._held is not None:
            yield self._held
            self._held = None

    def calls(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        """Yield the settled calls that are wanted."""
        return (entry for entry in entries if entry.call is None or self._wants_call(entry.call))

    def open_calls(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        """Yield the calls without a result when all calls are wanted."""
        return iter(entries if self._want.calls == "all" else ())

    def _wants_call(self, call: Call) -> bool:
        if self._want.calls == "all" or (self._want.git and "git" in call.command):
            return True
        if call.status != "ok":
            self._failed_tools.add(call.tool)
            return self._want.calls == "failed"
        return self._want.calls == "failed" and bool(self._want.repeats) and call.tool in self._failed_tools
