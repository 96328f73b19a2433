"""How long one run waits for the locks of projects: for each once, then no more. Cold."""

from .folder import BusyError


class Patience:
    """What a run remembers of locks that it did not get.

    Attributes:
        longest_s: how long a lock may be waited for the first time.
        busy: places whose lock another process held all that time.
    """

    def __init__(self, longest_s: float) -> None:
        self.longest_s = longest_s
        self.busy: set[str] = set()
        self._given_up: set[str] = set()

    def wait_s(self, folder: str) -> float:
        """Return how long the lock of the place *folder* may be waited for now."""
        return 0.0 if folder in self._given_up else self.longest_s

    def note(self, folder: str, error: OSError) -> None:
        """Remember the place when *error* says that its lock was held."""
        if isinstance(error, BusyError):
            self.busy.add(folder)
            self.give_up(folder)

    def give_up(self, folder: str) -> None:
        """Wait no more for the lock of a place, whatever kept it from being written to."""
        self._given_up.add(folder)
