"""Signals beside a skill: ``<skill root>/.skillopt/pending/signal.json``, JSON lines for all its name (R-13 to R-29).

This module writes that one file and nothing else of a skill (R-30): no lock file, no draft. The file itself is locked
while it grows. Neither ``.skillopt`` nor anything below it is followed as a link: a skill may come from somebody else.
"""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

import orjson

from ..core.append import append_line
from ..core.errors import TellbackError
from ..core.locks import free_lock, take_lock

FrictionType = Literal["repeated_operation", "user_urged", "guessed_step"]

SIGNAL_FILE = "signal.json"
PENDING = (".skillopt", "pending")
FRICTION_THRESHOLD = 2  # of one kind: high priority
_LOCK_WAIT_S = 5.0

Signal = dict[str, Any]


class Said(NamedTuple):
    """What a signal tells, all scrubbed.

    Attributes:
        scenario: the task in one sentence.
        user_intent: what the person wanted first.
        problem_turn: a summary of what the agent did that caused the signal.
        words: the person's latest input; it names the signal, and for a correction it is quoted.
        correction: the guidance of this point; ``None`` for friction.
        friction_type, friction_detail: what was unclear and how the agent got through; ``None`` for a correction.
    """

    scenario: str
    user_intent: str
    problem_turn: str
    words: str
    correction: str | None = None
    friction_type: FrictionType | None = None
    friction_detail: str | None = None


class Pending(NamedTuple):
    """The signals that wait beside one skill.

    Attributes:
        skill: as the signals name it.
        path: the signal file.
        friction_by_type: how many of each kind.
        priority: ``high`` when one kind of friction came as often as the threshold, else ``normal``.
    """

    skill: str
    path: Path
    corrected: int
    friction: int
    friction_by_type: dict[str, int]
    priority: Literal["high", "normal"]

    def to_json(self) -> dict[str, Any]:
        """Return the entry of ``scan-signals --json``."""
        return self._asdict() | {"path": str(self.path)}


def normalise_skill(name: str) -> str:
    """Return a skill's name as signals write it: lower case, words joined by hyphens (R-14)."""
    return re.sub(r"[\W_]+", "-", name.lower()).strip("-")


def make_signals(skill: str, skill_md: bytes, said: Iterable[Said], at: datetime) -> list[Signal]:
    """Return one signal for each point that was made, in order; merging them is forbidden (R-6).

    Args:
        skill_md: the skill's file as it is now, for its hash.
        said: the points of one message.
    """
    points = list(said)
    name = normalise_skill(skill)
    at = at.astimezone(timezone.utc)
    return [
        {
            "signal_id": f"{at:%Y%m%dT%H%M%S}_{name}_{_hash_input(point.words, number if len(points) > 1 else 0)}",
            "skill": name,
            "type": "friction" if point.friction_type else "corrected",
            "scenario": point.scenario,
            "correction": None if point.friction_type else point.correction,
            "friction_detail": point.friction_detail if point.friction_type else None,
            "friction_type": point.friction_type,
            "context": {
                "user_intent": point.user_intent,
                "problem_turn": point.problem_turn,
                "user_correction": None if point.friction_type else point.words,
            },
            "skill_version_hash": hashlib.sha256(skill_md).hexdigest(),
            "timestamp": at.isoformat(timespec="seconds").replace("+00:00", "Z"),
        }
        for number, point in enumerate(points, 1)
    ]


def _hash_input(words: str, number: int) -> str:
    """Return 6 hex digits of the input; several points of one message are told apart by their number (X-49)."""
    text = f"{words}\0{number}" if number else words
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:6]


def append_signals(skill_root: Path, signals: Iterable[Signal]) -> int:
    """Append those of *signals* whose id is not there yet, and return how many.

    Raises:
        TellbackError: the folder or file is a link or no such thing, cannot be written, or is kept locked.
    """
    try:
        fd = _open_pending(skill_root)
    except OSError as error:
        raise TellbackError(f"{skill_root / PENDING[0]} cannot be written: {error.strerror}") from error
    try:
        lock = take_lock(SIGNAL_FILE, _LOCK_WAIT_S, dir_fd=fd)
        if lock is None:
            raise TellbackError(f"the signals of {skill_root.name} are being written by another program")
        try:
            return _append_new(fd, lock, signals)
        finally:
            free_lock(lock)
    except OSError as error:
        raise TellbackError(f"{skill_root.joinpath(*PENDING, SIGNAL_FILE)}: {error.strerror}") from error
    finally:
        os.close(fd)


def _append_new(folder: int, lock: int, signals: Iterable[Signal]) -> int:
    known = {signal.get("signal_id") for signal in _parse_lines(os.pread(lock, os.fstat(lock).st_size, 0))}
    added = 0
    for signal in signals:
        if signal["signal_id"] not in known:
            append_line(SIGNAL_FILE, orjson.dumps(signal), dir_fd=folder)
            known.add(signal["signal_id"])
            added += 1
    return added


def _open_pending(skill_root: Path) -> int:
    """Return a descriptor of the folder, made if missing, reached without following a link below the skill."""
    flags = os.O_RDONLY | os.O_DIRECTORY
    fd = os.open(skill_root, flags)
    for name in PENDING:
        try:
            with suppress(FileExistsError):
                os.mkdir(name, 0o755, dir_fd=fd)
            below = os.open(name, flags | os.O_NOFOLLOW, dir_fd=fd)
        finally:
            os.close(fd)
        fd = below
    return fd


def read_signals(skill_root: Path) -> list[Signal]:
    """Return the signals that wait beside a skill; none when there is no such file, or a link in its place."""
    path = skill_root.joinpath(*PENDING, SIGNAL_FILE)
    if path.is_symlink() or not path.is_file() or any((skill_root / name).is_symlink() for name in (".skillopt",)):
        return []
    return _parse_lines(path.read_bytes())


def _parse_lines(data: bytes) -> list[Signal]:
    signals: list[Signal] = []
    for line in data.split(b"\n"):
        try:
            signal: Any = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if isinstance(signal, dict):
            signals.append(cast("Signal", signal))
    return signals


def scan_signals(roots: Iterable[Path], threshold: int = FRICTION_THRESHOLD) -> list[Pending]:
    """Return the skills below *roots* that have signals waiting, by name (R-28)."""
    found: list[Pending] = []
    for root in roots:
        try:
            folders = sorted(path for path in root.iterdir() if path.is_dir())
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue
        found += [pending for folder in folders if (pending := _scan_skill(folder, threshold))]
    return found


def _scan_skill(folder: Path, threshold: int) -> Pending | None:
    signals = [signal for signal in read_signals(folder) if signal.get("type") in ("corrected", "friction")]
    if not signals:
        return None
    kinds = Counter(str(s.get("friction_type") or "unknown") for s in signals if s["type"] == "friction")
    return Pending(
        skill=str(signals[0].get("skill") or normalise_skill(folder.name)),
        path=folder.joinpath(*PENDING, SIGNAL_FILE),
        corrected=sum(signal["type"] == "corrected" for signal in signals),
        friction=kinds.total(),
        friction_by_type=dict(sorted(kinds.items())),
        priority="high" if any(count >= threshold for count in kinds.values()) else "normal",
    )
