"""Every declared command runs, and every figure can be shown: on small webs, with the sizes that need none cut down."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from bench.figures.declared import FIGURES
from bench.figures.declared.costs import kept_speed
from bench.figures.figure import CORPORA, Measurement
from bench.figures.measure import Place, measure
from bench.figures.pages import region_text
from bench.figures.results import ROOT, Checkout, stored
from bench.speed.measure import Usage
from bench.speed.report import Report, Result, Run, Size
from bench.speed.stages import Stages

from dowse.lab.papers.paper_figures import PAPERS
from dowse.predict import NEED_TRACES, STRATEGIES
from tests.docs.markdown import tables
from tests.lab.compare.webs import url, write_labelled

MEASUREMENTS = list(dict.fromkeys(one for figure in FIGURES for one in figure.of))
SMALLER = {"--most 1000000": "--most 10000", "--most 6": "--most 4"}
PAGES = 480


def smaller(one: Measurement) -> Measurement:
    """What takes long whatever the web is cut down."""
    command = one.command
    for large, small in SMALLER.items():
        command = command.replace(large, small)
    return replace(one, command=command)


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpora")
    for name in CORPORA:
        web = write_labelled(folder / name, pages=PAGES)
        few = [f"{url(number)},a few cells" for number in range(0, PAGES, 10)]  # few enough to be far from
        (web / "labels.csv").write_text((web / "labels.csv").read_text() + "\n".join(few) + "\n")
        (web / "roots.csv").write_text("\n".join(["url", *(url(number) for number in range(0, PAGES, 60))]) + "\n")
    return folder


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_every_command_runs_and_every_figure_can_be_shown(tmp_path: Path, corpora: Path) -> None:
    """All but those for which nginx and packages of documentation must be there."""
    todo = [smaller(one) for one in MEASUREMENTS if one.name not in ("speed", "shards-engines")]
    told: list[str] = []
    place = Place(ROOT, corpora, tmp_path / "results", tmp_path / "images")
    assert measure(todo, place, Checkout("abc1234", {}), told.append, lambda: None) == 0, told
    found = {one.name: stored(one, place.results) for one in todo}
    for figure in FIGURES:
        results = [result for one in figure.of if (result := found.get(one.name)) is not None]
        if len(results) == len(figure.of):
            text = region_text(figure, results)
            assert "None" not in text
            assert tables(text) or "![" in text
            assert all(len(row) == len(shown[0]) for shown in tables(text) for row in shown)
    assert {path.name for path in place.pictures.iterdir()} == {one.picture for one in todo if one.picture}


def run_of(cpu_s: float) -> Run:
    usage = Usage(8.0, cpu_s, 1.0, 300_000_000, 200_000_000, 100_000_000)
    return Run(usage, 4_000, [f"/{number}" for number in range(9)], [], [], {}, 7)


def test_a_report_of_speed_is_kept_as_it_was() -> None:
    names = ("dowse", "dowse-learning", "dowse-pure", "dowse-learning-pure", "scrapy-linkextractor")
    report = Report(
        {"python": "3.11"}, Size({"git-doc": "1"}, 4_000, 120_000_000, 300_000, 7),
        [Result(name, [run_of(5.0 + place), run_of(6.0)]) for place, name in enumerate(names)],
        {"dowse": Stages(4_000, 8.0, {"fetch": 3.0}, {"decode": 4.0})},
        {"dowse": [run_of(8.0), replace(run_of(9.0), pages=8_000)]},
    )  # fmt: skip
    told = kept_speed(json.loads(json.dumps(asdict(report))))
    again = Report.of(told).sections()
    assert again == report.sections()
    assert list(again) == ["speed", "core", "stages", "memory"]
    [speed] = tables(again["speed"])
    assert [row[0] for row in speed[1:]] == ["dowse", "dowse-learning", "scrapy-linkextractor"]
    assert [row[:2] for row in tables(again["core"])[0][1:]] == [
        ["dowse", "with"], ["dowse", "without"], ["dowse-learning", "with"], ["dowse-learning", "without"],
    ]  # fmt: skip


def test_the_lift_table_sets_every_strategy_against_two_others() -> None:
    """Paired, from each start: a row for every strategy of the lab but the one that it is set against."""

    def interval(mean: float) -> dict[str, float]:
        return {"mean": mean, "low": mean - 0.1, "high": mean + 0.1}

    names = (*STRATEGIES, "learning:form=paper")
    rows = [
        {
            "strategy": name, "runs": 3, "harvest": interval(0.2), "lift": interval(0.3), "area": interval(0.5),
            "against": {other: interval(place + 2.0) for other in ("bfs", "best-first") if other != name},
        }
        for place, name in enumerate(names)
    ]  # fmt: skip
    [lift] = [figure for figure in FIGURES if figure.name == "learning-lift"]
    harvest, against_bfs, against_best_first = tables(lift.shown([rows] * len(lift.of)))
    assert [len(harvest), len(against_bfs), len(against_best_first)] == [1 + len(names), len(names), len(names)]
    assert harvest[1] == ["`best-first`", *["30.0 (20.0 to 40.0)"] * len(lift.of)]
    assert against_bfs[1] == ["`best-first`", *["2.00 (1.90 to 2.10)"] * len(lift.of)]
    assert against_best_first[1] == ["`bfs`", *["3.00 (2.90 to 3.10)"] * len(lift.of)]
    assert against_best_first[-1][0] == "`learning`, `form=paper`"


def test_the_lift_figures_run_every_strategy() -> None:
    """So their commands name none: the figure's own are all there are."""
    [lift] = [figure for figure in FIGURES if figure.name == "learning-lift"]
    assert set(STRATEGIES) - NEED_TRACES < set(PAPERS["ag-linkage"].strategies)
    assert all("--strategy" not in one.command for one in lift.of)
