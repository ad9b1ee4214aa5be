"""``dowse judge --crawl``: a page by what a crawl has learned."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dowse.cli.main import make_app
from dowse.model.errors import UserError
from tests.engine.assembly.test_rejudge import PAGES, WORDS, crawled

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("learned") / "crawl"
    crawled(folder, PAGES)
    return folder


def judge(*arguments: str) -> None:
    make_app("judge")(["judge", *arguments], standalone_mode=False)


def test_a_file_by_what_a_crawl_has_learned(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    found = []
    for words in WORDS[:2]:
        (tmp_path / "page.html").write_text(f"<title>A page</title><p>{words}</p>", "utf-8")
        judge(str(tmp_path / "page.html"), "--crawl", str(folder), "--json")
        found.append(json.loads(capsys.readouterr().out))
    on, off = found
    assert on["relevant"]
    assert not off["relevant"]
    assert on["score"] > 0.8 > 0.2 > off["score"]
    for one in found:
        values = [one["base"], *(value for _, value in (*one["words"], *one["site"]))]
        assert sum(values) == pytest.approx(one["log_odds"])
    assert {word for word, value in on["words"] if value > 0} <= {*WORDS[0].split(), "a", "page"}
    judge(str(tmp_path / "page.html"), "--crawl", str(folder))
    told = capsys.readouterr().out
    assert told.startswith("A page\nnot relevant: a chance of 0.")
    assert f"made of the topic's words alone and {PAGES} pages" in told
    assert "any page, before its words" in told


def test_what_cannot_be_judged_by_is_told(folder: Path, tmp_path: Path) -> None:
    crawled(tmp_path / "similar", 5, method="similarity")
    (tmp_path / "page.html").write_text("<p>bread", "utf-8")
    with pytest.raises(UserError, match="has no model"):
        judge(str(tmp_path / "page.html"), "--crawl", str(tmp_path / "similar"))
    with pytest.raises(UserError, match="leave out --topic"):
        judge(str(tmp_path / "page.html"), "--crawl", str(folder), "--topic", "bread")
