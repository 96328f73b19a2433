"""Are the hooks registered, once each, do they run something that is alive, and do they fire?"""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...core.errors import TellbackError
from ..apply import install
from ..bundle import is_current, is_whole
from ..command import hook_command, is_our_command
from ..harness import Harness
from ..hookfiles import put_hook_files
from ..hooktext import Found, find_hooks, is_switched_off
from ..interpreter import find_executable, find_sweepable_folder, is_alive
from ..jsonspans import JsonError
from ..manifest import hold_install_lock
from ..settings_file import read_settings
from ..table import HARNESSES
from .finding import Finding, Site, say_ago
from .wired import Wired, list_wired

# The harness's word for an event, as the news call it
EVENT_WORDS = {
    "UserPromptSubmit": "prompt",
    "beforeSubmitPrompt": "prompt",
    "Stop": "turn_end",
    "stop": "turn_end",
    "PostToolUseFailure": "tool_failed",
    "postToolUseFailure": "tool_failed",
    "SessionEnd": "session_end",
    "sessionEnd": "session_end",
    "SessionStart": "session_start",
    "sessionStart": "session_start",
}


def check_settings_files(site: Site) -> list[Finding]:
    """A file that its harness or we cannot read has no hook that fires."""
    files = {(each.harness.name, each.file) for each in list_wired(site)}
    files |= {(harness.name, harness.find_user_file()) for harness in HARNESSES.values()}
    return [finding for name, file in sorted(files) for finding in _check_settings_file(HARNESSES[name], file)]


def check_registration(site: Site) -> list[Finding]:
    """Each event has our hook exactly once in a file, with the command that install writes today."""
    wired = list_wired(site)
    if not wired:
        what = "no hook feeds Tellback: no harness is wired"
        return [Finding("hooks", "problem", what, "run `tellback install claude-code` or `tellback install cursor`")]
    findings = [finding for each in wired for finding in _check_file(site, each)]
    for harness in HARNESSES.values():
        files = [each for each in wired if each.harness is harness]
        if not files and harness.find_user_file().parent.is_dir():
            what = f"{harness.title} is on this machine and not wired"
            findings.append(Finding("hooks", "warn", what, f"run `tellback install {harness.name}`"))
        own = [each.file for each in files if each.project is None]
        if own and harness.find_user_file() not in own:
            what = f"{harness.title} started from here reads {harness.find_user_file()}, which is not wired"
            findings.append(Finding("hooks", "warn", what, f"run `tellback install {harness.name}` here too"))
        if len({each.project is None for each in files}) > 1:
            what = f"{harness.title} is wired twice, for you and for a project: {_join(files)}; the second is ignored"
            findings.append(Finding("hooks", "warn", what, "run `tellback uninstall` with or without --project"))
    return findings


def check_interpreter(site: Site) -> list[Finding]:
    """The Python of the hooks starts, has Tellback for the sweep, and lies where it will stay."""
    findings: list[Finding] = []
    own = [found for each in list_wired(site) if each.project is None for found in each.found]
    named = {python for found in own if (python := _find_python(found))}
    for path in sorted(named | ({site.manifest.interpreter} - {""})):
        data: dict[str, Any] = {"interpreter": path}
        fix = "run `tellback doctor --fix` to use the Python that runs this"
        repair = _repoint(site)
        if not is_alive(path):
            what = f"the hooks run {path}, which does not start: nothing is captured"
            findings.append(Finding("interpreter", "problem", what, fix, data, repair))
        elif not find_executable(path):
            what = f"the hooks run {path}, which has no Tellback: no sweep can start"
            findings.append(Finding("interpreter", "problem", what, fix, data, repair))
        elif folder := find_sweepable_folder(path):
            what = f"the hooks run {path}, below {folder}, which is emptied from time to time"
            findings.append(Finding("interpreter", "warn", what, "install Tellback to stay, and install again", data))
        else:
            findings.append(Finding("interpreter", "ok", f"the hooks run {path}", "", data))
    return findings


def check_hook_files(site: Site) -> list[Finding]:
    """What the hooks run is there, whole and of this version."""
    if not list_wired(site):
        return []
    folder = Path(site.places.data) / "hook"
    installed = _find_installed(site)
    if is_current(site.places, installed):
        return [Finding("hook files", "ok", f"{folder} is of this version")]
    if installed != site.interpreter and is_alive(installed):
        what = f"the hooks run {installed}, which is not the Python of this command and alone knows its files"
        return [Finding("hook files", "warn", what, f"run `{installed} -m tellback doctor`")]
    level, what = "warn", f"{folder} is of another version, or of other settings"
    if not (folder / "fire.py").is_file():
        level, what = "problem", f"{folder} is missing: nothing is captured"
    elif not is_whole(site.places):
        level, what = "problem", f"{folder} is not whole: nothing is captured"
    return [Finding("hook files", level, what, "run `tellback doctor --fix`", repair=_repoint(site))]


