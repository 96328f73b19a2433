"""Settings files as people and programs really leave them, for the tests of install."""

import json
from typing import Any

from hypothesis import strategies as st

FOREIGN = "other-tool hook --event"

NAMES = st.sampled_from(["model", "env", "a b", "ü", "", "permissions", "statusLine", "nested"])
SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "x", "/a/\\b", '"', "é\u2028", "😀"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


def foreign_groups(events: tuple[str, ...], is_grouped: bool) -> st.SearchStrategy[dict[str, Any]]:
    """Other tools' hooks, some of them on the events that we want."""
    hook = st.fixed_dictionaries({"type": st.just("command"), "command": st.just(FOREIGN)})
    group = st.fixed_dictionaries({"matcher": st.sampled_from(["", "*", "Bash"]), "hooks": st.lists(hook, max_size=2)})
    return st.dictionaries(
        st.sampled_from([*events, "PreToolUse"]), st.lists(group if is_grouped else hook, max_size=2)
    )


@st.composite
def settings_texts(draw: st.DrawFn, events: tuple[str, ...], is_grouped: bool) -> str:
    """A whole file: any layout, line end, mark and final newline."""
    value: dict[str, Any] = draw(st.dictionaries(NAMES, VALUES, max_size=3))
    if draw(st.booleans()):
        items = list(value.items())
        items.insert(draw(st.integers(0, len(items))), ("hooks", draw(foreign_groups(events, is_grouped))))
        value = dict(items)
    indent = draw(st.sampled_from([None, 1, 2, 4, "\t"]))
    separators = draw(st.sampled_from([(",", ":"), (", ", ": "), (" , ", " : ")])) if indent is None else None
    text = json.dumps(value, indent=indent, separators=separators, ensure_ascii=draw(st.booleans()))
    text = draw(st.sampled_from(["", " ", "\n", "\ufeff"])) + text + draw(st.sampled_from(["", "\n", "\n\n", "  "]))
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text
