"""The one error that a person sees: what is wrong and what to do."""


class TellbackError(Exception):
    """An operation failed or was refused; a command prints it as one line and exits with 1.

    Attributes:
        hint: what the person can do about it, without a full stop; ``None`` when there is nothing.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint
