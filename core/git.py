"""Run git for its answers only: no hooks, no file system monitor, no pager, no prompt, nothing a repository configures.

A repository that a person cloned can name programs for git to run. Reads use plumbing that runs none of them; the one
write (``commit_file``) builds its commit from objects, so that neither hooks nor filters come into play. Cold.
"""

import os
import subprocess
import tempfile
from pathlib import Path

_LIMIT_S = 20.0
_SAFE = (
    "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.pager=cat",
    "-c", "log.showSignature=false", "-c", "gc.auto=0", "-c", "protocol.allow=never",
)  # fmt: skip
_KEPT_VARIABLES = ("PATH", "HOME", "USERPROFILE", "SYSTEMROOT", "LANG", "TMPDIR", "TEMP", "TMP", "XDG_CONFIG_HOME")


class GitError(Exception):
    """Git is not there, did not answer in time, or refused; the message is its first line."""


def run_git(folder: Path, *arguments: str, stdin: bytes | None = None, index: str | None = None) -> bytes:
    """Run git in *folder* and return what it prints.

    Args:
        index: a path to use in place of the repository's index.

    Raises:
        GitError: it failed; nothing of it is shown to the person unasked.
    """
    environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    environment |= {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_REPLACE_OBJECTS": "1", "LC_ALL": "C"}
    if index is not None:
        environment["GIT_INDEX_FILE"] = index
    try:
        done = subprocess.run(
            ["git", *_SAFE, *arguments],
            cwd=folder,
            env=environment,
            input=stdin if stdin is not None else b"",
            capture_output=True,
            timeout=_LIMIT_S,
            check=False,
        )
    except FileNotFoundError:
        raise GitError("git is not installed") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitError(str(error)) from None
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise GitError(lines[0] if lines else f"git {arguments[0]} failed")
    return done.stdout


def find_work_tree(folder: Path) -> Path | None:
    """Return the top of the work tree that *folder* lies in; ``None`` outside one or without git."""
    try:
        top = run_git(folder, "rev-parse", "--show-toplevel").decode("utf-8", "surrogateescape").rstrip("\n")
    except GitError:
        return None
    return Path(top) if top else None


def commit_file(path: Path, message: str) -> str:
    """Commit *path* as it stands, that file alone, and return the commit's id; whatever else is staged stays staged.

    Raises:
        GitError: it lies in no work tree, or git refused; the file itself is untouched in every case.
    """
    top = find_work_tree(path.parent)
    if top is None:
        raise GitError(f"{path} lies in no Git work tree")
    name = os.path.relpath(os.path.realpath(path), os.path.realpath(top)).replace(os.sep, "/")
    blob = run_git(top, "hash-object", "-w", "--no-filters", "--stdin", stdin=path.read_bytes()).decode().strip()
    entry = f"{_find_mode(top, name)},{blob},{name}"
    parent = _find_head(top)
    with tempfile.TemporaryDirectory(prefix="tellback-index-") as folder:
        index = os.path.join(folder, "index")
        if parent:
            run_git(top, "read-tree", parent, index=index)
        run_git(top, "update-index", "--add", "--cacheinfo", entry, index=index)
        tree = run_git(top, "write-tree", index=index).decode().strip()
    arguments = ["-p", parent] if parent else []
    commit = run_git(top, "commit-tree", tree, *arguments, "-F", "-", stdin=message.encode()).decode().strip()
    run_git(top, "update-ref", "-m", "tellback", "HEAD", commit, parent or "0" * len(commit))
    run_git(top, "update-index", "--add", "--cacheinfo", entry)
    return commit


def _find_head(top: Path) -> str:
    """Return the commit that HEAD names; ``""`` before the first one."""
    try:
        return run_git(top, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").decode().strip()
    except GitError:
        return ""


def _find_mode(top: Path, name: str) -> str:
    listed = run_git(top, "ls-files", "--stage", "-z", "--", name).split(b" ", 1)[0].decode()
    return listed if listed in ("100644", "100755") else "100644"
