"""The program ``tellback``; as ``python -I -m tellback`` the turn-end hook starts the sweep."""

import sys


def main() -> None:
    """Run the command line; Ctrl-C while it is still being loaded ends it as quietly as later on."""
    try:
        from .cli import main as run_command

        run_command()
    except KeyboardInterrupt:
        sys.exit("Aborted!")


if __name__ == "__main__":
    main()
