"""Files that only their owner may read: keys of search engines, and the key that hides who went where."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from dowse.model.errors import UserError
from dowse.model.files import PRIVATE_FILE, PRIVATE_FOLDER

__all__ = ["config_folder", "make_private", "read_private"]


def config_folder(environment: Mapping[str, str]) -> Path:
    """Where a user's own settings of Dowse are."""
    home = environment.get("XDG_CONFIG_HOME", "")
    return (Path(home) if os.path.isabs(home) else Path(os.path.expanduser("~/.config"))) / "dowse"


def read_private(path: Path, most: int, holds: str) -> bytes:
    """The content of a file, a byte more than ``most`` at the most. UserError, which says what it ``holds`` and nothing
    of it, where others can read it too or it is no plain file; FileNotFoundError or NotADirectoryError where there is
    none."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        raise UserError(f"cannot read {holds} in {path}: {(error.strerror or 'unreadable').lower()}") from None
    try:  # what is checked is what is read, whatever becomes of the name
        about = os.fstat(fd)
        if not stat.S_ISREG(about.st_mode):
            raise UserError(f"{path} is no plain file: what holds {holds} must be one")
        if stat.S_IMODE(about.st_mode) & 0o077:
            raise UserError(f"{path} can be read by others: run chmod 600 {path}")
        return os.read(fd, most + 1)
    finally:
        os.close(fd)


def make_private(path: Path, data: bytes) -> None:
    """A new file that only its owner may read, in a folder that is made where there is none. FileExistsError where
    there is a file already."""
    path.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, PRIVATE_FILE)
    with open(fd, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(fd)
