"""docs/extending.md: its strategy, judge and transport crawl, keep the contract, and can be packaged."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

import dowse
from dowse.loopback import Resource, Site, Web, in_thread
from dowse.loopback.web import Ask
from tests.docs.markdown import DOCS, blocks, codes, tables

TEXT = (DOCS / "extending.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the modules of the page, installed as its pyproject.toml says, and a web in files."""
    folder = tmp_path_factory.mktemp("project")
    for block in blocks(TEXT, "python"):
        named = re.match(r"# (\w+\.py)\n", block.text)
        (folder / (named[1] if named else "main.py")).write_text(block.text, "utf-8")
    [toml] = blocks(TEXT, "toml")
    told = tomllib.loads(toml.text)["project"]
    info = folder / f"{told['name'].replace('-', '_')}-{told['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {told['name']}\nVersion: {told['version']}\n", "utf-8"
    )
    groups = told["entry-points"]
    groups["dowse.strategies"]["broken"] = "no_such_module:Strategy"
    groups["dowse.strategies"]["bfs"] = "near_good:NearGood"
    groups["dowse.judges"]["no-judge"] = "near_good:NearGood"
    groups["dowse.converters"]["pdf"] = "no_such_module:Pdf"
    lines = [line for group, entries in groups.items() for line in (f"[{group}]", *map(" = ".join, entries.items()))]
    (info / "entry_points.txt").write_text("\n".join(lines), "utf-8")
    [web] = [block for block in blocks(TEXT, "sh") if block.text.startswith("mkdir")]
    subprocess.run(["sh", "-e", "-c", web.text], cwd=folder, check=True)
    return folder


