"""``python -I -m tellback``: how the turn-end hook starts the sweep."""

from .cli import main

if __name__ == "__main__":
    main()
