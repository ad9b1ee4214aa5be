"""One writer a folder.

The kernel holds the lock (``flock``), the file only tells whose it is: when its holder dies, however it dies, the lock
is gone, and a file left behind is no obstacle. The file is never removed, since two processes could then lock two
different files of the same name.
"""

from __future__ import annotations

import fcntl
import os
import weakref
from pathlib import Path

from dowse.model.errors import FolderBusy
from dowse.model.files import open_plain

__all__ = ["FolderLock"]


class FolderLock:
    """Held from construction to :meth:`release`; raises FolderBusy when another process holds it."""

    def __init__(self, path: Path) -> None:
        fd = open_plain(path, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(fd, 32, 0).decode("ascii", "replace").strip() or "unknown"
            os.close(fd)
            raise FolderBusy(
                f"{path.parent} is in use by another crawl (process {holder}): wait for it, or choose another folder"
            ) from None
        except OSError:
            os.close(fd)
            raise
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
        self._fd: int | None = fd
        _held.add(self)

    def release(self) -> None:
        """Let the next crawl in."""
        if self._fd is not None:
            os.ftruncate(self._fd, 0)
            self._let_go()

    def _let_go(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


_held: weakref.WeakSet[FolderLock] = weakref.WeakSet()


def _forget_in_child() -> None:
    """A forked worker shares the lock's file description: without this it would hold the folder after a crash."""
    for lock in list(_held):
        lock._let_go()


os.register_at_fork(after_in_child=_forget_in_child)