def run(project: Path, *command: str, code: int = 0, **more: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(map(str, (project, Path(dowse.__file__).parents[1])))  # the dowse that is tested
    environment = {**os.environ, "PYTHONPATH": path, "COLUMNS": "200", **more}
    done = subprocess.run(
        [sys.executable, "-W", "error", *command], cwd=project, capture_output=True, text=True, env=environment,
        check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr + done.stdout
    assert "Traceback" not in done.stderr
    return done


def test_the_program_crawls_with_all_three(project: Path) -> None:
    [shown] = blocks(TEXT, "text")
    told = run(project, "main.py").stdout.splitlines()
    assert sorted(told[:-1]) == sorted(shown.text.splitlines()[:-1])
    assert told[-1] == shown.text.splitlines()[-1]
    why = run(project, "-m", "dowse", "why", "my-crawl", "http://portal.test/long").stdout
    assert "similarity, by length" in why
    assert "by near-good" in why
    assert "a near page's score" in why


def test_the_contract_is_kept(project: Path) -> None:
    done = run(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_contract.py")
    assert re.search(r"\d+ passed", done.stdout)


def test_the_package_holds_what_its_entry_points_name() -> None:
    [block] = blocks(TEXT, "toml")
    toml = tomllib.loads(block.text)
    named = [entry for group in toml["project"]["entry-points"].values() for entry in group.values()]
    assert sorted(toml["tool"]["setuptools"]["py-modules"]) == sorted(entry.partition(":")[0] for entry in named)


def test_every_column_of_links_is_named() -> None:
    named = {name for row in tables(TEXT)[1][1:] for name in codes(row[0])}
    assert named == {field.name for field in fields(dowse.LinkView)}


def test_what_is_installed_is_listed(project: Path) -> None:
    told = run(project, "-m", "dowse", "strategies").stdout
    assert re.search(r"near-good +The score of the best page .* \(near-good 1\.0\)\n +decay=0\.8", told)
    assert re.search(r"broken +the strategy broken of the package near-good 1\.0 cannot be used: ModuleNotFound", told)
    assert "not used, Dowse has one of this name" in told
    told = run(project, "-m", "dowse", "plugins").stdout
    assert "judge long-read (near-good 1.0): Pages on the topic that are worth sitting down for.\n" in told
    assert "converter pdf (near-good 1.0): the converter pdf of the package near-good 1.0 cannot be used: " in told
    assert all(line.count("\n") == 0 for line in told.splitlines())


def test_installed_names_work_on_the_command_line(project: Path, web: str) -> None:
    (project / "topic.toml").write_text('query = "perovskite solar cells"\n[judge]\nmethod = "long-read"\n', "utf-8")
    at = ("--resolve", f"*.dowse.test={web}", "--allow-private", "--delay", "0")
    seed = ("--seed", "http://portal.dowse.test/", "-b", "20p", "--workers", "1")
    for out, strategy in (("a", ("near-good:decay=0.5",)), ("b", ("near-good", "--param", "decay=0.5"))):
        run(project, "-m", "dowse", "crawl", "topic.toml", "--strategy", *strategy, "-o", out, *seed, *at)
        with dowse.open_crawl(project / out) as crawl:
            assert crawl.topic()["strategy"] == {
                "name": "near-good", "params": {"decay": 0.5}, "maximise": "value", "learn_from": [],
                "traces": "", "min_priority": None,
            }  # fmt: skip
            page = crawl.top_pages(1)[0]
            assert page.reasons[0][0] == "similarity, by length"
    more = run(project, "-m", "dowse", "crawl", "--resume", "a", "-b", "25p", *at)
    assert "25 pages" in more.stderr
    judged = run(project, "-m", "dowse", "judge", "web/portal.test/long", "--topic", "topic.toml").stdout
    assert re.search(r"relevant: long-read 0\.\d+, threshold 0\.0500", judged)
    assert "similarity, by length" in judged


SHELF = """
class Shelf:
    def __init__(self, address):
        self.address = address

    def check(self):
        pass

    def write(self, table, rows):
        return f"{len(rows)} of {table.names[1]} to {self.address}"
"""  # a target


def test_an_engine_and_a_target_of_a_package_work(project: Path) -> None:
    def answer(ask: Ask) -> Resource:
        asked = parse_qs(urlsplit(ask.target).query)
        if ask.headers.get("x-key") != "key-of-lantern" or asked["q"] != ["größe solar"]:
            return Resource(b"no", status=403)
        rows = [{"link": "http://a.test/", "headline": "Solar", "teaser": "cells"}] if asked["page"] == ["0"] else []
        return Resource(json.dumps({"articles": rows}).encode(), "application/json")

    (project / "shelf.py").write_text(SHELF, "utf-8")
    entry_points = next(project.glob("*.dist-info")) / "entry_points.txt"
    entry_points.write_text(entry_points.read_text("utf-8") + "\n[dowse.targets]\nshelf = shelf:Shelf\n", "utf-8")
    with in_thread(Web.of(Site("lantern.test", {}, {"/search": answer}))) as server:
        at = ("--resolve", f"*.test={server.address}", "--allow-private")
        engine = ("--engine", "lantern:http://lantern.test", "--to", "shelf:two")
        done = run(
            project, "-m", "dowse", "seeds", "größe OR x solar", *engine, *at,
            DOWSE_LANTERN_LANTERN_TEST_KEY="key-of-lantern",
        )  # fmt: skip
        refused = run(project, "-m", "dowse", "seeds", "größe solar", *engine, *at, code=2)
    assert "http://a.test/\n    Solar  (lantern 1)\n    cells\n" in done.stdout
    assert "1 of url to shelf:two" in done.stdout
    assert "lantern: x is not asked for: it knows no OR" in done.stderr
    assert "dowse: nothing was found: lantern: http 403" in refused.stderr
    listed = run(project, "-m", "dowse", "plugins").stdout
    assert "search engine lantern (near-good 1.0): The archive of a newspaper" in listed


def test_a_converter_of_a_package_reads_what_comes(project: Path) -> None:
    said = b"1\n00:00:01,000 --> 00:00:02,000\nThe perovskite solar cells\n\n2\n00:00:03,000 --> 00:00:04,000\nshine.\n"
    film = Resource(said, "application/x-subrip")
    silent = Resource(b"1\n00:00:01,000 --> 00:00:02,000\n\n", "application/x-subrip")
    start = Resource(b"<a href=/film.srt>solar film</a> <a href=/silent.srt>solar silence</a>")
    with in_thread(Web.of(Site("film.test", {"/": start, "/film.srt": film, "/silent.srt": silent}))) as server:
        at = ("--resolve", f"*.test={server.address}", "--allow-private", "--delay", "0")
        crawl = ("perovskite solar cells", "--seed", "http://film.test/", "-o", "films", *at)
        done = run(project, "-m", "dowse", "crawl", *crawl, "--workers", "1")
        judged = run(project, "-m", "dowse", "judge", "http://film.test/film.srt", "--topic", "solar cells", *at[:3])
    assert "the converter pdf of the package near-good 1.0 cannot be used" in done.stderr  # and nothing else is wrong
    with dowse.open_crawl(project / "films") as records:
        page, lost = records.page("http://film.test/film.srt"), records.page("http://film.test/silent.srt")
    assert page is not None
    assert lost is not None
    assert (page.kind, page.title, page.outcome) == ("x-subrip", "The perovskite solar cells", "fetched")
    assert (lost.outcome, lost.reason) == ("failed", "document: ValueError: nobody says anything")
    assert judged.stdout.startswith("The perovskite solar cells\nrelevant")
    assert (
        "converter subtitles (near-good 1.0): What is said in a film" in run(project, "-m", "dowse", "plugins").stdout
    )


def test_an_extractor_of_a_package_is_asked(project: Path) -> None:
    page = Resource(b"<title>Bread</title><p>Bake it for 40 minutes, then eat it within 3 days.</p>")
    with in_thread(Web.of(Site("bread.test", {"/": page}))) as server:
        at = ("--resolve", f"*.test={server.address}", "--allow-private", "--delay", "0", "--workers", "1")
        run(project, "-m", "dowse", "crawl", "bread", "--seed", "http://bread.test/", "-o", "bread", *at)
    done = run(project, "-m", "dowse", "objects", "bread", "--extractor", "minutes", "--to", "jsonl")
    assert json.loads(done.stdout) == {
        "kind": "Recipe", "fields": {"name": "Bread", "minutes": 40.0}, "url": "http://bread.test/",
        "source": "minutes",
    }  # fmt: skip
    assert "there is minutes" in run(project, "-m", "dowse", "objects", "bread", "--extractor", "hours", code=2).stderr


@pytest.mark.parametrize(
    ("topic", "options", "told"),
    [
        ("", ("--strategy", "near-god"), "no strategy is called 'near-god'; did you mean near-good? there are"),
        (
            "",
            ("--strategy", "broken"),
            "the strategy broken of the package near-good 1.0 cannot be used: ModuleNotFound",
        ),
        ("", ("--strategy", "near-good:dekay=1"), "strategy near-good has no parameter 'dekay'; it takes decay"),
        (
            'method = "longread"',
            (),
            "judge.method: no judge is called 'longread': there are learned, similarity, erid, long-read",
        ),
        (
            'method = "no-judge"',
            (),
            "NearGood is no judge: it has no threshold, needs_text, needs_objects, can_be_sent,",
        ),
    ],
)
def test_mistakes_are_told_on_one_line(project: Path, topic: str, options: tuple[str, ...], told: str) -> None:
    (project / "wrong.toml").write_text(f'query = "solar"\n[judge]\n{topic}\n', "utf-8")
    done = run(project, "-m", "dowse", "crawl", "wrong.toml", "--seed", "http://a.test/", *options, code=2)
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
