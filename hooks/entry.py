"""Tellback's hook: runs the code that lies beside it, and ends in success (docs/hook.md)."""

# fmt: off
import marshal, posix, sys  # noqa: E401, I001

try:
    fd = posix.open(__file__[:-7] + "hook." + sys.implementation.cache_tag + ".bin", 0)
    exec(marshal.loads(posix.read(fd, 8192)))
except BaseException as error:  # noqa: F841 - the text below names it
    exec("""
try:
    import time
    line = time.strftime("%Y-%m-%dT%H:%M:%SZ entry ", time.gmtime()) + type(error).__name__ + "\\n"
    fd = posix.open("@NOTES@", posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT | posix.O_NOFOLLOW | posix.O_NONBLOCK, 0o600)
    if posix.fstat(fd).st_size < 65536:
        posix.write(fd, line.encode())
except BaseException:
    pass
""")  # noqa: E501
posix._exit(0)  # pyright: ignore[reportPrivateUsage]