def check_firing(site: Site) -> list[Finding]:
    """When each event last fired: the proof that a harness runs what is registered."""
    findings: list[Finding] = []
    for harness in dict.fromkeys(each.harness.name for each in list_wired(site)):
        title, events = HARNESSES[harness].title, HARNESSES[harness].events
        last = {news.event: news.at for news in site.news if harness in (news.harness, news.via)}
        data = {"harness": harness, "last_fired": {event: last.get(EVENT_WORDS[event]) for event in events}}
        if not last:
            what = f"{title} has called no hook in the last seven days"
            fix = f"say something in {title}; if nothing comes then, look whether it trusts the folder and allows hooks"
            findings.append(Finding("firing", "warn", what, fix, data))
            continue
        fired = {event: last[EVENT_WORDS[event]] for event in events if EVENT_WORDS[event] in last}
        shown = ", ".join(f"{event} {say_ago(site.now - at)}" for event, at in fired.items())
        findings.append(Finding("firing", "ok", f"{title}: {shown}", "", data))
        if "turn_end" in last and "prompt" not in last:
            what = f"{title} tells of the end of turns and never of a prompt: corrections are found by the sweep only"
            findings.append(Finding("firing", "warn", what, f"run `tellback install {harness}` again", data))
    return findings


def check_borrowed(site: Site) -> list[Finding]:
    """A harness that runs another one's hooks (Cursor those of Claude Code) is heard through them too."""
    pairs = sorted({(news.harness, news.via) for news in site.news if news.via})
    return [
        Finding(
            "firing", "ok", f"{one} runs the hooks of {other} too; what fires twice counts once", "", {"via": other}
        )
        for one, other in pairs
    ]


def _check_settings_file(harness: Harness, file: Path) -> list[Finding]:
    try:
        text = read_settings(file).text
        find_hooks(text, harness, is_our_command)
    except TellbackError as error:
        return [Finding("settings", "problem", str(error), error.hint or "")]
    except JsonError as error:
        what = f"{file}, line {error.line}, column {error.column}: {error.reason}; {harness.strictness}"
        return [Finding("settings", "problem", what, "mend the file")]
    if not is_switched_off(text, harness):
        return []
    what = f'"{harness.off_switch}" is on in {file}: {harness.title} runs no hook'
    return [Finding("settings", "problem", what, "set it to false")]


def _check_file(site: Site, wired: Wired) -> list[Finding]:
    harness, file = wired.harness, wired.file
    if not wired.is_known:
        what = f"{file} has hooks that look like ours and that install did not write: {wired.found[0].command}"
        fix = f"look at them; `tellback uninstall {harness.name} --project {site.project}` takes them out"
        return [Finding("hooks", "warn", what, fix, {"file": str(file)})]
    if wired.hooks is None:
        what = f"{harness.title}, {file}: nobody can tell whether our hooks stand in it"
        return [
            Finding(
                "hooks", "problem", what, "mend the file first (`settings` says what is wrong)", {"file": str(file)}
            )
        ]
    events = [found.event for found in wired.hooks]
    missing = [event for event in harness.events if event not in events]
    doubled = sorted({event for event in events if events.count(event) > 1})
    wanted = {hook_command(site.places, python, harness.name) for python in (site.interpreter, _find_installed(site))}
    others = sorted({found.command for found in wired.hooks} - wanted)
    data: dict[str, Any] = {
        "harness": harness.name,
        "file": str(file),
        "scope": "project" if wired.project else "user",
        "events": {event: events.count(event) for event in harness.events},
        "commands": sorted({found.command for found in wired.hooks}),
    }
    wrongs = [
        f"{', '.join(missing)} not registered" if missing else "",
        f"{', '.join(doubled)} registered twice" if doubled else "",
        "another command than install writes today" if others else "",
    ]
    if wrong := "; ".join(each for each in wrongs if each):
        level = "problem" if missing or others else "warn"
        fix = f"run `tellback doctor --fix`, or `tellback install {harness.name}` again"
        return [Finding("hooks", level, f"{harness.title}, {file}: {wrong}", fix, data, _repoint(site))]
    what = f"{harness.title}: {len(harness.events)} events in {file}"
    return [Finding("hooks", "ok", what, "", data)]


def _find_installed(site: Site) -> str:
    return site.manifest.interpreter or site.interpreter


def _find_python(found: Found) -> str:
    """Return the interpreter that a hook's command starts; ``""`` when it is not of the known form."""
    try:
        words = shlex.split(found.command.rpartition("exec ")[2])
    except ValueError:
        return ""
    return words[0] if words else ""


def _repoint(site: Site) -> Callable[[], object]:
    """Return the repair of everything at once: the hook's code and all commands must be of one Python."""

    def repair() -> object:
        with hold_install_lock(site.places):
            put_hook_files(site.places, site.interpreter)
            wired = [each for each in list_wired(site) if each.is_known]
            return [install(each.harness, each.file, each.project, site.places, site.interpreter) for each in wired]

    return repair


def _join(files: list[Wired]) -> str:
    return " and ".join(str(each.file) for each in files)
