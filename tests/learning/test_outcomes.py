"""What people made of a skill's work: windows, priorities, reverts, the twelve fields."""

import pytest

from tellback.learning.events import FeedbackEvent
from tellback.learning.outcomes import Window, find_windows, make_event
from tellback.sessions.entry import Call, Entry


class Session:
    """A session written down step by step."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def _add(self, kind: str, **more: object) -> "Session":
        offset = len(self.entries) * 100
        entry = Entry(offset, offset + 100, f"u{len(self.entries)}", 1_775_383_200.0, "/p", "m", kind)  # type: ignore[arg-type]
        self.entries.append(entry._replace(**more))  # type: ignore[arg-type]
        return self

    def skill(self, name: str, origin: str = "agent") -> "Session":
        return self._add("skill_call", skill=name, origin=origin)

    def user(self, text: str) -> "Session":
        return self._add("prompt", text=text, origin="typed")

    def tool(self, name: str, command: str = "") -> "Session":
        return self._add("tool_call", call=Call("c", name, {}, command, "ok"))

    def answer(self, text: str = "Done.") -> "Session":
        return self._add("assistant_text", text=text)

    def windows(self, window: int = 3) -> list[Window]:
        return find_windows(self.entries, lambda name: name == "deslop", window=window)

    def event(self) -> FeedbackEvent | None:
        (window,) = self.windows()
        return make_event("s1", window.call, window.reacted) if window.reacted else None


def reactions(session: Session, window: int = 3) -> list[tuple[str, str | None]]:
    return [(w.call.skill, w.reacted and w.reacted.reaction) for w in session.windows(window)]


def test_an_event_has_the_twelve_fields() -> None:
    session = Session().skill("cpp-expert").tool("Read").tool("Edit").tool("Read").answer()
    session.user("not right, should use const ref...").tool("Bash")

    event = session.event()

    assert event == {
        "event_id": "7e60572d6d58231d",
        "timestamp": "2026-04-05T10:00:00.000Z",
        "session_id": "s1",
        "skill_id": "cpp-expert",
        "invocation_uuid": "u0",
        "outcome": "correction",
        "confidence": 0.9,
        "correction_type": "rejection",
        "user_message_snippet": "not right, should use const ref...",
        "turns_to_feedback": 1,
        "ai_tools_used": ["Read", "Edit"],
        "dimension_hint": "accuracy",
    }


def test_a_delayed_correction_in_the_third_turn_counts() -> None:
    session = Session().skill("a").user("what does it do?").user("and why?").user("刚才那个不对")

    event = session.event()

    assert event is not None
    assert (event["outcome"], event["turns_to_feedback"]) == ("correction", 3)


def test_the_fourth_turn_is_not_attributed() -> None:
    session = Session().skill("a").user("a?").user("b?").user("c?").user("that is wrong")

    assert reactions(session) == [("a", None)]


@pytest.mark.parametrize(("window", "reaction"), [(1, None), (2, "rejection"), (5, "rejection")])
def test_the_size_of_the_window_is_a_parameter(window: int, reaction: str | None) -> None:
    session = Session().skill("a").user("what?").user("that is wrong")

    assert reactions(session, window) == [("a", reaction)]


def test_a_reaction_to_a_second_skill_is_not_the_first_ones() -> None:
    session = Session().skill("a").user("looks good").skill("b").user("that is wrong")

    assert reactions(session) == [("a", "explicit"), ("b", "rejection")]


def test_a_correction_beats_an_earlier_acceptance_in_the_window() -> None:
    session = Session().skill("a").user("可以").user("但是命名不对")

    event = session.event()

    assert event is not None
    assert (event["outcome"], event["correction_type"], event["confidence"]) == ("partial", "partial", 0.7)
    assert (event["turns_to_feedback"], event["dimension_hint"]) == (2, "accuracy")


@pytest.mark.parametrize(
    ("first", "second", "reaction"),
    [
        ("that is wrong", "try again", "redo"),
        ("try again", "wrong, but close", "redo"),
        ("that is wrong", "looks good, but the title", "partial"),
        ("looks good", "now write the second part please", "explicit"),
    ],
)
def test_the_strongest_reaction_of_the_window_decides(first: str, second: str, reaction: str) -> None:
    assert reactions(Session().skill("a").user(first).user(second)) == [("a", reaction)]


@pytest.mark.parametrize(
    "command", ["git checkout -- src/a.py", "git checkout HEAD~1 -- a.py", "git checkout .", "git restore a.py",
                "git reset --hard", "git revert HEAD"]
)  # fmt: skip
def test_work_thrown_away_with_git_after_a_user_turn_is_a_revert(command: str) -> None:
    session = Session().skill("a").tool("Edit").user("take it back, the naming is off").tool("Bash", command)

    event = session.event()

    assert event is not None
    assert (event["outcome"], event["correction_type"], event["turns_to_feedback"]) == ("correction", "revert", 1)
    assert (event["user_message_snippet"], event["ai_tools_used"]) == ("take it back, the naming is off", ["Edit"])
    assert event["dimension_hint"] == "accuracy"


@pytest.mark.parametrize("command", ["git checkout -b next", "git checkout main", "git status", "echo git"])
def test_other_git_commands_are_no_revert(command: str) -> None:
    session = Session().skill("a").user("go?").tool("Bash", command)

    assert reactions(session) == [("a", None)]


def test_an_undo_by_the_skill_itself_is_no_feedback() -> None:
    session = Session().skill("a").tool("Bash", "git reset --hard").user("ok?")

    assert reactions(session) == [("a", None)]


def test_a_typed_skill_counts_only_when_it_is_installed() -> None:
    session = Session().skill("deslop", "typed").user("wrong").skill("nosuch", "typed").user("wrong")

    assert reactions(session) == [("deslop", "rejection")]


def test_two_calls_of_one_skill_in_one_entry_are_one_event() -> None:
    session = Session().skill("a").skill("a").user("that is wrong")
    session.entries[1] = session.entries[1]._replace(span="u0")

    assert reactions(session) == [("a", "rejection")]


def test_two_calls_without_a_turn_between_leave_the_first_without_an_event() -> None:
    assert reactions(Session().skill("a").skill("a").user("wrong")) == [("a", None), ("a", "rejection")]


@pytest.mark.parametrize(
    ("turns", "is_closed"),
    [(0, False), (3, False), (4, True)],
    ids=["no turn yet", "its last turn", "a turn behind it"],
)
def test_a_window_is_closed_when_nothing_can_change_it(turns: int, is_closed: bool) -> None:
    session = Session().skill("a")
    for _ in range(turns):
        session.user("and?")

    (window,) = session.windows()

    assert window.is_closed is is_closed


def test_a_window_cut_by_the_next_call_is_closed() -> None:
    first, second = Session().skill("a").skill("b").windows()

    assert (first.is_closed, second.is_closed) == (True, False)


def test_without_snippets_the_field_stays_and_is_empty() -> None:
    (window,) = Session().skill("a").user("that is wrong").windows()
    assert window.reacted is not None

    assert make_event("s1", window.call, window.reacted, with_snippet=False)["user_message_snippet"] == ""
