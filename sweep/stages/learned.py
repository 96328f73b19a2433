"""Mark learnings that others replace: a look at every file of learnings that changed since the last one."""

from collections import Counter

from ...core.db import transaction
from ...core.log import log_failure
from ..learned import find_words, is_unchanged, list_said, settle_learnings
from ..work import Work


def settle(work: Work) -> dict[str, int]:
    """Settle the learnings of every place; one that cannot be written is tried again."""
    counts: Counter[str] = Counter()
    with transaction(work.db):
        find_words(work.db, work.places)
    for folder, said in list_said(work.db, work.places).items():
        if is_unchanged(work.db, folder, said) or work.listening.judge_folder(folder) != "ok":
            continue
        wait_s = work.patience.wait_s(folder)
        try:
            counts["superseded"] += len(settle_learnings(work.db, work.places, folder, said, work.now, wait_s))
        except OSError as error:
            work.patience.note(folder, error)
            log_failure(work.places, "learnings", error)
            counts["cannot be written"] += 1
    return dict(+counts)
