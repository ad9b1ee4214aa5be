"""Where what was worked out about a corpus is kept, and how it is put there.

Everything derived lies in folders named after a digest of the corpus' WARC files and the version of the code that
made them: another corpus, or another version, never finds them. A folder is filled under another name and renamed once
it is whole, so two processes that make the same one at once both end with a good one.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import xxhash

from dowse.model.errors import UserError

__all__ = ["cache_root", "corpus_digest", "kept", "whole_folder"]

T = TypeVar("T")

_BESIDE = ".dowse-lab"
_READ_BYTES = 1 << 20
_DAMAGED = (OSError, ValueError, EOFError, KeyError)  # what reading a cut array, or cut JSON, ends in


def corpus_digest(files: Sequence[Path]) -> str:
    """A digest of the names and the bytes of the files."""
    digest = xxhash.xxh3_128()
    buffer = memoryview(bytearray(_READ_BYTES))
    for path in files:
        try:
            digest.update(f"{path.name}\n{path.stat().st_size}\n".encode("utf-8", "surrogateescape"))
            with path.open("rb", buffering=0) as stream:
                while count := stream.readinto(buffer):
                    digest.update(buffer[:count])
        except OSError as error:
            raise UserError(f"cannot read {path}: {error.strerror or error}") from error
    return digest.hexdigest()


def cache_root(corpus: Path) -> Path:
    """The folder for what is derived from a corpus: inside it, or the user's cache when it may not be written to."""
    beside = corpus / _BESIDE
    # permission bits say what is meant, also to root, whom nothing stops
    if stat.S_IMODE(corpus.stat().st_mode) & 0o222 and os.access(corpus, os.W_OK):
        with suppress(OSError):
            beside.mkdir(exist_ok=True)
            # a link would have us write, and remove, wherever whoever made the corpus wants
            if not beside.is_symlink() and os.access(beside, os.W_OK | os.X_OK):  # else it is somebody else's
                return beside
    home = os.environ.get("XDG_CACHE_HOME", "")
    root = (Path(home) if os.path.isabs(home) else Path(os.path.expanduser("~/.cache"))) / "dowse" / "lab"
    why = "you have no home"  # then ~ stays what it is
    if root.is_absolute():
        try:
            root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            why = error.strerror or str(error)
        else:
            return root
    raise UserError(f"cannot write to {root}: {why}; set XDG_CACHE_HOME to a folder for caches")


def kept(
    root: Path, kind: str, version: str, digest: str, fill: Callable[[Path], None], load: Callable[[Path], T]
) -> T:  # fmt: skip
    """What ``load`` reads from the folder of this kind, which is made anew when it is damaged: a machine that lost its
    power may leave a folder in its place whose files are cut."""
    folder = whole_folder(root, kind, version, digest, fill)
    try:
        return load(folder)
    except _DAMAGED:
        shutil.rmtree(folder, ignore_errors=True)
    folder = whole_folder(root, kind, version, digest, fill)
    try:
        return load(folder)
    except _DAMAGED as error:
        raise UserError(f"cannot read {folder}, though it was written just now: {error}") from error


def whole_folder(root: Path, kind: str, version: str, digest: str, fill: Callable[[Path], None]) -> Path:
    """The folder of this kind for this corpus, made by ``fill`` when it is not there yet."""
    folder = root / f"{kind}-{version}-{digest}"
    if folder.is_dir():
        return folder
    try:
        partial = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", suffix=".part", dir=root))
        try:
            partial.chmod(0o755)  # a corpus may be shared
            fill(partial)
            with suppress(FileExistsError, OSError):  # another process was first: theirs is as good
                partial.rename(folder)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    except OSError as error:
        raise UserError(f"cannot write to {root}: {error.strerror or error}") from error
    if not folder.is_dir():
        raise UserError(f"cannot write to {root}: {folder.name} could not be put in its place")
    if root.name == _BESIDE:
        _remove_others(root, kind, folder)
    return folder


def _remove_others(root: Path, kind: str, kept: Path) -> None:
    """A crawl that goes on is another corpus each time; what was derived before it went on is of no use."""
    for folder in root.glob(f"{kind}-*"):
        if folder != kept and folder.suffix != ".part":
            shutil.rmtree(folder, ignore_errors=True)
