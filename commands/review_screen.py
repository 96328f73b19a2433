"""The screen of ``tellback review``: one item at a time, with its change and the sentences behind it."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import Footer, Header, Input, OptionList, Static

from ..core.errors import TellbackError
from ..core.escape import show_line, show_text
from .review_item import Item
from .review_items import accept, reject
from .review_learnings import put_off


def review(items: list[Item], project: Path) -> int:
    """Walk through *items* and return how many were decided."""
    app = ReviewApp(items, project)
    app.run()
    return app.decided


class ReviewApp(App[None]):
    """One item at a time: y accepts, n refuses, l leaves it for later, e edits a learning, q ends."""

    TITLE = "Tellback review"
    CSS = """
    #item { padding: 1 2; height: 1fr; }
    #said { padding: 0 2; color: $text-muted; height: auto; }
    OptionList { height: auto; max-height: 8; margin: 0 2; }
    Input { margin: 0 2; }
    """
    BINDINGS = [  # noqa: RUF012 - as Textual declares it
        Binding("y", "accept", "Accept"),
        Binding("n", "reject", "Refuse"),
        Binding("l", "later", "Later"),
        Binding("e", "edit", "Edit"),
        Binding("q", "quit", "End"),
    ]

    def __init__(self, items: list[Item], project: Path) -> None:
        super().__init__()
        self.decided = 0
        self._items = items
        self._project = project
        self._at = 0

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        yield Header()
        with VerticalScroll():
            yield Static(id="item")
        yield OptionList(id="choices")
        yield Input(id="edit", select_on_focus=False)
        yield Static(id="said")
        yield Footer()

    def on_mount(self) -> None:
        """Show the first item."""
        self._show()

    def _show(self) -> None:
        item = self._items[self._at]
        self.sub_title = f"{self._at + 1} of {len(self._items)}"
        self.query_one("#item", Static).update(_render(item))
        choices = self.query_one("#choices", OptionList)
        choices.clear_options()
        choices.add_options([show_line(choice) for choice in item.choices])
        choices.display = bool(item.choices)
        edit = self.query_one("#edit", Input)
        edit.display = False
        edit.value = item.text
        if item.choices:
            choices.highlighted = 0
            choices.focus()
        else:
            self.set_focus(None)

    def action_accept(self) -> None:
        """Say yes to the item; an attribution takes the highlighted skill."""
        item = self._items[self._at]
        highlighted = self.query_one("#choices", OptionList).highlighted
        skill = item.choices[highlighted] if item.choices and highlighted is not None else None
        edit = self.query_one("#edit", Input)
        self._decide(lambda: accept(item, self._project, skill=skill, text=edit.value.strip() or None))

    def action_reject(self) -> None:
        """Say no to the item."""
        item = self._items[self._at]
        self._decide(lambda: reject(item))

    def action_later(self) -> None:
        """Leave the item as it is."""
        item = self._items[self._at]
        if item.kind == "unused":
            self._act(lambda: put_off(item))
        else:
            self._next("")

    async def action_quit(self) -> None:
        """End; an unused learning that was asked about is not asked about again so soon."""
        item = self._items[self._at]
        if item.kind == "unused":
            with suppress(TellbackError):
                put_off(item)
        self.exit()

    def action_edit(self) -> None:
        """Open the words of a learning for editing; Enter goes back, y accepts."""
        if self._items[self._at].kind == "learning":
            edit = self.query_one("#edit", Input)
            edit.display = True
            edit.cursor_position = len(edit.value)
            edit.focus()

    def on_input_submitted(self) -> None:
        """Leave the words as edited and wait for a decision."""
        self.set_focus(None)

    def on_option_list_option_selected(self) -> None:
        """Take Enter on a skill as yes to that skill."""
        self.action_accept()

    def _decide(self, act: Callable[[], str]) -> None:
        self.decided += self._act(act)

    def _act(self, act: Callable[[], str]) -> bool:
        """Do it and go on to the next item; what cannot be done is said, and the item stays."""
        try:
            said = act()
        except TellbackError as error:
            told = f"{error}; {error.hint}" if error.hint else str(error)
            self.query_one("#said", Static).update(Text(show_text(told)))
            return False
        self._next(said)
        return True

    def _next(self, said: str) -> None:
        self.query_one("#said", Static).update(Text(show_text(said)))
        self._at += 1
        if self._at == len(self._items):
            self.exit()
        else:
            self._show()


def _render(item: Item) -> Text:
    shown = Text()
    shown.append(f"{item.kind}  {show_line(item.title)}\n\n", style="bold")
    for change in item.changes:
        shown.append(f"- {show_text(change.original)}\n", style="red")
        shown.append(f"+ {show_text(change.suggested)}\n", style="green")
        shown.append(f"  {change.reason}\n\n")
    if item.text:
        shown.append(f"“{show_text(item.text)}”\n\n")
    if item.evidence:
        shown.append("What people said\n", style="bold")
    for sentence in item.evidence:
        shown.append(f"  {show_line(sentence)}\n")
    return shown
