"""The hook's own log, ``<cache>/hook.log``: one line for each call that failed, shown by doctor. Hot.

It never holds a message: an exception is told by its class, number and place, not by its text.
"""

import time

from ..core.append import OPEN_LOG, make_private_folder, nt_or_posix, open_regular, write_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.shapes import Places

LIMIT_BYTES = 64 * 1024


def log_path(places: "Places") -> str:
    """Return where the log is; one former generation lies beside it as ``hook.log.old``."""
    return places.cache + "/hook.log"


def append_note(places: "Places", words: str) -> None:
    """Append *words* with the time; what cannot be written is lost, for there is nowhere left to say it."""
    line = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {words}\n".encode("ascii", "backslashreplace")
    try:
        make_private_folder(places.cache)
        path = log_path(places)
        fd = open_regular(path, OPEN_LOG)
        try:
            write_once(fd, line)
            is_full = nt_or_posix.fstat(fd).st_size > LIMIT_BYTES
        finally:
            nt_or_posix.close(fd)
        if is_full:
            nt_or_posix.replace(path, path + ".old")
    except OSError:
        pass


def describe(error: BaseException) -> str:
    """Return class, number and innermost place of *error*: ``OSError 28 in core/append.py write_once``."""
    number = getattr(error, "errno", None)
    words = type(error).__name__ if number is None else f"{type(error).__name__} {number}"
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    if place is None:
        return words
    code = place.tb_frame.f_code
    file = "/".join(code.co_filename.replace("\\", "/").split("/")[-2:])
    return f"{words} in {file} {code.co_name}"
