from __future__ import annotations

import csv
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dowse.judge import load_category
from dowse.lab.corpus import open_corpus
from dowse.model.errors import UserError
from dowse.store.answers import Answers
from tests.cli.labelled import PAGES, crawled, mistake, said

Capture = pytest.CaptureFixture[str]
_ASKED = re.compile(r"^http://a\.test/\S*$", re.MULTILINE)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled(tmp_path_factory.mktemp("label") / "crawl")


@pytest.fixture
def crawl(original: Path, tmp_path: Path) -> Path:
    return shutil.copytree(original, tmp_path / "crawl")


def asked(out: str) -> list[str]:
    """The pages it asked about, in order."""
    return _ASKED.findall(out)


def labels(folder: Path) -> list[tuple[str, str]]:
    with (folder / "labels.csv").open(newline="", encoding="utf-8") as stream:
        first, *rest = csv.reader(stream)
    assert first[:2] == ["url", "label"]
    return [(url, label) for url, label, *_ in rest]


def answer_truly(folder: Path, capsys: Capture, count: int, *options: str) -> str:
    """Answer by what the pages are, one sitting a page: each sitting says what it asks about."""
    out = ""
    for _ in range(count):
        [url] = asked(said(capsys, "label", str(folder), *options, answers="q\n")[0])
        out, _ = said(capsys, "label", str(folder), *options, answers="y\n" if "/bird/" in url else "n\n")
    return out


def test_answers_are_kept_at_once_and_not_asked_again(crawl: Path, capsys: Capture) -> None:
    out, _ = said(capsys, "label", str(crawl), "--name", "birds", answers="y\nn\ns\n")
    first, second, skipped, last = asked(out)
    assert labels(crawl) == [(first, "birds"), (second, "not birds")]
    assert "1 yes, 1 no" in out
    assert "a category needs 8 of each" in out
    out, _ = said(capsys, "label", str(crawl), "--name", "birds")
    assert asked(out) == [skipped], "what was skipped comes again another time"
    assert skipped != last
    assert "labelled birds: 1 yes, 1 no" in out


def test_both_sides_of_the_threshold_take_turns(crawl: Path, capsys: Capture) -> None:
    """Nearest to the threshold first, on the side that has fewer answers."""
    out, _ = said(capsys, "label", str(crawl), "--name", "birds", answers="y\nn\ny\nn\n")
    assert ["bird" in url for url in asked(out)[:4]] == [True, False, True, False]
    scores = [float(score) for score in re.findall(r"^score (\S+) \(relevant\)", out, re.MULTILINE)]
    assert scores == sorted(scores)


def test_a_page_is_shown_with_the_words_that_tell(crawl: Path, capsys: Capture) -> None:
    out, _ = said(capsys, "label", str(crawl), "--name", "birds", answers="")
    assert re.search(r"^bird \d+\nhttp://a.test/bird/\d+\nscore 0\.\d+ \(relevant\)\n", out, re.MULTILINE)
    assert re.search(r"\*(nest|bird|feather|wing)\*", out)
    assert "*furnace*" not in out
    assert "is it birds? y(es), n(o), s(kip), b(ack), q(uit): " in out


def test_back_takes_the_answer_back(crawl: Path, capsys: Capture) -> None:
    out, _ = said(capsys, "label", str(crawl), "--name", "birds", answers="b\ny\nb\nn\nx\nq\n")
    first, *_ = asked(out)
    assert "nothing to go back to" in out
    assert "please answer" in out
    assert labels(crawl) == [(first, "not birds")]


def test_it_learns_when_both_sides_have_enough_and_says_what_changed(crawl: Path, capsys: Capture) -> None:
    options = ("--name", "birds")
    rows = [f"http://a.test/{kind},{label}" for n in range(8) for kind, label in (
        (f"bird/{n}", "birds"), (f"steel/{n}", "not birds"))]  # fmt: skip
    (crawl / "labels.csv").write_text("\n".join(["url,label", *rows[:-1]]), "utf-8")
    said(capsys, "label", str(crawl), *options, answers="s\n")
    assert not (crawl / "birds.category.json").exists()
    out = answer_truly(crawl, capsys, 1, *options)
    assert "birds: 8 positive and 8 negative examples" in out
    assert f"pages of the crawl it takes: {PAGES} of {2 * PAGES + 1}" in out
    assert load_category(crawl / "birds.category.json").positive == 8
    out, err = said(capsys, "label", str(crawl), *options, answers="s\ny\n")
    assert f"reading {2 * PAGES + 1} pages from the archive" in err
    assert re.search(r"score 0\.\d+ \(.*\), birds 0\.\d\d", out)
    assert re.search(r"before and now: F1 \d\.\d+ -> \d\.\d+, AUC \d\.\d+ -> \d\.\d+", out)
    assert re.search(r"change sides: \d+ in, \d+ out", out)
    assert "gained: " in out
    corpus = open_corpus(crawl, jobs=1)
    assert {label: len(pages) for label, pages in corpus.labels.pages.items()} == {"birds": 9, "not birds": 8}, (
        "and the lab can use it"
    )


