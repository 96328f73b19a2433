"""How ``tellback sessions`` looks to a person; nothing from a log can steer the terminal."""

import io
import shutil
import sys
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..core.escape import show_line

_PLAIN_WIDTH = 200
_COUNTS = ("entries", "prompts", "tool_calls", "tool_errors", "interrupts", "denials", "unparsed")


def render_list(sessions: list[dict[str, Any]]) -> str:
    """Return a table: ref, state, reason, project, end."""
    if not sessions:
        return "No sessions."
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("ref", "state"):
        table.add_column(title, no_wrap=True)
    for title in ("reason", "project"):
        table.add_column(title, overflow="fold")
    table.add_column("end", no_wrap=True)
    for session in sessions:
        cells = (session.get(name, "") for name in ("ref", "state", "reason", "project"))
        table.add_row(*map(_text, cells), _text(session.get("end", "")[:19].replace("T", " ")))
    return _print(table)


def render_digest(data: dict[str, Any]) -> str:
    """Return the notice and then each session's events as lines."""
    parts = [data["notice"], *(_render_session(session) for session in data["sessions"])]
    parts += [f"{show_line(error['ref'])}: {error['state']}: {show_line(error['message'])}" for error in data["errors"]]
    if data["deferred"]:
        refs = ", ".join(show_line(ref) for ref in data["deferred"])
        parts.append(f"Left for the next run: {refs}")
    if not data["sessions"] and not data["errors"]:
        parts.append("Nothing to digest.")
    return "\n\n".join(parts)


def _render_session(session: dict[str, Any]) -> str:
    counts = session["counts"]
    lines = [
        show_line(session["ref"]),
        "  " + show_line("  ".join(session.get(name, "") for name in ("project", "start", "end", "model"))).strip(),
        "  " + ", ".join(f"{counts[name]} {name.replace('_', ' ')}" for name in _COUNTS if counts[name]),
    ]
    flagged = {flag["span"]: flag["phrase"] for flag in session["flagged"]}
    repeats = {retry["span"] for retry in session["retries"]}
    lines += [f"  {_render_event(event, flagged, repeats)}" for event in session["events"]]
    if session["final_excerpt"]:
        lines.append(f"  last words: {show_line(session['final_excerpt'])}")
    if session["truncated"]:
        lines.append("  (more than one digest holds: the next one goes on from here)")
    return "\n".join(lines)


def _render_event(event: dict[str, Any], flagged: dict[str, str], repeats: set[str]) -> str:
    at = (event["at"] or "")[11:19]
    if event["type"] == "prompt":
        phrase = f"  ({flagged[event['span']]})" if event["span"] in flagged else ""
        return f"{at} prompt: {show_line(event['summary'])}{phrase}"
    code = "" if event["exit_code"] is None else f" {event['exit_code']}"
    marks = "".join(
        mark for mark, is_set in ((", again", event["span"] in repeats), (", tellback's own", event["self"])) if is_set
    )
    return f"{at} {show_line(event['tool'])} {event['status']}{code}{marks}: {show_line(event['excerpt'])}"


def render_status(data: dict[str, Any]) -> str:
    """Return each store with its counts, and the saved selection."""
    lines: list[str] = []
    for store in data["stores"]:
        counts = ", ".join(f"{count} {state}" for state, count in store["sessions"].items()) or "no sessions"
        found = store["state"] if store["state"] != "ok" else counts
        lines.append(f"{store['harness']}: {found}\n  {show_line(store['location'])}")
        if reason := store.get("reason"):
            lines.append(f"  {show_line(reason)}")
        lines += [f"  {show_line(problem)}" for problem in store["problems"]]
    return "\n".join([*lines, _render_selection(data["selection"])])


def _render_selection(selection: dict[str, Any] | None) -> str:
    if selection is None:
        return "selection: none saved"
    harnesses = ", ".join(selection["harnesses"]) or "every harness"
    since = f", since {selection['since']}" if selection["since"] else ""
    limit = f", at most {selection['limit']}" if selection["limit"] else ""
    return f"selection: {show_line(harnesses + since + limit)}"


def _text(value: str) -> Text:
    return Text(show_line(value))


def _print(table: Table) -> str:
    is_terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if is_terminal else _PLAIN_WIDTH
    text = io.StringIO()
    Console(file=text, width=width, force_terminal=is_terminal, highlight=False).print(table)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())
