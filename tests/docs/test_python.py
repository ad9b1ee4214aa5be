"""docs/python.md: the examples run against the demo's web, and the tables name what there is."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import dowse
from dowse.engine.assembly.api import crawl
from dowse.engine.page.pages import Fetched
from dowse.model.facts import PageFacts
from dowse.model.page import Verdict
from tests.docs.markdown import DOCS, blocks, codes, section, tables

TEXT = (DOCS / "python.md").read_text(encoding="utf-8")
ADDRESS = "127.0.0.1:8000"  # as in the examples


def run(code: str, folder: Path) -> str:
    """What a program prints; warnings are errors, as everywhere in the tests."""
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout


def test_the_examples_run_in_order(web: str, tmp_path: Path) -> None:
    [topic] = blocks(TEXT, "toml")
    assert ADDRESS in topic.text
    (tmp_path / "topic.toml").write_text(topic.text.replace(ADDRESS, web))
    first, read, second, last = (run(block.text.replace(ADDRESS, web), tmp_path) for block in blocks(TEXT, "python"))
    assert all(re.fullmatch(r"[01]\.\d\d http://\S+\.dowse\.test/\S* .+", line) for line in first.splitlines())
    assert len(first.splitlines()) > 3
    assert re.fullmatch(r"\d+ relevant pages\n", second)
    assert int(second.split()[0]) > 3
    assert re.match(r"\d+ of \d+ pages are relevant\n[01]\.\d\d http://", read)
    assert last == ""
    assert (tmp_path / "my-crawl" / "dowse.sqlite").is_file()
    assert (tmp_path / "my-second-crawl" / "dowse.sqlite").is_file()


def test_the_arguments_are_documented() -> None:
    named = [codes(row[0])[0] for row in tables(section(TEXT, "`dowse.crawl`"))[0][1:]]
    assert named == list(inspect.signature(crawl).parameters)


def test_the_fields_of_a_page_are_documented() -> None:
    rows = tables(section(TEXT, "`Fetched`"))[0][1:]
    documented = [(codes(row[0])[0], row[1].replace(" or ", " | ")) for row in rows]
    assert documented == [(field.name, field.type) for field in fields(Fetched)]
    [verdict] = [row[2] for row in rows if row[0] == "`verdict`"]
    assert {field.name for field in fields(Verdict)} - {"relevant"} <= set(codes(verdict))


def test_the_facts_of_a_page_are_documented() -> None:
    rows = tables(section(TEXT, "`PageFacts`"))[0][1:]
    assert [(codes(row[0])[0], row[1]) for row in rows] == [(field.name, field.type) for field in fields(PageFacts)]


def test_every_class_of_a_topic_is_documented() -> None:
    documented = {codes(row[0])[0] for row in tables(section(TEXT, "Topics"))[0][1:]}
    rooms = ("dowse.model.topic", "dowse.model.budget")
    public = {name for name in dowse.__all__ if getattr(getattr(dowse, name), "__module__", "") in rooms}
    assert documented == {f"dowse.{name}" for name in public}


def test_every_port_is_documented() -> None:
    documented = {
        name for row in tables(section(TEXT, "Ports and their values"))[0][1:] for name in codes(row[0] + row[1])
    }
    others = {"Fetched", "PageFacts", "crawl", "load_topic", "open_crawl", "CrawlReader"}
    errors = {name for name in dowse.__all__ if name.endswith("Error")}
    rooms = ("dowse.model.topic", "dowse.model.budget")
    ports = {name for name in dowse.__all__ if getattr(getattr(dowse, name), "__module__", "") not in rooms}
    assert documented == {f"dowse.{name}" for name in ports - others - errors}


def test_everything_named_exists() -> None:
    named = set(re.findall(r"\bdowse\.([A-Za-z_]+)", TEXT)) - {"test", "toml", "sqlite"}
    assert named <= {*dowse.__all__}
