from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from dowse.lab.compare.run_results import RunResult
from dowse.lab.compare.summary_table import shown_rows, summarise
from dowse.lab.compare.topic_table import topic_rows
from dowse.lab.report.compare_report import write_compare_report
from dowse.model.errors import UserError
from tests.lab import compared
from tests.lab.report.test_crawl_report import ATTACKS, Reader, check_harmless

RESULTS = compared.results()


def report(results: Sequence[RunResult], folder: Path, title: str = "t") -> tuple[str, Reader]:
    told = {"corpus": title, "budget": {"requests": 600}}
    out = write_compare_report(results, folder / "compare.html", title=title, version="0.1.0", settings=told)
    page = out.read_text(encoding="utf-8")
    read = Reader(page)
    check_harmless(page, read)
    return page, read


def test_tells_what_the_summary_says(tmp_path: Path) -> None:
    page, read = report(RESULTS, tmp_path, "Energy sites")
    rows = summarise(RESULTS)
    for cells in shown_rows(rows)[1]:
        for mean, interval in cells:
            assert mean in read.text
            assert interval in read.text
    best = next(row for row in rows if row["kind"] == "strategy")
    assert f"<dt>best strategy</dt><dd>{best['strategy']}<" in page
    assert "4 topics · 84 runs · Dowse 0.1.0" in read.text
    assert "requests = 600" in read.text
    assert "Each mean with its 95 % interval below it." in read.text


def test_the_best_strategy_of_a_topic_is_bold(tmp_path: Path) -> None:
    page, _ = report(RESULTS, tmp_path)
    section = page[page.index("Topic by topic") : page.index("How it was measured")]
    tables = dict(re.findall(r"<summary>(.*?)</summary>(.*?)</details>", section, re.DOTALL))
    assert list(tables) == ["Area", "Target recall", "Harvest rate", "Target length"]
    rows = [row for row in topic_rows(RESULTS) if row["kind"] == "strategy"]
    topics = list(dict.fromkeys(row["topic"] for row in rows))
    areas = [max(row["auc"] or 0 for row in rows if row["topic"] == topic) for topic in topics]
    assert re.findall(r"<b>(.+?)</b>", tables["Area"]) == [f"{area:.3f}" for area in areas]
    lengths = [min(row["target_length"] or 0 for row in rows if row["topic"] == topic) for topic in topics]
    assert re.findall(r"<b>(.+?)</b>", tables["Target length"]) == [f"{length:,.1f}" for length in lengths]
    assert "over targets" in tables["Target length"]
    assert section.count("<details open") == 1, "the others unfold"


@pytest.mark.parametrize(
    ("results", "told"),
    [
        (compared.results(1, 3), "from seed sets only"),
        (compared.results(3, 1), "from topics only"),
        (compared.results(1, 1), "One run each"),
        ([], "no run with targets"),
        ([result for result in RESULTS if result["strategy"] == "hybrid"], "best strategy"),
    ],
)
def test_few_runs_are_told_as_such(tmp_path: Path, results: list[RunResult], told: str) -> None:
    _, read = report(results, tmp_path)
    assert told in read.text
    assert "nan" not in read.text.lower()


def test_names_cannot_break_the_page(tmp_path: Path) -> None:
    results = compared.results(2, 1, 50)
    for result, attack in zip(results, ATTACKS, strict=False):
        result["strategy"] = attack
        result["topic"] = attack[::-1]
    report(results, tmp_path, " ".join(ATTACKS))


def test_many_topics_and_strategies_stay_within_bounds(tmp_path: Path) -> None:
    skill = {f"strategy-{n}": (0.02 * n, compared.SKILL["hybrid"][1]) for n in range(15)}
    page, read = report(compared.results(61, 1, 40, skill), tmp_path)
    assert "The first 60 of 61 topics." in read.text
    assert len(page) < 700_000


def test_the_same_results_give_the_same_page_and_need_no_matplotlib(tmp_path: Path) -> None:
    assert report(RESULTS, tmp_path)[0] == report(RESULTS, tmp_path)[0]
    code = "import sys, dowse.lab.report.compare_report; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot write"):
        write_compare_report([], tmp_path / "no" / "compare.html", title="t")
