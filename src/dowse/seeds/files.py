"""Seed lists: a URL a line, or a table with a column named ``url``. A bad line is reported, never fatal."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dowse.model.errors import TopicError
from dowse.model.url import canonical

__all__ = ["Problem", "SeedList", "load_seeds", "read_seeds"]

_COMMENT = re.compile(r"(?:^|\s)#.*")
_BARE_HOST = re.compile(r"(?:[\w-]+\.)+[a-zA-Z][\w-]*(?::\d+)?(?:[/?].*)?")
_DELIMITERS = ",;\t|"
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Problem:
    """A line that brought no seed, and why."""

    line: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class SeedList:
    """Canonical URLs in the order of the list, each once, and the lines that could not be read."""

    urls: tuple[str, ...]
    problems: tuple[Problem, ...] = ()


def load_seeds(path: str | Path) -> SeedList:
    """Read a seed list from a file; a missing or unreadable file is the user's to mend."""
    try:
        return read_seeds(Path(path).read_bytes())
    except OSError as error:
        raise TopicError(f"cannot read the seed list: {error.strerror}", source=str(path)) from None


def read_seeds(body: bytes) -> SeedList:
    """Read a seed list. ``#`` starts a comment (within a line, after a blank); a bare host name means https.

    >>> read_seeds(b"https://example.org/a\\n# more\\nexample.com\\nnot a url\\n")
    SeedList(urls=('https://example.org/a', 'https://example.com/'), problems=(Problem(line=4, reason="'not a url' is \
not a web address"),))
    """
    urls: dict[str, None] = {}
    problems: list[Problem] = []
    for number, cell in _cells(_decode(body)):
        url = _seed_url(cell) if cell else None
        if url is not None:
            urls[url] = None
        else:
            shown = cell if len(cell) <= _SHOWN else cell[:_SHOWN] + "..."
            problems.append(Problem(number, f"{shown!r} is not a web address" if cell else "the url column is empty"))
    return SeedList(tuple(urls), tuple(problems))


def _decode(body: bytes) -> str:
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return body.decode("utf-16", "replace")
    return body.decode("utf-8-sig", "replace")


def _seed_url(text: str) -> str | None:
    if "://" not in text and _BARE_HOST.fullmatch(text):
        text = "https://" + text
    return canonical(text) if "://" in text and not re.search(r"\s", text) else None


def _cells(text: str) -> Iterator[tuple[int, str]]:
    """(line number, what should be a URL) of each line that is neither blank nor a comment."""
    lines = re.split(r"\r\n|\n|\r", text)
    written = [(number, line) for number, line in enumerate(lines, 1) if _COMMENT.sub("", line).strip()]
    if not written:
        return
    table = _table_layout(written[0][1])
    if table is None:
        for number, line in written:
            yield number, _COMMENT.sub("", line).strip()
        return
    yield from _rows(lines[written[0][0] :], written[0][0], *table)


def _rows(lines: list[str], number: int, delimiter: str, column: int) -> Iterator[tuple[int, str]]:
    rows = csv.reader((line + "\n" for line in lines), delimiter=delimiter)
    while True:
        first = number + rows.line_num + 1
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error:  # a cell beyond every size: the reader goes on behind it
            yield first, ""
            continue
        if "".join(row).strip() and not row[0].lstrip().startswith("#"):
            yield first, row[column].strip() if column < len(row) else ""


def _table_layout(header: str) -> tuple[str, int] | None:
    """Delimiter and position of the ``url`` column when the first line is the header of a table."""
    for delimiter in _DELIMITERS:
        names = [name.strip().strip('"').lower() for name in header.split(delimiter)]
        if "url" in names:
            return delimiter, names.index("url")
    return None
