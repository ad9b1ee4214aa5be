"""Has a database what a crawl's folder has? Asked in plain SQL on both sides, without any of Dowse's own code."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

__all__ = ["asked", "by_url", "check_same", "drop_all", "in_database", "in_folder"]

_DRIVERS = {"postgresql": "postgresql+psycopg", "mysql": "mysql+pymysql", "sqlite": "sqlite"}
_FLAGS = ("relevant", "first_relevant")
_NOT_PUBLISHED = {"pages": ("ordinal", "signature", "minhash"), "sites": ()}

Rows = dict[int, dict[str, Any]]


def _engine(url: str) -> sa.Engine:
    scheme, _, rest = url.partition("://")
    return sa.create_engine(f"{_DRIVERS[scheme]}://{rest}", poolclass=sa.NullPool)


def asked(url: str, query: str) -> list[dict[str, Any]]:
    """What a database answers, row by row."""
    with _engine(url).connect() as connection:
        return [
            {name: _plain(value) for name, value in row.items()}
            for row in connection.execute(sa.text(query)).mappings()
        ]


def drop_all(url: str) -> None:
    """Leave a database empty."""
    engine = _engine(url)
    there = sa.MetaData()
    there.reflect(engine)
    there.drop_all(engine)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        moment = value.astimezone(UTC) if value.tzinfo else value
        return moment.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
    if isinstance(value, (memoryview, bytearray)):
        return bytes(value)
    return int(value) if isinstance(value, bool) else value


def in_database(url: str, table: str, crawl: int) -> Rows:
    found = asked(url, f"SELECT * FROM {table} WHERE crawl = {crawl}")
    rows = {row["id"]: {name: value for name, value in row.items() if name != "crawl"} for row in found}
    assert len(rows) == len(found), "a row is there twice"
    return rows


def in_folder(folder: Path, table: str) -> Rows:
    with closing(sqlite3.connect(f"file:{folder / 'dowse.sqlite'}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        sites = dict(connection.execute("SELECT id, site FROM candidates").fetchall())
        rows: Rows = {}
        for row in connection.execute(f"SELECT * FROM {table}"):
            values = {name: row[name] for name in row.keys() if name not in _NOT_PUBLISHED[table]}  # noqa: SIM118
            if table == "pages":
                values["site"] = sites.get(row["id"])
                values["url_hash"] = hashlib.sha256(row["url"].encode()).digest()
            rows[row["id"]] = {
                name: value.replace("\x00", "\ufffd") if isinstance(value, str) else value
                for name, value in values.items()
            }
        return rows


def by_url(pages: Rows, sites: Rows) -> dict[str, dict[str, Any]]:
    """Pages as they are whatever numbers they have; sites that nobody has asked are left out."""
    urls = {number: row["url"] for number, row in pages.items()}
    found = {}
    for row in pages.values():
        numbers = {"site": sites[row["site"]]["origin"], "duplicate_of": urls.get(row["duplicate_of"])}
        found[row["url"]] = {**{name: value for name, value in row.items() if name != "id"}, **numbers}
    asked_at = {row["origin"]: {**row, "id": 0} for row in sites.values() if row["requests"]}
    return {**found, **asked_at}


def check_same(url: str, folder: Path) -> None:
    """Everything of the folder is in the database, once, and nothing else is."""
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as connection:
        [(uuid,)] = connection.execute("SELECT value FROM meta WHERE name = 'crawl'")
        [(last,)] = connection.execute("SELECT ifnull(max(number), 0) FROM changes")
    [crawl] = asked(url, f"SELECT * FROM crawls WHERE uuid = '{uuid}'")
    for table in ("pages", "sites"):
        assert in_database(url, table, crawl["id"]) == in_folder(folder, table)
    assert (crawl["mark"], crawl["changes"], crawl["folder"]) == (last, last, str(folder))
