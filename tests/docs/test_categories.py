"""docs/categories.md tells of every key of the file, and its Python runs."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from dowse.cli import examples
from dowse.judge.category import MAX_TERMS
from dowse.judge.category_file import save_category
from dowse.judge.measured import Figure, Measured
from dowse.store import CrawlReader
from tests.cli.labelled import said
from tests.docs.markdown import DOCS, blocks, section
from tests.docs.test_python import ADDRESS
from tests.judge.made import of_birds

TEXT = (DOCS / "categories.md").read_text(encoding="utf-8")


def told(text: str) -> list[str]:
    """The keys in the first column of the table of the file."""
    rows = re.findall(r"^\| (`[^|]+) \|", text.partition("## The file")[2], re.MULTILINE)
    return [key for row in rows for key in re.findall(r"`(\w+)`", row)]


def test_the_table_has_the_keys_of_the_file_in_their_order(tmp_path: Path) -> None:
    save_category(of_birds().category, tmp_path / "x.json")
    assert told(TEXT) == list(json.loads((tmp_path / "x.json").read_text("utf-8")))
    inside = TEXT.partition("| `measured` |")[2].partition("\n")[0]
    assert re.findall(r"`(\w+)`", inside) == [*Measured.__dataclass_fields__, *Figure.__dataclass_fields__]


def test_its_numbers_are_those_of_the_code() -> None:
    assert f"at most {MAX_TERMS:,}" in TEXT
    assert f"at most {examples.MOST:,} pages of each source" in TEXT
    assert all(f"`{ending}`" in TEXT for ending in examples._PAGES)


def test_from_examples_to_a_crawl(
    web: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    commands = [
        shlex.split(command)
        for block in blocks(section(TEXT, "From examples to a crawl"), "sh")
        for command in block.text.replace(ADDRESS, web).replace("\\\n", " ").splitlines()
    ]
    assert [command[1] for command in commands] == ["crawl", "train", "judge", "crawl", "label", "crawl"]
    told = [said(capsys, *command[1:], answers="y\nq\n")[0] for command in commands]
    assert re.search(r"^  held +category\(\"solar\"\) > 0.6  \(0\.[6-9]\d*\)$", told[2], re.MULTILINE)
    assert "solar 0." in told[4], "the most uncertain for the crawl's own category"
    with CrawlReader(Path("modules")) as crawl:
        found = [page for page in crawl.judged_pages() if page.relevant]
    assert len(found) > 3  # mostly over 30; who answers first decides where the crawl looks
    assert {part.text for page in found for part in page.parts if part.held} >= {'word("module")'}


def test_its_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    save_category(of_birds().category, tmp_path / "sports.category.json")
    [block] = blocks(TEXT, "python")
    exec(compile(block.text, "<docs>", "exec"), {})
    assert float(capsys.readouterr().out.split()[0]) > 0
