"""Files as engines: a list of URLs, or the results of an earlier search, with their titles and snippets."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from dowse.model.errors import UserError
from dowse.model.files import read_limited
from dowse.model.search import Ask, Query, Results, Said, SearchResult, Trouble, TroubleKind
from dowse.seeds.answers import plain_text
from dowse.seeds.files import read_seeds

__all__ = ["UrlList"]

_MOST_BYTES = 50_000_000
_LINES = (".jsonl", ".ndjson")


class UrlList:
    """The URLs of a file, in their order, whatever is asked: file:list.txt, .csv with a column url, or .jsonl."""

    delay_s = 0.0

    def __init__(self, base: str = "") -> None:
        if not base:
            raise UserError("file: names no file: write --engine file:list.txt")
        self._path = Path(base).expanduser()
        if not self._path.is_file():
            what = "that is a folder" if self._path.is_dir() else "there is no such file"
            raise UserError(f"--engine file:{base}: {what}")
        self.name = f"file:{self._path.name}"

    def say(self, query: Query) -> Said:
        unsaid = ("the whole list is taken, whatever the words",) if query.wanted else ()
        return Said("", unsaid)

    async def search(self, query: Query, page: int, ask: Ask) -> Results | Trouble:
        body = read_limited(self._path, _MOST_BYTES, "list of URLs")
        if self._path.suffix.lower() in _LINES:
            return _from_lines(body)
        told = _told(body)
        return Results(tuple(SearchResult(url, *told.get(url, ("", ""))) for url in read_seeds(body).urls))


def _from_lines(body: bytes) -> Results | Trouble:
    items = []
    for number, line in enumerate(body.splitlines(), 1):
        try:
            row = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):
            return Trouble(TroubleKind.FORMAT, f"line {number} is no JSON")
        if isinstance(row, dict) and isinstance(row.get("url"), str):
            title, snippet = (row.get(name) for name in ("title", "snippet"))
            items.append(SearchResult(
                row["url"], *(plain_text(text) if isinstance(text, str) else "" for text in (title, snippet))
            ))  # fmt: skip
    return Results(tuple(items))


def _told(body: bytes) -> dict[str, tuple[str, str]]:
    """Titles and snippets, where a table has them in columns of these names."""
    rows = csv.DictReader(io.StringIO(body.decode("utf-8-sig", "replace"), newline=""))
    try:
        names = {str(name).strip().lower(): name for name in rows.fieldnames or ()}
        if "url" not in names or not {"title", "snippet"} & names.keys():
            return {}
        found = {}
        for row in rows:
            url, title, snippet = (str(row.get(names.get(name, "")) or "") for name in ("url", "title", "snippet"))
            found[url.strip()] = (plain_text(title), plain_text(snippet))
        return found
    except csv.Error:
        return {}
