"""The commands of the lab: what they print and write, and what they say before anything is run."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from dowse.cli.main import main
from dowse.lab.compare.yardstick import FLATTERY
from dowse.lab.corpus import open_corpus
from tests.cli.test_operator import mistake
from tests.lab.compare.webs import write_labelled

SMALL = ["--min-pages", "20", "--examples", "4", "--seed-sets", "1", "--budget", "30%", "--jobs", "1"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Opened before, so that whichever test comes first is not told of it."""
    folder = write_labelled(tmp_path_factory.mktemp("web"))
    open_corpus(folder, jobs=1)
    return folder


@pytest.fixture
def unlabelled(corpus: Path, tmp_path: Path) -> Path:
    shutil.copytree(corpus, tmp_path / "bare")
    (tmp_path / "bare" / "labels.csv").unlink()
    return tmp_path / "bare"


def dowse(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[str, str]:
    monkeypatch.setattr(sys, "argv", ["dowse", *arguments])
    with pytest.raises(SystemExit) as stop:
        main()
    out, err = capsys.readouterr()
    assert stop.value.code == 0, err
    return out, err


def test_a_comparison_is_printed_and_written(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "new" / "comparison"
    arguments = ["--label", "bread", "--label", "rare", "--out", str(out), "--json", str(out / "all.json")]
    table, told = dowse(capsys, monkeypatch, "lab", "compare", str(corpus), *SMALL, *arguments)
    assert "1 topics, 7 runs" in table
    assert {path.name for path in out.iterdir()} == {
        "summary.csv", "topics.csv", "recall.png", "topics.png", "report.html", "all.json",
    }  # fmt: skip
    figures = json.loads((out / "all.json").read_text("utf-8"))
    assert len(figures["runs"]) == len(figures["topics"]) == 7
    assert figures["settings"]["relevant_by"] == "labels.csv"
    by_strategy = {run["strategy"]: run for run in figures["runs"]}
    assert by_strategy["knapsack"]["target_distances"] is None
    assert len(by_strategy["bfs"]["target_distances"]) == len(by_strategy["bfs"]["curve"]["requests"])
    rows = (out / "topics.csv").read_text("utf-8").splitlines()
    assert [row.split(",")[:2] for row in rows[1:]] == [["bread", name] for name in by_strategy]
    lines = told.splitlines()
    assert lines[:2] == ["topic 1 of 2 done", "topic 2 of 2 done"], "topics are counted, left out or not"
    assert lines[2].startswith("left out rare: it has 1 pages")


def test_the_error_of_prediction_is_drawn(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out, _ = dowse(capsys, monkeypatch, "lab", "figure", "th-3", str(corpus), "--queries", "1", "--min-pages", "20")
    assert "weighted         error by pages that link: 1: 0." in out
    assert "queries: bread\n" in out
    assert (tmp_path / "th-3.png").read_bytes().startswith(b"\x89PNG")


def test_every_nth_label_takes_part(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["lab", "compare", str(corpus), *SMALL, "--all-labels", "--json", "all.json"]
    topics = {}
    for every in ("1", "2"):
        dowse(capsys, monkeypatch, *command, "--every", every, "--force")
        topics[every] = list(dict.fromkeys(row["topic"] for row in json.loads(Path("all.json").read_text())["topics"]))
    assert topics == {"1": ["bread", "solar cells"], "2": ["bread"]}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--all-labels", "--every", "0"], "--every: must be at least 1, not 0"),
        (["--label", "bread", "--every", "2"], "--every chooses among all labels"),
    ],
)
def test_every_nth_of_nothing_is_a_mistake(
    arguments: list[str], says: str, corpus: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert says in mistake(capsys, monkeypatch, "lab", "figure", "th-3", str(corpus), *arguments)


def test_the_numbers_of_a_figure_are_written(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["lab", "figure", "th-3", str(corpus), "--label", "bread", "--min-pages", "20", "--json", "th-3.json"]
    out, _ = dowse(capsys, monkeypatch, *command)
    told = json.loads((tmp_path / "th-3.json").read_text("utf-8"))
    assert told["settings"]["figure"] == "th-3"
    curves = {curve["strategy"]: curve for curve in told["curves"]}
    assert set(curves) == {"average", "weighted", "all pages' mean"}
    for name, curve in curves.items():
        assert f"{name:16} error by pages that link: 1: {curve['height'][0]:.4f}" in out
        assert curve["low"] == [None] * len(curve["at"]), "one topic has no interval"


def test_a_figure_is_drawn(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    more = ["--label", "rare", "--label", "bread", "--min-pages", "20", "--seed-sets", "1", "--budget", "10%"]
    out, err = dowse(capsys, monkeypatch, "lab", "figure", "th-4", str(corpus), *more)
    assert re.search(r"hybrid:form=paper +[\d.]+% at 5 %, +[\d.]+% at 10 % of the cost", out)
    assert re.search(r"^cost \(robust form, uneven speeds\): half of the pages cost at most \d", out, re.MULTILINE)
    assert (tmp_path / "th-4.png").read_bytes().startswith(b"\x89PNG")
    lines = err.splitlines()
    assert lines[:2] == ["topic 1 of 2 done", "topic 2 of 2 done"]
    assert lines[2].startswith("left out rare: it has 1 pages")


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("gt-5", r"best-first +[\d.]+% at 5 %, +[\d.]+% at 10 % of the pages"),
        ("gt-6", r"knapsack +[\d.]+% at 5 %, +[\d.]+% at 10 % of the pages"),
        ("gt-7", r"bfs +[\d.]+ at 50 %, +[\d.]+ at 100 % of the targets"),
    ],
)
def test_figures_of_targets_are_the_same_by_any_number_of_processes(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str,
    row: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    told = []
    for jobs in ("1", "2"):
        shutil.rmtree(corpus / ".dowse-lab" / "runs", ignore_errors=True)
        more = ["--all-labels", "--min-pages", "20", "--seed-sets", "2", "--budget", "10%", "--jobs", jobs]
        out, _ = dowse(capsys, monkeypatch, "lab", "figure", name, str(corpus), *more, "--out", f"{jobs}.svg")
        told.append(out.replace(f"{jobs}.svg", "picture"))
    assert re.search(row, told[0])
    assert told[0] == told[1]
    assert (tmp_path / "1.svg").read_bytes() == (tmp_path / "2.svg").read_bytes()


def strategies_of(table: str) -> set[str]:
    measured = table.partition("irrelevant pages that led to relevant ones")[0]
    return {line.split()[0] for line in measured.splitlines()[2:] if line.strip()} - {
        "bfs", "random", "oracle-path", "oracle-greedy", "knapsack",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "compared", "said"),
    [
        ([], {"learning", "best-first"}, False),
        (["--strategy", "dfs"], {"learning", "dfs"}, True),
        (["--strategy", "learning", "--strategy", "dfs"], {"learning", "dfs"}, False),
        (["--strategy", "dfs", "--without-default"], {"dfs"}, False),
        (["--without-default"], {"best-first"}, False),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_the_default_strategy_takes_part_unasked(
    corpus: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str],
    compared: set[str], said: bool,
) -> None:  # fmt: skip
    table, told = dowse(capsys, monkeypatch, "lab", "compare", str(corpus), *SMALL, "--label", "bread", *arguments)
    assert {name for name in strategies_of(table) if not name[0].isdigit() and name[0] != "("} == compared
    line = "learning takes part too, since it is the default: --without-default leaves it out"
    assert told.splitlines().count(line) == said


def test_what_is_relevant_is_said_by_a_topic_or_a_predicate(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cells.toml").write_text('name = "cells"\nquery = "perovskite solar cells"\n')
    for option, value, source in (
        ("--topic", str(tmp_path / "cells.toml"), "topic cells"),
        ("--predicate", 'title("solar")', 'predicate title("solar")'),
    ):
        figures = tmp_path / "figures.json"
        _, told = dowse(
            capsys, monkeypatch, "lab", "compare", str(corpus), *SMALL, option, value, "--json", str(figures), "--force"
        )  # fmt: skip
        lines = told.splitlines()
        assert lines[:2] == ["judging every page of the corpus", f"40 pages are relevant by {source}"]
        assert (FLATTERY in lines) == (option == "--topic")
        assert json.loads(figures.read_text("utf-8"))["settings"]["relevant_by"] == source


def test_what_is_relevant_is_said_once_and_well(
    corpus: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def said(*arguments: str, folder: str = "no-such-corpus") -> str:
        return mistake(capsys, monkeypatch, "lab", "compare", folder, *arguments)

    once = "what is relevant is said once: by labels, by --own-verdicts, or by --topic and --predicate"
    assert said("--own-verdicts", "--all-labels") == said("--topic", "bread", "--label", "bread") == once
    assert said("--own-verdicts", "--predicate", 'word("x")') == once
    assert said("--predicate", "word(").startswith("--predicate: column 6: word takes a string in quotes")
    assert said().endswith("or measure by --own-verdicts, --topic TOPIC or --predicate EXPR")
    assert said("--own-verdicts", folder=str(corpus)) == f"{corpus} holds no crawl (there is no dowse.sqlite in it)"


def test_too_few_relevant_pages_are_told(
    corpus: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        sys, "argv", ["dowse", "lab", "compare", str(corpus), "--predicate", 'url.contains("t/7.html")']
    )
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2
    assert capsys.readouterr().err.splitlines() == [
        "judging every page of the corpus",
        f'dowse: 1 page of {corpus} is relevant by predicate url.contains("t/7.html"), and 40 are asked for: '
        "lower --min-pages",
    ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--on", "rays"], "--on rays: there are here, ray and ray:ADDRESS"),
        (["--on", "here:6379"], "--on here:6379: there are here, ray and ray:ADDRESS"),
        (["--on", "ray", "--jobs", "2"], "--jobs is for this machine"),
        (["--on", "ray"], 'Ray is not installed: pip install "dowse[cluster]"'),
    ],
)
def test_where_topics_cannot_be_run(
    corpus: Path, arguments: list[str], says: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert says in mistake(capsys, monkeypatch, "lab", "compare", str(corpus), "--label", "bread", *arguments)


@pytest.mark.parametrize("command", [["lab", "compare"], ["lab", "figure", "th-4"]])
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--budget", "lots"], "'lots' is no budget for the lab: write 20%"),
        (["--seeds-kind", "middle"], "seeds are near, far or roots, not 'middle'"),
        (["--strategy", "best-furst"], "did you mean best-first"),
        (["--jobs", "0"], "--jobs: must be at least 1, not 0"),
        (["--labels-file", "nowhere.txt"], "cannot read nowhere.txt: No such file"),
        (["--labels-file", "/dev/null"], "/dev/null names no label: write one per line"),
        ([], "name topics: --label NAME, --labels-file FILE or --all-labels"),
    ],
)
def test_a_mistake_is_told_before_the_corpus_is_opened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: list[str],
    arguments: list[str], said: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    every = [] if not arguments or "--labels-file" in arguments else ["--all-labels"]
    assert said in mistake(capsys, monkeypatch, *command, "no-such-corpus", *arguments, *every)


def test_topics_that_a_corpus_does_not_have(
    corpus: Path, unlabelled: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def said(folder: Path, *arguments: str) -> str:
        return mistake(capsys, monkeypatch, "lab", "compare", str(folder), *arguments)

    for arguments in (["--all-labels"], ["--label", "bread"]):
        told = said(unlabelled, *arguments)
        assert told == (
            f"{unlabelled} has no labels.csv, so there are no topics: write one with the columns url and label"
        )
    (unlabelled / "labels.csv").write_text("url,label\n")
    assert said(unlabelled, "--all-labels").startswith(f"{unlabelled / 'labels.csv'} has no rows, so there")
    assert said(corpus, "--all-labels", "--min-pages", "1000") == (
        f"no label of {corpus} has 1000 pages, the largest (bread) has 80: lower --min-pages to 80 or less"
    )
    assert "has the label 'none': dowse lab info lists them" in said(corpus, "--label", "none")


def test_what_cannot_be_written_is_told_before_anything_is_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no corpus at all: nothing was opened when this is told."""
    (tmp_path / "file").write_text("mine", "utf-8")
    (tmp_path / "taken" / "report.html").mkdir(parents=True)
    (tmp_path / "free").mkdir()
    monkeypatch.chdir(tmp_path)

    def said(*arguments: str) -> str:
        return mistake(capsys, monkeypatch, "lab", *arguments, "--all-labels")

    assert (
        said("compare", "c", "--out", "file") == "cannot make the folder file: it is a file; choose another with --out"
    )
    assert said("compare", "c", "--out", "file/x").startswith("cannot make the folder file/x: Not a directory")
    assert said("compare", "c", "--out", "taken") == "cannot write taken/report.html: it is a folder"
    assert said("compare", "c", "--json", "no/all.json") == "cannot write no/all.json: No such file or directory"
    assert said("compare", "c", "--json", "free") == "cannot write free: it is a folder"
    assert said("compare", "c", "--json", "/dev/null") == "cannot write /dev/null: it is not a plain file"
    assert said("figure", "th-4", "c", "--out", "no/f.png") == "cannot write no/f.png: No such file or directory"
    assert said("figure", "th-4", "c", "--out", "free") == "cannot write free: it is a folder"
    for name in ("x.jpg", "picture"):
        assert said("figure", "gt-7", "c", "--out", name) == (
            f"cannot draw {name}: pictures are .png, .svg or .pdf, name one of them"
        )
    assert said("figure", "gt-8", "c").startswith("there is no figure 'gt-8': choose one of th-3, th-4, th-5, gt-5")
    assert said("figure", "th-5", "c", "--queries", "0") == "--queries: must be at least 1, not 0"
    assert said("figure", "th-5", "c", "--cost", "cheap") == "cost is robust or paper, not 'cheap'"
    assert said("compare", "c", "--speeds", "slow") == "speeds is even or uneven, not 'slow'"
    assert (tmp_path / "file").read_text("utf-8") == "mine"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "free", "report.html", "taken"]
