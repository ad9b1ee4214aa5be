"""Where the results of search engines go: files, SQLite, a crawl. One class a kind of place.

A server's database is one more class with :class:`dowse.model.search.SeedTarget`'s two methods, and a package adds it
with the entry point ``dowse.targets``; its columns are those that the table declares.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from dowse.model.columns import Table
from dowse.model.errors import UserError
from dowse.model.files import check_writable, write_whole
from dowse.model.found import FOUND, FoundRow
from dowse.model.search import SeedTarget
from dowse.model.topic import Topic
from dowse.model.topicfile import topic_name
from dowse.store.crawl_store import CrawlStore
from dowse.store.export_formats import TEXT_FORMATS, write_text
from dowse.store.export_found import layout_of, values_of
from dowse.store.own_files import is_record
from dowse.store.rows import writer
from dowse.store.sharded import holds_crawl

__all__ = [
    "TARGETS", "CrawlTarget", "SqliteTarget", "TableFile", "TopicFile", "UrlFile", "collection_of", "merged",
    "seed_target",
]  # fmt: skip

_LONGEST_NAME = 255  # of a collection: it is a key of a database


class _File:
    """A file that appears once it is whole."""

    def __init__(self, path: Path, *, force: bool) -> None:
        self.path = path
        self._force = force

    def check(self) -> None:
        if is_record(self.path):
            raise UserError(f"{self.path} is a record of the crawl in {self.path.parent}: choose another name")
        check_writable(self.path, force=self._force)

    def _told(self, rows: Sequence[Any]) -> str:
        return f"{len(rows)} written to {self.path}"


class TableFile(_File):
    """JSON lines or CSV, with all columns."""

    def write(self, table: Table, rows: Sequence[Any]) -> str:
        form = "csv" if self.path.suffix.lower() == ".csv" else "jsonl"
        values = values_of(table, rows, parsed=form == "jsonl")
        write_whole(self.path, lambda path: write_text(values, layout_of(table), path, TEXT_FORMATS[form]))
        return self._told(rows)


class UrlFile(_File):
    """The first column that names something (a URL, a site), one a line: ``--seed`` reads it back."""

    def write(self, table: Table, rows: Sequence[Any]) -> str:
        name = "url" if "url" in table.names else next(column.field for column in table.columns if column.kind is str)
        text = "".join(f"{getattr(row, name)}\n" for row in rows)
        write_whole(self.path, lambda path: path.write_text(text, "utf-8", "replace"))
        return self._told(rows)


class TopicFile(_File):
    """A topic file with the seeds, and the words that found them."""

    def write(self, table: Table, rows: Sequence[Any]) -> str:
        if table is not FOUND:
            raise UserError(f"{self.path}: a topic file takes seeds, not {table.name.replace('_', ' ')}")
        queries = dict.fromkeys(find.query for row in rows for find in row.found_by())
        lines = [f"query = {_toml(' '.join(queries))}", "", "[seeds]", "urls = ["]
        lines += [f"  {_toml(row.url)},{f'  # {_comment(row.title)}' if row.title else ''}" for row in rows]
        text = "\n".join([*lines, "]", ""])
        write_whole(self.path, lambda path: path.write_text(text, "utf-8", "replace"))
        return f"{self._told(rows)}: change its query to what you want, then run dowse crawl {self.path}"


def _toml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", text)[:100]


class SqliteTarget:
    """A table of a SQLite file, made where it is missing; rows that are there stay, unless they are of the same URL."""

    def __init__(self, path: Path, *, force: bool = False) -> None:
        self.path = path

    def check(self) -> None:
        if is_record(self.path):
            raise UserError(f"{self.path} is a record of the crawl in {self.path.parent}: name the folder instead")
        if self.path.exists():
            self._connect().close()
        else:
            check_writable(self.path, force=False)

    def _connect(self) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(self.path, timeout=30.0)
            connection.execute("SELECT count(*) FROM sqlite_master")
        except sqlite3.Error as error:
            raise UserError(f"cannot write {self.path}: {error}") from None
        return connection

    def write(self, table: Table, rows: Sequence[Any]) -> str:
        columns = [column for column in table.columns if not column.stored.key]  # it numbers its own rows
        names = [column.name for column in columns]
        one = "url" if "url" in names else names[0]
        places = [table.names.index(name) for name in names]
        values = [[found[place] for place in places] for found in map(writer(table), rows)]
        defined = ", ".join(column.definition + (" UNIQUE" if column.name == one else "") for column in columns)
        marks = ", ".join("?" * len(names))
        with closing(self._connect()) as connection:
            try:
                with connection:
                    connection.execute(f"CREATE TABLE IF NOT EXISTS {table.name} ({defined})")
                    connection.executemany(
                        f"INSERT OR REPLACE INTO {table.name} ({', '.join(names)}) VALUES ({marks})", values
                    )
            except sqlite3.Error as error:
                raise UserError(f"cannot write {self.path}: {error}") from None
        return f"{len(rows)} written to the table {table.name} of {self.path}"


class CrawlTarget:
    """A crawl that is there: the seeds are taken up when it is resumed."""

    def __init__(self, folder: Path, *, force: bool = False) -> None:
        self.folder = folder

    def check(self) -> None:
        CrawlStore.open(self.folder).close()

    def write(self, table: Table, rows: Sequence[Any]) -> str:
        if table is not FOUND:
            raise UserError(f"{self.folder}: a crawl takes seeds, not {table.name.replace('_', ' ')}")
        with CrawlStore.open(self.folder) as store:
            store.put_found(merged(store.found(), rows))
        return f"{len(rows)} written to {self.folder}: dowse crawl --resume {self.folder} starts from them as well"


def merged(before: Sequence[FoundRow], rows: Sequence[FoundRow]) -> list[FoundRow]:
    """The rows to write: one that is there already is kept in its place, and found once more."""
    known = {row.url: row for row in before}
    last = max((row.id for row in before), default=-1)
    found = []
    for row in rows:
        old = known.get(row.url)
        if old is not None:
            old.finds += [find for find in row.finds if find not in old.finds]
            old.score = max(old.score, row.score)
            found.append(old)
        else:
            last += 1
            found.append(FoundRow(last, row.url, row.title, row.snippet, row.score, row.nearness, row.finds))
    return found


TARGETS: dict[str, Callable[..., SeedTarget]] = {
    ".jsonl": TableFile, ".ndjson": TableFile, ".csv": TableFile, ".txt": UrlFile, ".toml": TopicFile,
    ".sqlite": SqliteTarget, ".db": SqliteTarget,
}  # fmt: skip
"""How a file's name ends -> what writes it"""


def collection_of(topic: Topic) -> str:
    """The name of the set of resources that a topic fills or starts from."""
    return (" ".join(topic.seeds.collection.split()) or topic_name(topic))[:_LONGEST_NAME]


def seed_target(text: str, *, force: bool) -> SeedTarget:
    """What a path names; UserError when it tells no kind of place."""
    path = Path(text).expanduser()
    if path.is_dir():
        if not holds_crawl(path):
            raise UserError(f"{text} is a folder without a crawl: name a file, or the folder of a crawl")
        return CrawlTarget(path)
    kind = TARGETS.get(path.suffix.lower())
    if kind is None:
        raise UserError(
            f"{text!r} does not tell what to write: end it in {', '.join(TARGETS)}, or name a crawl's folder"
        )
    return kind(path, force=force)
