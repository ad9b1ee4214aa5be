from __future__ import annotations

import csv
import io
import json
import sqlite3
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from dowse.model.batch import Batch
from dowse.model.errors import NotACrawl, StoreError, UserError
from dowse.store import CrawlStore, export
from dowse.store.export import COLUMNS, Chosen, PagePlace
from tests.store.made import WALL, page, url

TITLES = ["plain", 'quote " and, comma', "two\nlines", "ünïcode 漢字", "", "=1+1"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "crawl"
    with CrawlStore.create(folder, {}, WALL) as store:
        pages = [page(n, title=title, canonical=url(99)) for n, title in enumerate(TITLES)]
        store.commit(Batch(pages=pages[::-1]))
        store.commit(Batch(pages=[page(50, outcome="failed", score=None, relevant=None, archive=[], etag="x")]))
    return folder


def expected(n: int) -> dict[str, Any]:
    return {
        "id": n,
        "url": url(n),
        "title": TITLES[n],
        "score": n / 10,
        "relevant": n % 2 == 0,
        "depth": 0,
        "bytes": 10 * n,
    }


ORDER = [5, 4, 3, 2, 1, 0, 50]


def test_jsonl(folder: Path, tmp_path: Path) -> None:
    assert export(folder, "jsonl", tmp_path / "out.jsonl") == 7
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").split("\n")[:-1]]
    assert [row["id"] for row in rows] == ORDER
    for row in rows[:-1]:
        assert list(row) == list(COLUMNS)
        assert {name: row[name] for name in expected(0)} == expected(row["id"])
        assert row["canonical"] == url(99)
        assert row["verdict"] == [["similarity", 0.5, 1.0]]
        assert row["fetched_at"] == f"2023-11-14T22:13:2{row['id']}.250000Z"
        assert row["warc_file"] == "dowse-00000.warc.gz"
    assert (rows[-1]["relevant"], rows[-1]["score"], rows[-1]["warc_offset"]) == (None, None, None)


def test_csv(folder: Path, tmp_path: Path) -> None:
    assert export(folder, "csv", str(tmp_path / "out.csv"), chosen=Chosen(relevant=True)) == 3
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["id"] for row in rows] == ["4", "2", "0"]
    for row in rows:
        wanted = expected(int(row["id"]))
        assert (row["title"], float(row["score"]), row["relevant"]) == (wanted["title"], wanted["score"], "true")
        assert json.loads(row["verdict"]) == [["similarity", 0.5, 1.0]]
        assert row["duplicate_of"] == ""


def test_parquet(folder: Path, tmp_path: Path) -> None:
    assert export(folder, "parquet", tmp_path / "out.parquet") == 7
    table = parquet.read_table(tmp_path / "out.parquet")
    assert table.column_names == list(COLUMNS)
    rows = table.to_pylist()
    assert [row["id"] for row in rows] == ORDER
    for row in rows[:-1]:
        assert {name: row[name] for name in expected(0)} == expected(row["id"])
        assert row["fetched_at"] == datetime.fromtimestamp(WALL + row["id"], UTC)
    assert rows[-1]["relevant"] is None


def test_an_empty_crawl_still_has_its_columns(tmp_path: Path) -> None:
    CrawlStore.create(tmp_path / "crawl", {}, WALL).close()
    assert export(tmp_path / "crawl", "parquet", tmp_path / "a") == 0
    assert parquet.read_table(tmp_path / "a").column_names == list(COLUMNS)
    assert export(tmp_path / "crawl", "csv", tmp_path / "b") == 0
    assert (tmp_path / "b").read_text() == ",".join(COLUMNS) + "\n"


@pytest.mark.parametrize("to", ["jsonl", "csv"])
def test_standard_output(folder: Path, tmp_path: Path, to: str, capsys: pytest.CaptureFixture[str]) -> None:
    export(folder, to, "-")
    export(folder, to, tmp_path / "out")
    with (tmp_path / "out").open(encoding="utf-8", newline="") as stream:
        assert capsys.readouterr().out == stream.read()


def test_more_rows_than_are_held_at_a_time(tmp_path: Path) -> None:
    with CrawlStore.create(tmp_path / "crawl", {}, WALL) as store:
        store.commit(Batch(pages=[page(n, archive=[]) for n in range(4100)]))
    assert export(tmp_path / "crawl", "parquet", tmp_path / "out") == 4100
    assert parquet.read_table(tmp_path / "out", columns=["id"])["id"].to_pylist() == list(range(4100))
    assert parquet.ParquetFile(tmp_path / "out").metadata.num_row_groups == 3


