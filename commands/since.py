"""``--since`` of the commands that show or take history."""

import time
from datetime import date, datetime

import click

from ..core.duration import parse_since
from ..core.errors import TellbackError


class Since(click.ParamType[float]):
    """A day (``2026-11-30``, from its local midnight), a moment in RFC 3339, or a span before now (``7d``)."""

    name = "T"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return UTC seconds."""
        if isinstance(value, float):
            return value
        text = str(value).strip()
        try:
            return datetime.combine(date.fromisoformat(text), datetime.min.time()).timestamp()
        except ValueError:
            pass
        try:
            return parse_since(text, time.time())
        except TellbackError as error:
            self.fail(f"{error}; {error.hint}" if error.hint else str(error), param, ctx)


SINCE = Since()
