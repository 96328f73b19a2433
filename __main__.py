"""The program ``tellback``; as ``python -I -m tellback`` the turn-end hook starts the sweep."""

import os
import sys


def main() -> None:
    """Run the command line; Ctrl-C while it is still being loaded ends it as quietly as later on."""
    _open_closed_streams()
    try:
        from .cli import main as run_command

        run_command()
    except KeyboardInterrupt:
        sys.exit("Aborted!")
    except OSError as error:
        if error.filename is not None:
            raise  # no matter of what is printed: a stream has no name
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # else Python fails once more, when it ends
        sys.exit(f"tellback: what it says cannot be written: {error.strerror or error}; look where its output goes")


def _open_closed_streams() -> None:
    """Let streams that the caller closed lead nowhere: the next file opened would get the number, and what is said."""
    for _ in filter(_is_closed, range(3)):
        os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
    sys.stdin = sys.stdin or os.fdopen(0, closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


def _is_closed(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return True
    return False


if __name__ == "__main__":
    main()
