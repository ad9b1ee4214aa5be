"""``dowse lab judge``: what it prints and writes, and what it says before anything is judged."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from dowse.lab.corpus import open_corpus
from dowse.lab.judging.contestants import CONTESTANTS
from tests.cli.test_lab import dowse
from tests.cli.test_operator import mistake
from tests.lab.compare.webs import write_labelled
from tests.lab.judging.learners import Doubter

SMALL = ["--min-pages", "20", "--examples", "0", "--examples", "4", "--jobs", "1"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_labelled(tmp_path_factory.mktemp("web"))
    open_corpus(folder, jobs=1)
    return folder


def test_verdicts_on_all_labels_are_printed_and_written(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "new" / "verdicts"
    told, err = dowse(
        capsys, monkeypatch, "lab", "judge", str(corpus), *SMALL, "--out", str(out), "--json", str(out / "all.json")
    )
    assert err.splitlines() == ["topic 1 of 2 done", "topic 2 of 2 done"]
    lines = told.splitlines()
    assert lines[0].strip().startswith("2 topics")
    shown = lines[: next(at for at, line in enumerate(lines) if "pages to learn from" in line)]
    judges = [line.split()[0] for line in shown if "name alone" in line]
    assert judges == ["learned", "learned", "similarity", "erid"], "one that learns, with each background"
    assert sum("name, 4 for, 4 against" in line for line in shown) == 4
    assert {path.name for path in out.iterdir()} == {
        "verdicts.csv", "trials.csv", "reliability.csv", "reliability.png", "all.json",
    }  # fmt: skip
    assert (out / "reliability.png").read_bytes().startswith(b"\x89PNG")
    figures = json.loads((out / "all.json").read_text("utf-8"))
    assert figures["settings"]["examples"] == [0, 4]
    assert len(figures["verdicts"]) == len(figures["reliability"]) == 12
    assert len(figures["trials"]) == 24
    assert [crawl["strategy"] for crawl in figures["crawls"]] == ["bfs", "learning"]
    assert len((out / "trials.csv").read_text("utf-8").splitlines()) == 25


def test_a_judge_that_learns_is_told_with_its_backgrounds(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CONTESTANTS, "doubter", Doubter)
    more = ["--judge", "doubter", "--background", "bfs", "--background", "random", "--background-pages", "20"]
    told, _ = dowse(
        capsys, monkeypatch, "lab", "judge", str(corpus), *SMALL, *more, "--no-counter-examples", "--json",
        str(tmp_path / "all.json"),
    )  # fmt: skip
    assert "similarity" not in told
    assert "pages to learn from" in told
    assert "random instead of bfs" in told
    figures = json.loads((tmp_path / "all.json").read_text("utf-8"))
    assert [(row["strategy"], row["pages"]) for row in figures["crawls"]] == [("bfs", 20), ("random", 20)]
    assert [row["setting"]["examples"] for row in figures["biases"]] == [0, 4]


def test_a_topic_that_says_nothing_is_told_of(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(corpus, tmp_path / "web")
    labels = tmp_path / "web" / "labels.csv"
    labels.write_text(labels.read_text().replace("solar cells", "!?"))
    told, _ = dowse(capsys, monkeypatch, "lab", "judge", str(tmp_path / "web"), *SMALL, "--judge", "similarity")
    assert "could make nothing of" in told
    assert "similarity (name alone) 1" in told


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--judge", "similarty"],
            "there is no judge 'similarty' to be measured: choose from learned, similarity, erid",
        ),
        (["--examples", "-1"], "examples: give a number, 0 or more"),
        (["--background", "best-furst"], "did you mean best-first"),
        (["--background-pages", "0"], "background-pages is at least 1"),
        (["--jobs", "0"], "--jobs: must be at least 1, not 0"),
        (["--labels-file", "nowhere.txt"], "cannot read nowhere.txt: No such file"),
        (["--out", "/dev/null/x"], "cannot make the folder /dev/null/x"),
    ],
)
def test_a_mistake_is_told_before_the_corpus_is_opened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in mistake(capsys, monkeypatch, "lab", "judge", "no-such-corpus", *arguments)


def test_labels_too_small_to_be_topics(
    corpus: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "lower --min-pages" in mistake(capsys, monkeypatch, "lab", "judge", str(corpus), "--min-pages", "999")
