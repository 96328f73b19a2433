"""``tellback demo``: the whole way of a correction, in a temporary home and project."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import click
import filelock
from rich.console import Console
from rich.markup import escape

from .demo_session import REFUSAL, TYPED, Said, Session
from .result import Result, print_result

STEP_S = 60.0
SWEEP_END_S = 10.0
# What a made home must not inherit: the stores of the real one.
OWN_VARIABLES = ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "APPDATA", "LOCALAPPDATA")


class StepFailed(Exception):  # noqa: N818 - it is a fact about the step, told in one line
    """A step did not do what it must; the message says what was seen."""


@dataclass
class Demo:
    """One run of the demo: its folders, what it tells, what it found."""

    top: Path
    tell: Callable[[str], None]
    steps: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    commands: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def home(self) -> Path:
        return self.top / "home"

    @property
    def project(self) -> Path:
        return self.top / "project"

    @property
    def sweep_lock(self) -> Path:
        return self.home / ("AppData/Local" if os.name == "nt" else ".cache") / "tellback" / "push.lock"

    def run(self, argv: list[str], stdin: str = "") -> str:
        """Run a program in the made home and project; returns its stdout.

        Raises:
            StepFailed: it did not end with 0 in time.
        """
        variables = {name: value for name, value in os.environ.items() if name not in OWN_VARIABLES}
        variables |= {"HOME": str(self.home), "USERPROFILE": str(self.home)}
        try:
            done = subprocess.run(
                argv, input=stdin.encode(), env=variables, cwd=self.project, capture_output=True, timeout=STEP_S
            )
        except subprocess.TimeoutExpired:
            raise StepFailed(f"it did not end within {STEP_S:.0f} s") from None
        if done.returncode != 0:
            raise StepFailed(f"it ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout.decode(errors="replace")

    def tellback(self, *arguments: str) -> str:
        return self.run([sys.executable, "-I", "-m", "tellback", *arguments])

    def fire(self, payload: dict[str, Any]) -> dict[str, Any]:
        """Call the hook as Claude Code does: the installed command line through a shell, the payload on stdin."""
        command = self.commands[payload["hook_event_name"]]
        shell = ["cmd", "/c", command] if os.name == "nt" else ["sh", "-c", command]
        answer = self.run(shell, json.dumps(payload) + "\n")
        return cast("dict[str, Any]", json.loads(answer)) if answer.strip() else {}


@click.command("demo")
@click.option("--keep", is_flag=True, help="Keep the temporary home and project.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(keep: bool, as_json: bool) -> None:
    """Play a short session through real hooks in a temporary home, and show what came of it."""
    top = Path(tempfile.mkdtemp(prefix="tellback-demo-")).resolve()
    console = Console(quiet=as_json, highlight=False, soft_wrap=True)
    demo = Demo(top, console.print)
    with exit_on_signals():
        try:
            is_good = _play(demo)
            files = _read_files(demo)
        finally:
            if not keep:
                _remove(demo)
    demo.tell(f"\nKept: {escape(str(top))}" if keep else "\nThe temporary home and project are removed.")
    if is_good:
        demo.tell("For real: [bold]tellback install claude-code[/bold] or [bold]tellback install cursor[/bold].")
    data = {"ok": is_good, "steps": demo.steps, "files": files, "kept": str(top) if keep else None}
    print_result(Result(data=data, exit_code=0 if is_good else 1), as_json)


@contextmanager
def exit_on_signals() -> Generator[None]:
    """Let signals that end a process raise ``SystemExit`` inside the block, so that it cleans up; main thread only."""
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.signal(number, lambda number, _frame: sys.exit(128 + number)) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _remove(demo: Demo) -> None:
    """Remove the folders once the sweep is over that may be at work in them."""
    with suppress(OSError, filelock.Timeout):  # no lock: no sweep was launched
        if demo.sweep_lock.exists():
            with filelock.FileLock(demo.sweep_lock, timeout=SWEEP_END_S):
                pass
    shutil.rmtree(demo.top, ignore_errors=True)


def _play(demo: Demo) -> bool:
    """Go through the steps; the first that fails ends the play."""
    session: Session | None = None

    def with_session(step: Callable[[Demo, Session], str]) -> Callable[[Demo], str]:
        def bound(demo: Demo) -> str:
            nonlocal session
            session = session or Session(demo.home, demo.project)
            return step(demo, session)

        return bound

    steps: list[tuple[str, Callable[[Demo], str]]] = [
        ("Make a home and a Git project", _make_folders),
        ("Install into Claude Code", _install),
        ("Say something to the agent", with_session(_say_typed)),
        ("Refuse a tool call with words, which no hook hears", with_session(_refuse)),
        ("End the turn, and let the sweep read the log", with_session(_sweep)),
        ("Look at what is there now", _show),
    ]
    for number, (title, step) in enumerate(steps, 1):
        demo.tell(f"\n[bold]{number}. {title}[/bold]")
        try:
            detail, is_good = step(demo), True
        except (StepFailed, OSError, ValueError, KeyError) as error:
            detail, is_good = f"{type(error).__name__}: {error}", False
        demo.steps.append({"step": title, "ok": is_good, "detail": detail})
        demo.tell(f"   {'[green]ok[/green]' if is_good else '[red]failed[/red]'}  {escape(detail)}")
        if not is_good:
            return False
    return True


def _make_folders(demo: Demo) -> str:
    git = demo.project / ".git"
    for folder in (demo.home, git / "objects", git / "refs" / "heads"):
        folder.mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n", encoding="ascii")
    return str(demo.top)


def _install(demo: Demo) -> str:
    demo.tellback("install", "claude-code", "--python", sys.executable)
    settings = json.loads((demo.home / ".claude" / "settings.json").read_text(encoding="utf-8"))
    demo.commands = {event: groups[0]["hooks"][0]["command"] for event, groups in settings["hooks"].items()}
    demo.tell(f"   [dim]{escape(demo.commands['UserPromptSubmit'])}[/dim]")
    return f"{len(demo.commands)} hooks in {demo.home / '.claude' / 'settings.json'}"


def _say_typed(demo: Demo, session: Session) -> str:
    demo.fire(session.make_payload("SessionStart", source="startup"))
    for said in TYPED:
        prompt_id = str(uuid.uuid4())
        answer = demo.fire(session.make_payload("UserPromptSubmit", prompt=said.text, prompt_id=prompt_id))
        session.log_prompt(said, prompt_id)
        shown = str(answer.get("systemMessage", ""))
        _tell_exchange(demo, said, shown)
        if bool(shown) != (said.expect != "nothing"):
            raise StepFailed(f"for {said.text!r} the hook said {shown!r}, expected: {said.expect}")
    return f"{len(TYPED)} messages through the hook, {sum(said.expect != 'nothing' for said in TYPED)} of them heard"


def _tell_exchange(demo: Demo, said: Said, shown: str) -> None:
    demo.tell(f"   you       {escape(said.text)}")
    demo.tell(f"   tellback  [cyan]{escape(shown)}[/cyan]" if shown else "   tellback  [dim](silent)[/dim]")


def _refuse(demo: Demo, session: Session) -> str:
    session.log_refusal(REFUSAL, str(uuid.uuid4()))
    demo.tell(f"   you       {escape(REFUSAL.text)}")
    return "it stands in the session log only"


def _sweep(demo: Demo, session: Session) -> str:
    demo.fire(session.make_payload("Stop", last_assistant_message=REFUSAL.answer))
    with filelock.FileLock(demo.sweep_lock, timeout=STEP_S):
        pass  # the sweep that the turn's end launched is over
    launched = demo.sweep_lock.with_name("push.last-run.json").exists()
    demo.tellback("sweep", "--json")
    log = _find_log(demo)
    if log.count(REFUSAL.mark) != 1:
        raise StepFailed("the words of refusal are not in .knowledge")
    who = "the hook launched it, detached, and did not wait" if launched else "by hand"
    return f"the refused words are kept as well ({who})"


def _find_log(demo: Demo) -> str:
    return (demo.project / ".knowledge" / "corrections" / "log.yaml").read_text(encoding="utf-8")


def _show(demo: Demo) -> str:
    demo.tell(escape(demo.tellback("log")))
    files = _read_files(demo)
    for name, text in files.items():
        demo.tell(f"   [bold]{escape(name)}[/bold]")
        demo.tell("\n".join(f"   │ {escape(line)}" for line in text.splitlines() if line))
    for said in (*TYPED, REFUSAL):
        found = sum(said.mark in text for text in files.values())
        if found != said.is_kept:
            raise StepFailed(f"{said.text!r} stands in {found} files of .knowledge")
    return "each correction and learning once, the rest nowhere"


def _read_files(demo: Demo) -> dict[str, str]:
    """Return the files of ``.knowledge`` by their path in the project, without locks and other files to help."""
    top = demo.project / ".knowledge"
    found = sorted(path for path in top.rglob("[!.]*") if path.is_file() and path.suffix != ".lock")
    return {path.relative_to(demo.project).as_posix(): path.read_text(encoding="utf-8") for path in found}
