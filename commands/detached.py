"""The sweep as a turn's end launches it: nobody reads what is printed, the last-run file tells."""

from ..core.config import load_settings
from ..core.errors import TellbackError
from ..core.log import log_failure
from ..core.paths import find_places
from ..sweep.guard import Terminated
from ..sweep.run import Order, run_sweep
from .renew import renew_hook_files


def run_detached(lock_fd: int | None) -> int:
    """Run all stages under the lock that *lock_fd* holds; returns the exit code."""
    places = find_places()
    try:
        budget_s = load_settings(places).sessions_push_budget_s
        order = Order(lock_fd=lock_fd, is_launched=True, budget_s=budget_s)
        done = run_sweep(places, order, first=lambda: renew_hook_files(places))
    except Terminated:
        return 1
    except TellbackError as error:
        log_failure(places, "sweep", error)
        return 1
    return 1 if done is not None and done.failure else 0
