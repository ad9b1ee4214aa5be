"""docs/predicates.md: its examples are judged, crawled and printed as it says, and its table names every test."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from dowse.cli.main import main
from dowse.judge import build_judge
from dowse.judge.predicate.check import LEAVES
from dowse.judge.predicate.grade import compared
from dowse.model.topic import Topic
from tests.docs.markdown import DOCS, blocks, codes, section, tables
from tests.docs.test_python import ADDRESS, run
from tests.judge.predicate.made import write_made

TEXT = (DOCS / "predicates.md").read_text(encoding="utf-8")


def test_every_test_is_in_the_table() -> None:
    named = [codes(row[0])[0] for row in tables(section(TEXT, "Tests"))[0][1:]]
    assert {name.partition("(")[0] for name in named} == set(LEAVES)


def test_the_tests_of_the_table_and_the_examples_can_be_pasted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_made(tmp_path / "sports.category.json", "hockey")
    [examples] = blocks(section(TEXT, "Tests"), "text")
    named = [codes(row[0])[0] for row in tables(section(TEXT, "Tests"))[0][1:] if row[1] not in ("a number", "a code")]
    for expression in [*examples.text.splitlines(), *named]:
        build_judge(Topic(query="solar cells", predicate=expression))


def test_judge_prints_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    [page] = blocks(TEXT, "html")
    (tmp_path / "page.html").write_text(page.text)
    [command] = [block.text for block in blocks(TEXT, "sh") if block.text.startswith("dowse judge")]
    monkeypatch.setattr(sys, "argv", shlex.split(command))
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    assert capsys.readouterr().out == blocks(TEXT, "text")[0].text


def test_the_function_runs(web: str, tmp_path: Path) -> None:
    [code] = blocks(TEXT, "python")
    assert ADDRESS in code.text
    found = run(code.text.replace(ADDRESS, web), tmp_path).splitlines()
    assert found
    assert all(re.fullmatch(r"1\.00 http://\S+\.dowse\.test/\S*", line) for line in found)


def test_the_grades_are_those_of_the_text() -> None:
    assert [compared(0.3 * factor, ">", 0.3) for factor in (0.5, 1, 2)] == [0.245, 0.49, 0.75]
    assert compared(0.3, ">=", 0.3) == 0.5
