"""Files that appear under their name only once they are whole, files that are read only up to a size, and files of a
folder that somebody else may have filled: opened as what they are, never as what a link in their place leads to."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from dowse.model.errors import NotPlain, TopicError, UserError

__all__ = [
    "PRIVATE_FILE", "PRIVATE_FOLDER", "check_plain", "check_writable", "open_plain", "read_limited",
    "write_whole",
]  # fmt: skip

T = TypeVar("T")

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
"""Who may read what a crawl keeps: its owner."""
_CHUNK = 1 << 20
_WRITES = os.O_WRONLY | os.O_RDWR


def open_plain(path: Path, flags: int = os.O_RDONLY, mode: int = PRIVATE_FILE) -> int:
    """Open a file of a crawl's folder; NotPlain when it is anything but a file of its own. What is to be written to may
    not be a hard link either: its other name is somebody else's file."""
    try:
        fd = os.open(path, flags & ~os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, mode)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _not_plain(path, "a link") from None
        if error.errno in (errno.EISDIR, errno.ENXIO) or isinstance(error, IsADirectoryError):
            raise _not_plain(path, "not a file") from None
        raise
    try:
        _check(path, os.fstat(fd), writes=bool(flags & _WRITES))
        if flags & os.O_TRUNC:
            os.ftruncate(fd, 0)
    except BaseException:
        os.close(fd)
        raise
    return fd


def check_plain(path: Path, *, writes: bool) -> bool:
    """Is there such a file? NotPlain when something else is there. For files that a library opens by their name."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return False
    _check(path, found, writes=writes)
    return True


def _check(path: Path, found: os.stat_result, *, writes: bool) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise _not_plain(path, "a link")
    if not stat.S_ISREG(found.st_mode):
        raise _not_plain(path, "not a file")
    if writes and found.st_nlink > 1:
        raise _not_plain(path, "a file with another name elsewhere (a hard link)")


def _not_plain(path: Path, what: str) -> NotPlain:
    return NotPlain(f"{path} is {what}: Dowse opens only plain files in a crawl's folder. Put a copy of the file there")


def write_whole(out: Path, write: Callable[[Path], T], *, private: bool = False) -> T:
    """Let ``write`` fill a file beside ``out``, then put that in its place; UserError when it cannot be written."""
    _check_place(out)
    partial = _beside(out)
    try:
        _make_partial(partial, private=private)
        answer = write(partial)
        os.replace(partial, out)
    except OSError as error:
        raise UserError(f"cannot write {out}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            partial.unlink()
    return answer


def _make_partial(partial: Path, *, private: bool = False) -> None:
    """An empty file of our own: what lies there under its name, perhaps a link, goes away."""
    with suppress(FileNotFoundError):
        partial.unlink()
    mode = PRIVATE_FILE if private else 0o666
    os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode))


def check_writable(out: Path, *, force: bool) -> None:
    """UserError when :func:`write_whole` could not put a file there, or when there is one and it was not said to be
    overwritten (``force``): asked before long work, not after it."""
    _check_place(out)
    if out.exists() and not force:
        raise UserError(f"{out} already exists: choose another name, or overwrite it with --force")
    partial = _beside(out)
    try:
        _make_partial(partial)
        partial.unlink()
    except OSError as error:
        raise UserError(f"cannot write {out}: {error.strerror or error}") from error


def _check_place(out: Path) -> None:
    if out.exists() and not out.is_file():  # a device would be replaced, not written to
        raise UserError(f"cannot write {out}: it is {'a folder' if out.is_dir() else 'not a plain file'}")


def read_limited(path: Path, most: int, what: str) -> bytes:
    """The content of a file somebody names as ``what``; TopicError when it cannot be read or is larger than that."""
    parts, size = [], 0
    try:
        with path.open("rb") as stream:
            while size <= most and (data := stream.read(min(_CHUNK, most + 1 - size))):
                parts.append(data)
                size += len(data)
    except OSError as error:
        why = (error.strerror or "unreadable").lower()
        raise TopicError(f"cannot read the {what}: {why}", source=str(path)) from None
    if size > most:
        raise TopicError(f"is too large for {what}", source=str(path))
    return b"".join(parts)


def _beside(out: Path) -> Path:
    return out.with_name(f".{out.name}.{os.getpid()}.part")
