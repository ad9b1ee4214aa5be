"""``dowse objects`` as a user types it."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
from pathlib import Path

import pytest
from pyarrow import parquet

from dowse.engine.assembly.object_readers import object_readers
from dowse.engine.assembly.stored_objects import stored_objects
from dowse.loopback import LoopbackServer, Resource, Site, Web
from dowse.model.topic import Expression, StrategyChoice
from dowse.store.export import page_places
from tests.cli.labelled import mistake, said
from tests.engine.servers import crawl_all, topic_for

Capture = pytest.CaptureFixture[str]

JAZZ = """<title>Jazz</title><p>Tonight</p><script type="application/ld+json">{"@type": "Event", "name": "Jazz night",
"startDate": "2026-05-12T19:30", "location": {"@type": "Place", "name": "Brno"}}</script>"""
TEA = """<title>Tea</title><div itemscope itemtype="https://schema.org/Event"><b itemprop="name">
Tea \x1b[31m at five</b><i itemprop="location">Graz</i></div>"""
_GIGS = (("JAZZ night", "12. May 2026"), ("Go", "1/7/2026"))
OLD = "<title>Old</title><ul>" + "".join(f"<li class=gig><b>{name}</b> {day}, Brno</li>" for name, day in _GIGS)
WRAPPER = """
kind = "Event"
url = "/old*"
items = "li.gig"
[fields]
name = "b"
startDate = { regex = '\\d\\S+ .*\\d{4}|\\d+/\\S+\\d{4}', as = "date" }
location = { regex = '(\\w+)$' }
"""
READER = """
import os, re
import dowse

def gigs(page, html):
    assert page.url
    for name in re.findall(r"<li class=gig><b>(.*?)</b>", html):
        yield dowse.FoundObject("Gig", {"name": name, "pages": 1, "note": None, "open": True})
    if "Tea" in page.title:
        raise ValueError("no tea\\n today")
    if any(one.kind == "Event" for one in page.stated):
        yield {"name": "no object"}

def slow(page, html):
    yield dowse.FoundObject("Slow", {"name": "before"})
    if "Tea" in page.title:
        re.match("(a+)+$", "a" * 60 + "b")

def dies(page, html):
    if "Tea" in page.title:
        os.kill(os.getpid(), 9)
    yield dowse.FoundObject("Title", {"name": page.title})
"""


def resource(html: str) -> Resource:
    return Resource(html.encode(), "text/html; charset=utf-8")


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crawls") / "events"
    index = "<title>All</title>" + "".join(f"<a href=/{name}>{name}</a> " for name in ("jazz", "tea", "old", "text"))
    web = Web.of(
        Site("a.test", {
            "/": resource(index), "/jazz": resource(JAZZ), "/tea": resource(TEA), "/old": resource(OLD),
            "/text": Resource(JAZZ.encode(), "text/plain"),
        })
    )  # fmt: skip

    async def run() -> None:
        async with LoopbackServer(web) as server:
            predicate = Expression('object("Event").location == "brno" or url.contains("old")')
            bfs = StrategyChoice("bfs")  # of what as many say, what came first counts
            topic = topic_for(server.address, ["http://a.test/"], query="", predicate=predicate, strategy=bfs)
            await crawl_all(topic, folder)

    asyncio.run(run())
    return folder


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gigs.toml").write_text(WRAPPER, "utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path])


@pytest.fixture
def module(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """A module of functions, of a name that no other test imports."""
    name = f"readers_{abs(hash(request.node.name))}"
    (tmp_path / f"{name}.py").write_text(READER, "utf-8")
    return name


def test_the_predicate_saw_the_objects(crawl: Path) -> None:
    with sqlite3.connect(crawl / "dowse.sqlite") as connection:
        found = connection.execute("SELECT url FROM pages WHERE relevant ORDER BY url").fetchall()
    assert [url for (url,) in found] == ["http://a.test/jazz", "http://a.test/old"]


def test_a_table_and_counts(crawl: Path, capsys: Capture) -> None:
    out, err = said(capsys, "objects", str(crawl))
    assert sorted(line.split() for line in out.splitlines()) == [
        ["Event", "Jazz", "night", "2026-05-12", "Brno", "http://a.test/jazz"],
        ["Event", "Tea", "\\x1b[31m", "at", "five", "Graz", "http://a.test/tea"],
    ]
    assert err.splitlines() == ["2 objects on 2 of 5 pages", "       2 Event                   json-ld 1, microdata 1"]


def test_lines_are_as_the_docs_say(crawl: Path, capsys: Capture) -> None:
    out, _ = said(capsys, "objects", str(crawl), "--to", "jsonl", "--source", "json-ld")
    fields = {"name": "Jazz night", "startDate": "2026-05-12T19:30", "location": "Brno", "location.name": "Brno"}
    told = {"kind": "Event", "fields": fields, "url": "http://a.test/jazz", "source": "json-ld"}
    assert [json.loads(line) for line in out.splitlines()] == [told]
    out, err = said(capsys, "objects", str(crawl), "--to", "jsonl", "--wrapper", "gigs.toml", "--distinct")
    lines = [json.loads(line) for line in out.splitlines()]
    assert sorted(line["fields"]["name"] for line in lines) == ["Go", "Jazz night", "Tea \x1b[31m at five"]
    assert next(line["sources"] for line in lines if line["fields"]["name"] == "Jazz night") == [
        "http://a.test/jazz", "http://a.test/old",
    ]  # fmt: skip
    assert "4 objects on 3 of 5 pages; 3 distinct" in err
    assert "gigs 2" in err


def test_files(crawl: Path, tmp_path: Path, capsys: Capture) -> None:
    for name, start in (
        ("o.csv", b"kind,name,day,"),
        ("o.jsonl", b'{"kind"'),
        ("o.txt", b"Event"),
        ("o.parquet", b"PAR1"),
    ):
        out, _ = said(capsys, "objects", str(crawl), "-o", name)
        assert out == f"2 objects written to {name}\n"
        assert (tmp_path / name).read_bytes().startswith(start)
    assert "already exists" in mistake(capsys, "objects", str(crawl), "-o", "o.csv")
    said(capsys, "objects", str(crawl), "--distinct", "--force", "-o", "o.parquet")
    row = next(row for row in parquet.read_table(tmp_path / "o.parquet").to_pylist() if row["place"] == "Brno")
    assert (row["kind"], row["day"], row["n_sources"]) == ("Event", "2026-05-12", 1)
    assert json.loads(row["sources"]) == ["http://a.test/jazz"]


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["--kind", "event"], ["Jazz night", "Tea \x1b[31m at five"]),
        (["--kind", "Place"], []),
        (["--relevant"], ["Jazz night"]),
        (["--min-score", "0.9"], ["Jazz night"]),
        (["--source", "microdata", "--source", "gigs"], ["Tea \x1b[31m at five"]),
        (["--wrapper", "gigs.toml", "--source", "gigs"], ["JAZZ night", "Go"]),
    ],
)
def test_what_is_chosen(crawl: Path, capsys: Capture, options: list[str], names: list[str]) -> None:
    out, _ = said(capsys, "objects", str(crawl), "--to", "jsonl", *options)
    assert sorted(json.loads(line)["fields"]["name"] for line in out.splitlines()) == sorted(names)


def test_a_function_and_its_faults(crawl: Path, capsys: Capture, module: str) -> None:
    out, err = said(capsys, "objects", str(crawl), "--to", "jsonl", "--function", f"{module}:gigs", "--kind", "Gig")
    told = {"pages": 1.0, "open": True}
    assert [json.loads(line) for line in out.splitlines()] == [
        {"kind": "Gig", "fields": {"name": name, **told}, "url": "http://a.test/old", "source": f"{module}:gigs"}
        for name in ("JAZZ night", "Go")
    ]
    assert "readers failed on 2 pages, as here:" in err
    assert f"http://a.test/tea: {module}:gigs: ValueError: no tea" in err
    assert "http://a.test/jazz: " in err
    assert "not a dowse.FoundObject" in err


def test_what_hangs_or_dies_costs_its_page_only(crawl: Path, module: str) -> None:
    places = page_places(crawl)
    told: list[int] = []
    found = list(stored_objects(crawl, places, object_readers([], [f"{module}:slow"], []), told.append, 0.3))
    faults = {page.url: page.faults for page in found if page.faults}
    assert list(faults) == ["http://a.test/tea"]
    assert {one.kind for page in found for one in page.objects if page.url == "http://a.test/tea"} == {"Event", "Slow"}
    found = list(stored_objects(crawl, places, object_readers([], [f"{module}:dies"], []), told.append))
    assert [page.url for page in found] == [place.url for place in places]
    assert [page.url for page in found if page.faults] == ["http://a.test/tea"]
    titles = [one.fields["name"] for page in found for one in page.objects if one.kind == "Title"]
    assert sorted(map(str, titles)) == ["", "All", "Jazz", "Old"]
    assert told == [5, 5]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--min-score", "3"], "--min-score: must be a number from 0 to 1"),
        (["--similar", "90"], "--similar: must be a number from 0.5 to 1"),
        (["--to", "xml"], "--to: must be one of table, jsonl, csv, parquet, not 'xml'"),
        (["--to", "parquet"], "parquet cannot go to standard output"),
        (["-o", "o.xyz"], "does not tell its format"),
        (["--wrapper", "none.toml"], "none.toml: cannot read the wrapper: no such file"),
        (["--wrapper", "gigs.toml", "--wrapper", "./gigs.toml"], "two wrappers are called gigs"),
        (["--function", "gigs"], "'gigs' is no function: write MODULE:NAME"),
        (["--function", "no_such_module:gigs"], "cannot use no_such_module:gigs: ModuleNotFoundError"),
        (["--function", "os:sep"], "os:sep is no function"),
        (["--extractor", "gigs"], "no installed package has 'gigs'; there is none"),
    ],
)
def test_a_mistake_is_one_line(crawl: Path, capsys: Capture, options: list[str], told: str) -> None:
    assert told in mistake(capsys, "objects", str(crawl), *options)


def test_no_crawl(tmp_path: Path, capsys: Capture) -> None:
    assert "holds no crawl" in mistake(capsys, "objects", str(tmp_path / "none"))


def test_a_record_that_is_gone_is_counted(crawl: Path, tmp_path: Path, capsys: Capture) -> None:
    (copy := tmp_path / "copy").mkdir()
    (copy / "dowse.sqlite").write_bytes((crawl / "dowse.sqlite").read_bytes())
    out, err = said(capsys, "objects", str(copy))
    assert out == ""
    assert "pages without a readable record in the archive: 5, left out" in err


def test_a_wrapper_is_suggested_and_works(crawl: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "old.html").write_text(OLD, "utf-8")
    marks = ["old.html", "name=JAZZ night", "startDate=2026-05-12", "name=Go", "startDate=1/7/2026"]
    out, err = said(capsys, "objects", "suggest", *marks, "--kind", "Gig")
    assert 'kind = "Gig"' in out
    assert err.splitlines() == ["name: right on 2 of 2", "startDate: right on 2 of 2"]
    said(capsys, "objects", "suggest", *marks, "--kind", "Gig", "-o", "mine.toml")
    assert "already exists" in mistake(capsys, "objects", "suggest", *marks, "-o", "mine.toml")
    out, _ = said(capsys, "objects", str(crawl), "--wrapper", "mine.toml", "--kind", "Gig", "--to", "jsonl")
    assert [json.loads(line)["fields"] for line in out.splitlines()] == [
        {"name": "JAZZ night", "startDate": "2026-05-12"}, {"name": "Go", "startDate": "2026-07-01"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("marks", "told"),
    [
        (["name=Go"], "on which page? Name it first"),
        (["old.html"], "mark a value that stands on it"),
        (["old.html", "name=Nowhere"], "none of these values could be found"),
        (["none.html", "name=Go"], "cannot read none.html"),
        ([mark for n in range(11) for mark in (f"p{n}.html", "name=Go")], "11 pages: two or three are enough"),
    ],
)  # fmt: skip
def test_a_mistake_in_marks_is_one_line(tmp_path: Path, capsys: Capture, marks: list[str], told: str) -> None:
    (tmp_path / "old.html").write_text(OLD, "utf-8")
    assert told in mistake(capsys, "objects", "suggest", *marks)
