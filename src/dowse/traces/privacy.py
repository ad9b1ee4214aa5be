"""Who went where is nobody's business: a user becomes a number that only the owner of a key can find again.

The number is the first half of HMAC-SHA256 of the user as the log names him, 64 bits of it. The key is made once, by
chance, and stays in a file of its owner's; logs that are imported with it later give the same people the same numbers,
and nobody without it can try names or addresses until one fits. Who holds the key can: it belongs to the log, not to
what is shared.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from pathlib import Path

from dowse.model.errors import UserError
from dowse.model.private_files import config_folder, make_private, read_private
from dowse.traces.remembered import Remembered

__all__ = ["UserKey", "default_key_file", "open_key"]

_KEY_BYTES = 32
_LARGEST_FILE = 1000
_MARK = b"dowse: which key was it?"  # no user: it is longer than 64 bits tell, and begins with no address


def default_key_file(environment: Mapping[str, str]) -> Path:
    """Where a user's key is, unless another is named."""
    return config_folder(environment) / "traces.key"


def open_key(path: Path, chance: Callable[[int], bytes]) -> UserKey:
    """The key in a file, which is made where there is none. UserError when others can read it, or it is no key."""
    try:
        data = _read(path)
    except FileNotFoundError:
        try:
            make_private(path, chance(_KEY_BYTES).hex().encode() + b"\n")
        except FileExistsError:  # somebody else was quicker: theirs it is
            pass
        except OSError as error:
            raise UserError(f"cannot write a key to {path}: {(error.strerror or str(error)).lower()}") from None
        data = _read(path)
    return UserKey(_checked(data, path))


def _read(path: Path) -> bytes:
    try:
        return read_private(path, _LARGEST_FILE, "a key")
    except NotADirectoryError:
        raise UserError(f"cannot read a key from {path}: a part of that path is no folder") from None


def _checked(data: bytes, path: Path) -> bytes:
    try:
        key = bytes.fromhex(data.decode("ascii").strip())
    except ValueError:  # without its text, which is the key
        key = b""
    if len(key) != _KEY_BYTES:
        raise UserError(f"{path} holds no key: it is one line of {2 * _KEY_BYTES} hexadecimal digits")
    return key


class UserKey:
    """Turns users into numbers. Users of the last while are remembered: a log mostly goes on with the same people."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._known: Remembered[int] = Remembered()

    @property
    def mark(self) -> str:
        """Tells whether two sets of traces were made with one key, and nothing else of it."""
        return f"{self._hash(_MARK):016x}"

    def number(self, user: bytes) -> int:
        """A user's number, of 64 bits."""
        found = self._known.get(user)
        return self._known.keep(user, self._hash(user)) if found is None else found

    def _hash(self, text: bytes) -> int:
        return int.from_bytes(hmac.digest(self._key, text, "sha256")[:8], "big")
