"""``dowse erid calibrate`` and ``dowse lab figure ridar-...``: what they say of a crawl and of a corpus."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dowse.cli.crawl_summary import finish
from dowse.engine.loop.engine import Stop
from dowse.model.topic import JudgeSettings, StrategyChoice
from dowse.model.topicfile import parse_topic
from dowse.store.answers import Answers
from tests.cli.labelled import PAGES, crawled, mistake, said
from tests.judge.made import BIRDS

TOPIC = f"[keywords]\n{BIRDS[0]} = 2\n{BIRDS[1]} = 1\n\n[keywords.de]\nVogel = 1\n"


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl, and answers about all but a few of its pages."""
    folder = crawled(tmp_path_factory.mktemp("crawl") / "birds")
    answers = Answers(folder)
    for number in range(PAGES):
        answers.add(f"http://a.test/bird/{number}", True)
        if number > 2:
            answers.add(f"http://a.test/steel/{number}", False)
    answers.add("http://a.test/never", False)
    return folder


def test_a_crawl_with_answers_has_its_threshold_found(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = said(capsys, "erid", "calibrate", "--labels", str(crawl))
    lines = out.splitlines()
    assert lines[0] == "27 labelled pages, 15 of them on the topic ('relevant'); 1 that are labelled were not found"
    assert "correct estimation            15        12" in lines
    assert "precision 1.00" in out
    pasted = "\n".join(lines[lines.index("[judge]") :])
    judge = parse_topic(f'query = "x"\n{pasted}\n', "topic.toml").judge
    assert judge.method == "erid"
    assert judge.threshold is not None
    assert 0 < judge.threshold < 0.2


def test_other_keywords_labels_and_a_precision(crawl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    topic = tmp_path / "topic.toml"
    topic.write_text(TOPIC + '\n[judge]\nform = "paper"\n', "utf-8")
    command = ["erid", "calibrate", "--labels", str(crawl / "labels.csv"), "--topic", str(topic)]
    out, _ = said(capsys, *command, "--precision", "0.9")
    assert "for a precision of 0.9" in out
    assert 'form = "paper"' in out
    found = json.loads(said(capsys, *command, "--label", "not relevant", "--json")[0])
    assert found["label"] == "not relevant"
    assert found["outcomes"]["accepted_right"] + found["outcomes"]["refused_wrong"] == PAGES - 3


def test_what_cannot_be_calibrated_is_said_in_a_line(
    crawl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    nowhere = tmp_path / "nowhere"
    assert mistake(capsys, "erid", "calibrate", "--labels", str(nowhere)) == f"dowse: there is no {nowhere}\n"
    assert "there are no labels in" in mistake(capsys, "erid", "calibrate", "--labels", str(bare), "--topic", "x")
    told = mistake(capsys, "erid", "calibrate", "--labels", str(crawl), "--label", "fish")
    assert "no page with the label 'fish'; it has 'not relevant', 'relevant'" in told
    (bare / "labels.csv").write_text("url,label\nhttp://a.test/,x\n")
    assert "which keywords?" in mistake(capsys, "erid", "calibrate", "--labels", str(bare))
    told = mistake(capsys, "erid", "calibrate", "--labels", str(bare), "--label", "x", "--topic", "x")
    assert "no WARC files" in told


def test_without_a_command_one_line_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert mistake(capsys, "erid") == "dowse: missing command (see: dowse erid --help)\n"
    assert "show how often it is right" in " ".join(said(capsys, "erid", "--help")[0].split())


def test_a_crawl_without_answers_says_where_they_come_from(
    crawl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "dowse.sqlite").write_bytes((crawl / "dowse.sqlite").read_bytes())
    for labels in (bare, bare / "labels.csv"):
        told = mistake(capsys, "erid", "calibrate", "--labels", str(labels))
        assert f"{bare} has no labels.csv yet: answer some questions with 'dowse label {bare}'" in told


def test_keywords_that_tell_nothing_apart_are_said_to(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["erid", "calibrate", "--labels", str(crawl)]
    out, _ = said(capsys, *command, "--label", "not relevant")
    assert "threshold with the best F1: 0\nit accepts every page: these keywords do not tell the two sides" in out
    assert "[judge]" not in out
    out, _ = said(capsys, *command, "--topic", "zyzzyva")
    assert "no keyword occurs on any of these pages" in out
    assert "it accepts every page" not in out
    [doubt] = json.loads(said(capsys, *command, "--topic", "zyzzyva", "--json")[0])["doubts"]
    assert doubt.startswith("no keyword occurs")
    assert json.loads(said(capsys, *command, "--json")[0])["doubts"] == []


def test_labelled_pages_without_their_text_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``drop_refused``: what it dropped is labelled in vain, and not asked about."""
    folder = crawled(
        tmp_path / "birds", strategy=StrategyChoice("site-first", {"free_levels": 0, "drop_refused": True})
    )
    out, _ = said(capsys, "label", str(folder), answers="s\n" * 4 * PAGES)
    assert "/bird/1\n" in out
    assert "/steel/" not in out
    answers = Answers(folder)
    for number in range(3):
        answers.add(f"http://a.test/bird/{number}", number != 0)
        answers.add(f"http://a.test/steel/{number}", False)
    answers.add("http://a.test/", False)
    answers.add("http://a.test/never", False)
    first = said(capsys, "erid", "calibrate", "--labels", str(folder))[0].splitlines()[0]
    assert first.startswith(
        "4 labelled pages, 2 of them on the topic ('relevant'); 1 that are labelled were not found; "
    )
    assert first.endswith("; 3 more are labelled, but their text was not kept (drop_refused)")


def test_small_scores_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = crawled(tmp_path / "birds", JudgeSettings(method="erid", threshold=0.00312345))
    out, _ = said(capsys, "why", str(folder), "http://a.test/bird/1")
    assert ", threshold 0.003123 " in out
    finish(folder, Stop("empty", ""), as_json=False, quiet=False)
    out = capsys.readouterr().out
    assert "erid of at least 0.003123, as given" in out
    assert "from 0.002499 to 0.003748" in out
    said(capsys, "report", str(folder))
    page = (folder / "report.html").read_text("utf-8")
    assert "relevant from 0.003123 on, by erid" in page


def test_the_times_of_a_crawl_stand_beside_the_clock(
    crawl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = tmp_path / "times.json"
    out, _ = said(capsys, "lab", "figure", "ridar-1", str(crawl), "--json", str(written))
    assert out.startswith(f"{2 * PAGES + 1} answers of a.test\n")
    times = json.loads(written.read_text())["times"]
    stages = {stage["name"]: stage["total_s"] for stage in times["stages"]}
    assert stages["overall"] == pytest.approx(stages["connection"] + stages["download"] + stages["processing"])
    assert times["wall_s"] > 0
    assert "1 site only" in mistake(capsys, "lab", "figure", "ridar-2", str(crawl))
    assert "there are a.test" in mistake(capsys, "lab", "figure", "ridar-2", str(crawl), "--site", "b.test")
    assert said(capsys, "lab", "figure", "ridar-2", str(crawl), "--site", "http://www.a.test/")[0].startswith("31 ")


def test_a_corpus_is_served_here_for_its_times(crawl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for file in crawl.glob("*.warc.gz"):
        (corpus / file.name).write_bytes(file.read_bytes())
    out, _ = said(capsys, "lab", "figure", "ridar-1", str(corpus))
    assert out.startswith(f"{2 * PAGES + 1} answers of a.test, served on this machine\n")
    assert "overall, by the clock" in out


def test_what_was_accepted_stands_against_answers_or_labels(
    crawl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, _ = said(capsys, "lab", "figure", "ridar-3", str(crawl))
    assert out.splitlines()[0] == "a.test, judged by the crawl's judge, similarity"
    assert "precision 1.00, recall 1.00" in out
    written = tmp_path / "table.json"
    topic = f"{BIRDS[0]} {BIRDS[1]}"
    said(
        capsys, "lab", "figure", "ridar-3", str(crawl), "--label", "relevant", "--topic", topic, "--json", str(written)
    )
    found = json.loads(written.read_text())
    assert found["judge"].startswith("ERID")
    assert sum(found["outcomes"].values()) == 27
    bare = tmp_path / "bare"
    bare.mkdir()
    assert "one label" in mistake(capsys, "lab", "figure", "ridar-3", str(crawl), "--label", "a", "--label", "b")
