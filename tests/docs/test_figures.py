"""Tables and pictures of measurements: the pages show what is stored, and every number comes from somewhere."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from bench.figures.__main__ import notes
from bench.figures.declared import FIGURES
from bench.figures.figure import CORPORA, Measurement
from bench.figures.pages import filled, regions, stray_tables
from bench.figures.results import RESULTS

from tests.docs.markdown import PAGES, ROOT
from tests.docs.test_pages import arguments, name, parse

MEASUREMENTS = list(dict.fromkeys(one for figure in FIGURES for one in figure.of))


@pytest.mark.parametrize("page", sorted({figure.page for figure in FIGURES}))
def test_regions_show_what_is_stored(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    shown = filled(text, [figure for figure in FIGURES if figure.page == page])
    assert shown == text, f"{page} was edited between its marks, or is old: python -m bench.figures --write"


def test_every_figure_has_one_region_on_its_page() -> None:
    found = [(name(path), region.name) for path in PAGES for region in regions(path.read_text("utf-8"))]
    assert sorted(found) == sorted((figure.page, figure.name) for figure in FIGURES)


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_every_table_of_numbers_is_measured_or_says_why_not(path: Path) -> None:
    assert list(stray_tables(path.read_text("utf-8"))) == []


@pytest.mark.parametrize("one", MEASUREMENTS, ids=lambda one: one.name)
def test_commands_are_commands(one: Measurement) -> None:
    program, *words = one.words
    if program == "dowse":
        jobs = ["--jobs", str(one.cores)] if one.jobs else []
        parse([*arguments(one.command), *jobs, "--json", "found.json"])
        assert not one.jobs or any(word in CORPORA for word in words), "what runs side by side are labels of a corpus"
    else:
        assert program == "python"
        assert words[0] == "-m"
        place = ROOT / words[1].replace(".", "/")
        assert place.with_suffix(".py").is_file() or (place / "__main__.py").is_file()


def test_names_are_unique_and_results_are_of_declared_measurements() -> None:
    names = [one.name for one in MEASUREMENTS]
    assert len(set(names)) == len(names)
    assert len({figure.name for figure in FIGURES}) == len(FIGURES)
    assert {path.stem for path in RESULTS.glob("*.json")} <= set(names)


def test_what_is_old_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """A figure of another source is no mistake: it is told, and says itself at which commit it was measured."""
    told = notes(FIGURES)
    with capsys.disabled():
        sys.stdout.write("\n".join(["", *told, ""]))
    assert all(any(figure.name in line for figure in FIGURES) or "not committed" in line for line in told)
