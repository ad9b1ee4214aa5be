"""Results of runs, kept: what was run once on the same corpus, plan and code is not run again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import xxhash

from dowse.lab.results import RunResult
from dowse.lab.source import source_version
from dowse.model.errors import UserError
from dowse.model.files import write_whole

__all__ = ["Kept"]


class Kept:
    """Results in a folder, a small file each, named by a digest of everything that decides them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, *decides: object) -> RunResult | None:
        """The result of a run; None when it was not run, or its file is damaged."""
        try:
            return cast(RunResult, json.loads(self._path(decides).read_text("utf-8"))["result"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, result: RunResult, *decides: object) -> None:
        """Write a result; whole or not at all. UserError when it cannot be written."""
        text = json.dumps({"of": [str(part) for part in decides], "result": result})
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(self._path(decides), lambda path: path.write_text(text, "utf-8"))
        except (OSError, UserError) as error:
            why = error.strerror if isinstance(error, OSError) else getattr(error.__cause__, "strerror", None)
            raise UserError(f"cannot keep runs in {self._folder}: {why or error}; --fresh keeps none") from None

    def _path(self, decides: tuple[object, ...]) -> Path:
        key = "\0".join(map(str, (source_version(), *decides)))
        return self._folder / f"{xxhash.xxh3_128_hexdigest(key.encode())}.json"
