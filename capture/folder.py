"""A folder held open, and the files in it reached through it: nothing is followed, nothing foreign is touched.

A repository may bring ``.knowledge`` as a link, a file in it as a FIFO, or a folder of somebody else. So every part is
opened by its name in the folder before (``dir_fd``, ``O_NOFOLLOW``, ``O_NONBLOCK``) and looked at after opening.
Everything that is refused or fails is an ``OSError``; the caller puts the words into the queue.
"""

import sys

from ..core.append import append_line, make_private_folder, open_regular, write_once
from ..core.append import nt_or_posix as os
from ..core.locks import free_lock, take_lock

_MODE, _FILE = 0o170000, 0o100000
_OTHERS_MAY_WRITE = 0o002
_LINK_ON_WINDOWS = 0x400  # FILE_ATTRIBUTE_REPARSE_POINT
_READ_BYTES = 16 << 20
_OPEN_FOLDER = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


class UnsafeError(OSError):
    """A part of the way is a link, not a regular file or folder, another user's, or writable by everybody."""


class BusyError(OSError):
    """Another process held the lock all the time that may be waited for."""


class Folder:
    """An open folder of this user. ``fd`` is -1 on Windows, where paths are used instead.

    Attributes:
        path: where it was found; used for messages and on Windows.
        file_mode: mode of files that are made in it: 0600 outside projects.
    """

    __slots__ = ("fd", "file_mode", "path")

    def __init__(self, path: str, fd: int, file_mode: int) -> None:
        self.path = path
        self.fd = fd
        self.file_mode = file_mode

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def enter(self, name: str, create: bool = False) -> "Folder":
        """Return the folder *name* in this one, made when it is missing and *create* is set."""
        try:
            return _open_folder(self, name)
        except FileNotFoundError:
            if not create:
                raise
        try:
            if sys.platform == "win32":
                os.mkdir(f"{self.path}/{name}")
            else:
                os.mkdir(name, 0o777 if self.file_mode & 0o044 else 0o700, dir_fd=self.fd)
        except FileExistsError:  # another capture was faster
            pass
        return _open_folder(self, name)

    def open(self, name: str, flags: int) -> int:
        """Return a descriptor of the regular file *name* of this user; with ``O_CREAT`` it may be made."""
        if sys.platform == "win32":
            path = f"{self.path}/{name}"
            _refuse_windows_link(path)
            return open_regular(path, flags, mode=self.file_mode)
        fd = open_regular(name, flags, mode=self.file_mode, dir_fd=self.fd)
        if os.fstat(fd).st_uid != os.geteuid():
            os.close(fd)
            raise UnsafeError(f"{self.path}/{name} is another user's")
        return fd

    def take_lock(self, name: str, wait_s: float) -> int:
        """Return the descriptor that holds the lock *name*; end with :meth:`free_lock`. BusyError: not had in time."""
        if sys.platform == "win32":
            fd = take_lock(f"{self.path}/{name}", wait_s)
        else:
            fd = take_lock(name, wait_s, dir_fd=self.fd)
        if fd is None:
            raise BusyError(f"{self.path}/{name} is held by another process")
        return fd

    def free_lock(self, fd: int) -> None:
        free_lock(fd)

    def read(self, name: str, limit: int = _READ_BYTES) -> bytes | None:
        """Return the bytes of *name*, ``None`` when there is no such file; more than *limit* is an error."""
        try:
            fd = self.open(name, os.O_RDONLY)
        except FileNotFoundError:
            return None
        try:
            size = os.fstat(fd).st_size
            if size > limit:
                raise OSError(f"{self.path}/{name} is too long to be read here")
            return read_to(fd, size)
        finally:
            os.close(fd)

    def append(self, name: str, line: bytes) -> None:
        """Append one line (without its line end) to *name* with one write."""
        if sys.platform == "win32":
            append_line(f"{self.path}/{name}", line)
        else:
            append_line(name, line, dir_fd=self.fd)

    def replace(self, name: str, data: bytes) -> None:
        """Put *data* in the place of *name* by a draft and a rename; the caller holds the file's lock."""
        draft = draft_of(name)
        self._write_draft(draft, name, data)
        self.rename(draft, name)

    def swap(self, name: str, data: bytes) -> None:
        """Do the same, but keep the old file as the next draft.

        A rename that replaces a file makes ext4 allocate the draft's blocks at once, and free the old ones: half of
        what a capture costs. A draft that has its blocks already is five times cheaper. The old text stays on disk, so
        this is for files without words; and a reader that holds the old file open over two more swaps sees its text
        change.
        """
        draft, old = draft_of(name), draft_of(f"{name}.old")
        self._write_draft(draft, name, data)
        self.remove(old)  # which a killed capture may have left: then it may be *name* itself
        try:
            self._link(name, old)
        except OSError:  # no file yet, or a file system without hard links
            self.rename(draft, name)
            return
        self.rename(draft, name)
        self.rename(old, draft)

    def _write_draft(self, draft: str, name: str, data: bytes) -> None:
        fd = self.open(draft, os.O_WRONLY | os.O_CREAT)
        try:
            self._keep_mode(name, fd)
            write_once(fd, data)
            os.ftruncate(fd, len(data))
        finally:
            os.close(fd)

    def _link(self, name: str, new_name: str) -> None:
        if sys.platform == "win32":
            raise UnsafeError("a plain rename does there")
        os.link(name, new_name, src_dir_fd=self.fd, dst_dir_fd=self.fd, follow_symlinks=False)

    def write_new(self, name: str, data: bytes) -> None:
        """Write the whole of a file that nobody else uses yet."""
        fd = self.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        try:
            write_once(fd, data)
        finally:
            os.close(fd)

    def rename(self, name: str, new_name: str) -> None:
        """Give *name* another name in this folder; a file of that name is replaced."""
        if sys.platform == "win32":
            os.replace(f"{self.path}/{name}", f"{self.path}/{new_name}")
        else:
            os.rename(name, new_name, src_dir_fd=self.fd, dst_dir_fd=self.fd)

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""
        if sys.platform == "win32":
            os.rmdir(f"{self.path}/{name}")
        else:
            os.rmdir(name, dir_fd=self.fd)

    def remove(self, name: str) -> None:
        """Remove *name*; that it is not there is fine."""
        try:
            if sys.platform == "win32":
                os.unlink(f"{self.path}/{name}")
            else:
                os.unlink(name, dir_fd=self.fd)
        except FileNotFoundError:
            pass

    def find(self, name: str) -> "os.stat_result | None":
        """Return what is known of *name*, never of what a link points to; ``None`` when it is not there."""
        try:
            if sys.platform == "win32":
                return os.lstat(f"{self.path}/{name}")
            return os.stat(name, dir_fd=self.fd, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def _keep_mode(self, name: str, draft: int) -> None:
        found = self.find(name)
        if found is None or sys.platform == "win32":
            return
        if found.st_mode & _MODE != _FILE or found.st_uid != os.geteuid():
            raise UnsafeError(f"{self.path}/{name} is not a regular file of this user")
        mode = found.st_mode & 0o777
        if mode != os.fstat(draft).st_mode & 0o777:
            os.fchmod(draft, mode)


def draft_of(name: str) -> str:
    """Return the name of the draft that replaces *name*."""
    return f".{name}.tellback"


def open_top(path: str, file_mode: int) -> Folder:
    """Return the folder *path*, the one step that may lead over links: they lie above what a repository brings."""
    if sys.platform == "win32":
        return Folder(path, -1, file_mode)
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    return _checked(Folder(path, fd, file_mode))


def make_private(path: str) -> Folder:
    """Return a folder of Tellback's own, made with its parents when missing (0700; files in it 0600)."""
    try:
        return open_top(path, 0o600)
    except FileNotFoundError:
        make_private_folder(path)
    return open_top(path, 0o600)


def read_to(fd: int, limit: int, offset: int = 0) -> bytes:
    """Return up to *limit* bytes from *offset* on, fewer only at the end of the file."""
    if sys.platform == "win32":
        os.lseek(fd, offset, 0)
    chunks: list[bytes] = []
    while limit > 0:
        chunk = os.read(fd, limit) if sys.platform == "win32" else os.pread(fd, limit, offset)
        if not chunk:
            break
        chunks.append(chunk)
        offset += len(chunk)
        limit -= len(chunk)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _open_folder(above: Folder, name: str) -> Folder:
    path = f"{above.path}/{name}"
    if sys.platform == "win32":
        _refuse_windows_link(path)
        return Folder(path, -1, above.file_mode)
    fd = os.open(name, os.O_RDONLY | _OPEN_FOLDER, dir_fd=above.fd)
    return _checked(Folder(path, fd, above.file_mode))


def _checked(folder: Folder) -> Folder:
    if sys.platform != "win32":
        found = os.fstat(folder.fd)
        if found.st_uid != os.geteuid() or found.st_mode & _OTHERS_MAY_WRITE:
            folder.close()
            raise UnsafeError(f"{folder.path} is another user's folder, or writable by everybody")
    return folder


def _refuse_windows_link(path: str) -> None:
    if sys.platform == "win32":
        try:
            found = os.lstat(path)
        except FileNotFoundError:
            return
        if found.st_file_attributes & _LINK_ON_WINDOWS:
            raise UnsafeError(f"{path} is a link")