def test_it_goes_by_a_category_that_is_given_and_leaves_it_alone(crawl: Path, tmp_path: Path, capsys: Capture) -> None:
    sides = ("--positive", f"{crawl}:relevant", "--negative", f"{crawl}:irrelevant")
    said(capsys, "train", "fowl", *sides, "--out", str(tmp_path / "fowl.json"))
    before = (tmp_path / "fowl.json").read_bytes()
    out, _ = said(capsys, "label", str(crawl), "--category", str(tmp_path / "fowl.json"), answers="y\nq\n")
    shown = [float(value) for value in re.findall(r", fowl (0\.\d\d)", out)]
    assert len(shown) == 2
    assert abs(shown[0] - 0.5) <= abs(shown[1] - 0.5)
    assert labels(crawl)[0][1] == "fowl"
    assert (tmp_path / "fowl.json").read_bytes() == before


def test_the_end_of_the_pages(crawl: Path, capsys: Capture) -> None:
    out, _ = said(capsys, "label", str(crawl), "--name", "birds", answers="n\n" * 100)
    assert "there is no page left to ask about" in out
    assert len(labels(crawl)) == 2 * PAGES + 1
    assert "a category needs 8 of each" in out


def test_ctrl_c_loses_nothing(crawl: Path) -> None:
    command = [sys.executable, "-m", "dowse", "label", str(crawl), "--name", "birds"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write("y\n")
        process.stdin.flush()
        while "(relevant)" not in process.stdout.readline():
            pass
        while "(not relevant)" not in process.stdout.readline():
            pass
        os.kill(process.pid, signal.SIGINT)
        told = process.stderr.read()
    assert process.returncode == 130
    assert f"interrupted: every answer is in {crawl / 'labels.csv'}" in told
    assert "Traceback" not in told
    assert len(labels(crawl)) == 1


def test_mistakes_are_told_on_one_line(crawl: Path, tmp_path: Path, capsys: Capture) -> None:
    assert "holds no crawl" in mistake(capsys, "label", str(tmp_path))
    assert "cannot read the category" in mistake(capsys, "label", str(crawl), "--category", "gone.json")
    assert "cannot name" in mistake(capsys, "label", str(crawl), "--name", "a/b")
    assert "give --category or --name" in mistake(capsys, "label", str(crawl), "--name", "a", "--category", "b")
    (crawl / "labels.csv").write_text("label,url\n", "utf-8")
    assert "must be url, label" in mistake(capsys, "label", str(crawl))


# -- answers -----------------------------------------------------------------------------------------------------------


def test_other_labels_of_the_file_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("url,label\nhttp://a.test/1,other\nhttp://a.test/2,birds\nhttp://a.test/2,not birds", "utf-8")
    answers = Answers(tmp_path, "birds")
    assert answers.known == {"http://a.test/2": False}, "the last one counts"
    answers.add('http://a.test/3?a="b",c', True)
    answers.take_back("http://a.test/2")
    assert labels(tmp_path) == [
        ("http://a.test/1", "other"), ("http://a.test/2", "birds"), ('http://a.test/3?a="b",c', "birds"),
    ]  # fmt: skip
    assert (answers.count(True), answers.count(False)) == (1, 0)
    assert Answers(tmp_path, "steel").known == {}


@pytest.mark.parametrize(
    "text",
    [
        "url,label,notes\nhttp://a.test/1,birds,mine\n", "label,url\nbirds,http://a.test/1\n",
        "url,label,asked,who\nhttp://a.test/1,birds,,me\n",
    ],
)  # fmt: skip
def test_columns_of_others_can_be_read_but_not_added_to(tmp_path: Path, text: str) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(text, "utf-8")
    answers = Answers(tmp_path, "birds")
    assert answers.known == {"http://a.test/1": True}
    with pytest.raises(UserError, match="must be url, label"):
        answers.add("http://a.test/2", True)
    with pytest.raises(UserError, match="must be url, label"):
        answers.take_back("http://a.test/1")
    assert path.read_text("utf-8") == text


def test_a_row_need_not_say_why_it_was_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("url,label,asked\nhttp://a.test/1,birds\nhttp://a.test/2,birds,random\n", "utf-8")
    answers = Answers(tmp_path, "birds")
    assert answers.asked == {"http://a.test/1": "", "http://a.test/2": "random"}
    answers.take_back("http://a.test/2")
    assert Answers(tmp_path, "birds").asked == {"http://a.test/1": ""}


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    answers = Answers(tmp_path / "gone", "birds")
    with pytest.raises(UserError, match="cannot write"):
        answers.add("http://a.test/", True)
