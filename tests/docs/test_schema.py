"""docs/schema.md describes the records as they are, and its queries and snippets run on a real crawl."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from dowse.model.http import FailureKind, Truncation
from dowse.model.page import Outcome
from dowse.model.records import PAGES
from dowse.store import CrawlStore
from dowse.store.export import COLUMNS
from tests.docs.markdown import DOCS, ROOT, blocks, codes, section, tables
from tests.docs.schema_reference import REGENERATE, reference

TEXT = (DOCS / "schema.md").read_text(encoding="utf-8")
QUERIES = blocks(TEXT, "sql")
SNIPPETS = blocks(TEXT, "python")

Columns = list[tuple[str, str]]  # name, type


def documented(kind: str) -> dict[str, Columns]:
    """What the page says of the tables or views: the first table under each heading."""
    found = {}
    for name in re.findall(r"^### `(\w+)`$", section(TEXT, kind), re.MULTILINE):
        rows = tables(section(TEXT, f"`{name}`"))[0][1:]
        found[name] = [(codes(row[0])[0], row[1] if kind == "Tables" else "") for row in rows]
    return found


def existing(folder: Path, kind: str) -> dict[str, Columns]:
    """What a database of a new crawl has."""
    CrawlStore.create(folder, {}, 0.0).close()
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = ? AND name NOT LIKE 'sqlite_%'", [kind])
        return {
            name: [
                (row[1], row[2] if kind == "table" else "") for row in connection.execute(f"PRAGMA table_info({name})")
            ]
            for (name,) in names.fetchall()
        }


def test_every_table_and_column_is_documented_and_none_invented(tmp_path: Path) -> None:
    real = existing(tmp_path / "crawl", "table")
    if sqlite3.sqlite_version_info < (3, 37):  # no STRICT tables yet, and so no type ANY
        real["statistics"][1] = ("value", "ANY")
    assert documented("Tables") == {name: real[name] for name in documented("Tables")}
    assert set(documented("Tables")) == set(real)


def test_columns_are_described_where_they_are_declared() -> None:
    assert reference(TEXT) == TEXT, f"write it anew: {REGENERATE}"


def test_every_view_and_column_is_documented_and_none_invented(tmp_path: Path) -> None:
    assert documented("Views") == existing(tmp_path / "crawl", "view")


def test_files_of_the_folder_are_documented(crawl: Path) -> None:
    named = {codes(row[0])[0] for row in tables(TEXT)[0][1:]}
    assert {path.name for path in crawl.iterdir()} <= named


def test_outcomes_and_reasons_are_those_of_the_code(crawl: Path) -> None:
    [table] = tables(section(TEXT, "How a URL ended: `outcome` and `reason`"))
    rows = {codes(row[0])[0]: codes(row[2]) for row in table[1:]}
    assert set(rows) == {outcome.value for outcome in Outcome}
    never_recorded = {FailureKind.ADDRESS, FailureKind.BUDGET, FailureKind.CANCELLED}
    assert {f"{kind}: ..." for kind in set(FailureKind) - never_recorded} <= set(rows["failed"])
    with closing(sqlite3.connect(crawl / "dowse.sqlite")) as connection:
        recorded = set(connection.execute("SELECT DISTINCT outcome, reason FROM pages WHERE reason <> ''"))
    assert {outcome for outcome, _ in recorded} >= {"fetched", "redirected", "failed"}
    for outcome, reason in recorded:
        shapes = (reason, re.sub(r"http [0-9]+", "http 404", reason), re.sub(r"(:| ).*", r"\1 ...", reason))
        assert any(shape in rows[outcome] for shape in shapes), (outcome, reason)


def test_truncations_are_those_of_the_code() -> None:
    [row] = [row for row in tables(section(TEXT, "`pages`"))[0] if row[0] == "`truncated`"]
    assert set(codes(row[2])) == {reason.value for reason in Truncation} - {""}


def test_event_kinds_are_those_of_the_code() -> None:
    [row] = [row for row in tables(section(TEXT, "`events`"))[0] if row[0] == "`kind`"]
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "src" / "dowse" / "engine").rglob("*.py")]
    raised = {kind for source in sources for kind in re.findall(r"\.event\(\s*\"([^\"]+)\"", source)}
    assert set(codes(row[2])) == raised


def test_the_export_leaves_out_what_the_reference_says() -> None:
    assert set(PAGES.names) - set(COLUMNS) == {"ordinal", "signature", "minhash"}
    assert set(COLUMNS) <= set(PAGES.names)


def test_there_are_enough_queries() -> None:
    assert len(QUERIES) >= 10


@pytest.mark.parametrize("query", [pytest.param(block.text, id=f"line {block.line}") for block in QUERIES])
def test_queries_run_and_find_something(query: str, crawl: Path) -> None:
    uri = f"{(crawl / 'dowse.sqlite').as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        assert connection.execute(query).fetchone() is not None


@pytest.mark.parametrize("snippet", [pytest.param(block.text, id=f"line {block.line}") for block in SNIPPETS])
def test_snippets_run(snippet: str, crawl: Path, tmp_path: Path) -> None:
    (tmp_path / "my-crawl").symlink_to(crawl)
    done = subprocess.run([sys.executable, "-c", snippet], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    written = [path for path in tmp_path.iterdir() if path.suffix == ".csv"]
    output = written[0].read_text(encoding="utf-8") if written else done.stdout
    assert len(output.splitlines()) >= 10


def test_the_body_read_from_the_archive_is_the_page(crawl: Path, web: str, tmp_path: Path) -> None:
    """The figures the first snippet prints are those of the records."""
    (tmp_path / "my-crawl").symlink_to(crawl)
    done = subprocess.run([sys.executable, "-c", SNIPPETS[0].text], cwd=tmp_path, capture_output=True, text=True)
    with closing(sqlite3.connect(crawl / "dowse.sqlite")) as connection:
        sizes = dict(connection.execute("SELECT url, body_bytes FROM pages"))
    for line in done.stdout.splitlines():
        size, *_, url = line.split()
        assert int(size) == sizes[url] > 0
