"""Keys of search engines: from the environment, or from a file that nobody else can read. Never from a command line,
which everybody on the machine can see; and no message shows one."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from dowse.model.errors import UserError
from dowse.model.private_files import config_folder, read_private

__all__ = ["KEYS_FILE", "Keys", "key_variable"]

KEYS_FILE = "DOWSE_KEYS"
"""The environment variable that names the file of keys."""
_LARGEST_FILE = 100_000
_is_key = re.compile(r"[!-~]{1,500}").fullmatch  # one word of plain ASCII: it stands in a header

_is_bare = re.compile(r"[\w-]+", re.ASCII).fullmatch  # as TOML takes a key without quotes


def key_variable(engine: str) -> str:
    """The environment variable that holds an engine's key.

    >>> key_variable("my-engine")
    'DOWSE_MY_ENGINE_KEY'
    """
    return f"DOWSE_{re.sub('[^A-Z0-9]+', '_', engine.upper())}_KEY"


class Keys:
    """Looks keys up when they are wanted: a file that is not needed is not read."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        named = environment.get(KEYS_FILE)
        self.path = Path(named).expanduser() if named else config_folder(environment) / "keys.toml"
        self._must_exist = bool(named)
        self._read: dict[str, object] | None = None

    def of(self, engine: str) -> str | None:
        """An engine's key; None when there is none. UserError when it cannot be one, or its file is open to others."""
        variable = key_variable(engine)
        found: object = self._environment.get(variable) or None
        where = variable
        if found is None:
            found, where = self._file().get(engine), f"{self.path}: {engine}"
        if found is None:
            return None
        if not isinstance(found, str) or not _is_key(found.strip()):
            raise UserError(f"{where} is no key: it must be one word of plain ASCII")
        return found.strip()

    def how(self, engine: str) -> str:
        """How to give an engine its key."""
        name = engine if _is_bare(engine) else f'"{engine}"'
        return f'set {key_variable(engine)} in the environment, or write {name} = "..." into {self.path}'

    def _file(self) -> dict[str, object]:
        if self._read is None:
            self._read = self._load()
        return self._read

    def _load(self) -> dict[str, object]:
        try:
            data = read_private(self.path, _LARGEST_FILE, "keys")
        except (FileNotFoundError, NotADirectoryError):
            if self._must_exist:
                raise UserError(f"{KEYS_FILE} names {self.path}, which is not there") from None
            return {}
        try:
            if len(data) > _LARGEST_FILE:
                raise ValueError
            return tomllib.loads(data.decode("utf-8-sig"))
        except ValueError:  # without the text of the error, which may quote a key
            raise UserError(f'{self.path} is no file of keys: write one a line, engine = "key"') from None