def test_a_file_appears_whole_or_not_at_all(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["dowse.store.export"]  # the package's name of it is the function
    out = tmp_path / "out.jsonl"
    out.write_text("what was there before")
    real = module._pages

    def torn(*args: Any, **options: Any) -> Any:
        for number, row in enumerate(real(*args, **options)):
            if number == 3:
                raise OSError(28, "No space left on device")
            yield row

    monkeypatch.setattr(module, "_pages", torn)
    for to in ("jsonl", "parquet"):
        with pytest.raises(UserError, match=r"cannot write .*: No space left"):
            export(folder, to, out)
    assert out.read_text() == "what was there before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["crawl", "out.jsonl"]


def test_mistakes_are_told(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="jsonl, csv, parquet, md"):
        export(folder, "xml", tmp_path / "out")
    with pytest.raises(UserError, match="name a file"):
        export(folder, "parquet", "-")
    with pytest.raises(UserError, match="cannot write"):
        export(folder, "csv", tmp_path / "no" / "folder" / "out")
    with pytest.raises(NotACrawl):
        export(tmp_path, "csv", tmp_path / "out")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UserError, match=r"dowse\[parquet\]"):
        export(folder, "parquet", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_stream_may_be_anything(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    assert export(folder, "jsonl", "-", chosen=Chosen(relevant=True)) == 3
    assert len(stream.getvalue().splitlines()) == 3


def exported(folder: Path, out: Path, *titles: str) -> list[dict[str, str]]:
    """The titles of pages as a reader of CSV finds them."""
    with CrawlStore.create(folder, {}, WALL) as store:
        store.commit(Batch(pages=[page(n, title=title, etag=title) for n, title in enumerate(titles)]))
    export(folder, "csv", out)
    with out.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_no_cell_of_a_table_is_a_formula(tmp_path: Path) -> None:
    formulas = ["=cmd|' /C calc'!A0", "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1", "\n=1"]
    harmless = ["a=b", " =1", "'=1", "", "–1", "1-2"]
    rows = exported(tmp_path / "crawl", tmp_path / "out.csv", *formulas, *harmless)
    for column in ("title", "etag"):
        assert [row[column] for row in rows] == [*(f"'{text}" for text in formulas), *harmless]
    assert [row["bytes"] for row in rows] == [str(10 * n) for n in range(len(rows))], "numbers stay numbers"


def test_a_negative_number_stays_one(tmp_path: Path) -> None:
    with CrawlStore.create(tmp_path / "crawl", {}, WALL) as store:
        store.commit(Batch(pages=[page(0, similarity=-0.25)]))
    export(tmp_path / "crawl", "csv", tmp_path / "out.csv")
    assert ",-0.25," in (tmp_path / "out.csv").read_text("utf-8")


ODD = ["nul \0 nul", "lone \udc80 surrogate", "\x1b[2J\x9b\u202e", "x" * 10_000_000, "\U0010ffff\ufeff", "\r\n\t"]


def test_odd_text_is_written_and_read_back(tmp_path: Path) -> None:
    with CrawlStore.create(tmp_path / "crawl", {}, WALL) as store:
        store.commit(Batch(pages=[page(n, title=title) for n, title in enumerate(ODD)]))
    kept = [title.replace("\udc80", "\ufffd") for title in ODD]
    export(tmp_path / "crawl", "parquet", tmp_path / "out.parquet")
    assert parquet.read_table(tmp_path / "out.parquet", columns=["title"])["title"].to_pylist() == kept
    export(tmp_path / "crawl", "jsonl", tmp_path / "out.jsonl")
    lines = (tmp_path / "out.jsonl").read_text("utf-8").split("\n")[:-1]
    assert [json.loads(line)["title"] for line in lines] == kept
    assert not any(char in line for line in lines for char in "\x1b\x9b\u202e\0")


def test_a_terminal_gets_no_control_characters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    exported(tmp_path / "crawl", tmp_path / "out.csv", "\x1b[2Jred\x9b\u202e")
    assert "\x1b[2Jred\x9b\u202e" in (tmp_path / "out.csv").read_text("utf-8"), "a file keeps what there was"
    stream = Terminal()
    monkeypatch.setattr(sys, "stdout", stream)
    export(tmp_path / "crawl", "csv", "-")
    assert r"\x1b[2Jred\x9b\u202e" in stream.getvalue()


@pytest.mark.parametrize(
    "change",
    ["fetched_at = 'soon'", "verdict = '[1'", "verdict = '[NaN]'", "score = 9e999", "title = CAST(x'ff' AS TEXT)"],
)
def test_rows_that_are_none_are_told(folder: Path, tmp_path: Path, change: str) -> None:
    with closing(sqlite3.connect(folder / "dowse.sqlite", isolation_level=None)) as records:
        records.execute(f"UPDATE pages SET {change} WHERE id = 3")
    for to in ("jsonl", *(() if "verdict" in change else ("csv", "parquet"))):
        with pytest.raises(StoreError):
            export(folder, to, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_markdown_of_a_page_is_text_and_nothing_else(tmp_path: Path) -> None:
    title = "# <script>x</script> [a](b) ![p](q) *b* 1. `c` &amp;"
    with CrawlStore.create(tmp_path / "crawl", {}, WALL) as store:
        store.commit(Batch(pages=[page(0, title=title, score=0.5)]))
    hostile = "- one\n\n<img src=x>\n    code\n> quote"
    assert export(tmp_path / "crawl", "md", tmp_path / "out.md", text_of=lambda _: hostile) == 1
    said = (tmp_path / "out.md").read_text("utf-8")
    signs = r"\# \<script\>x\</script\> \[a\]\(b\) \!\[p\]\(q\) \*b\* 1\. \`c\` \&amp;"
    assert said.startswith(f"## {signs}\n\n<{url(0)}>  \nscore 0.500, relevant  \nfetched 2023-11-14T22:13:20Z\n\n")
    assert said.endswith("\\- one\n\n\\<img src=x\\>\n\ncode\n\n\\> quote\n")


def test_a_page_is_chosen_by_all_that_is_asked(folder: Path, tmp_path: Path) -> None:
    asked: list[str] = []

    def where(place: PagePlace) -> bool:
        asked.append(place.url)
        return place.url != url(4)

    assert export(folder, "jsonl", tmp_path / "a", chosen=Chosen(relevant=True, min_score=0.2, where=where)) == 1
    assert asked == [url(4), url(2)], "the records are asked first"
