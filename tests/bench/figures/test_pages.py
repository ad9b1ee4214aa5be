"""Regions are filled from results alone, and numbers elsewhere are noticed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from bench.figures.figure import Figure, Measurement
from bench.figures.pages import filled, regions, stray_tables, write_pages
from bench.figures.results import Result

PAGE = """\
# Strategies

By hand.

<!-- figure: areas -->

old

<!-- end of figure -->

After it.

<!-- figure: other -->
stays
<!-- end of figure -->
"""


def kept(told: Any) -> Any:
    return told


AREAS = Measurement("areas", "dowse lab compare wikispeedia --all-labels", 1.0, kept)
FIGURE = Figure("areas", "page.md", (AREAS,), lambda found: f"| area |\n|---:|\n| {found[0]['area']} |")


def result(measurement: Measurement = AREAS, area: float = 0.5) -> Result:
    return Result(measurement.command, "2026-11-18", "abc1234", "tree", "a machine, 2 cores", 3.0, {"area": area})


def test_a_region_holds_table_command_and_origin(tmp_path: Path) -> None:
    result().write(tmp_path / "areas.json")
    [areas, other] = regions(filled(PAGE, [FIGURE], tmp_path))
    assert areas.text.split("\n\n") == [
        "\n| area |\n|---:|\n| 0.5 |",
        "```sh\ndowse lab compare wikispeedia --all-labels\n```",
        "*Measured: 2026-11-18, commit abc1234, a machine, 2 cores.*",
        "",
    ]
    assert other.text == "stays\n"


def test_what_is_around_stays_and_a_second_time_changes_nothing(tmp_path: Path) -> None:
    result().write(tmp_path / "areas.json")
    once = filled(PAGE, [FIGURE], tmp_path)
    assert once.startswith(PAGE[: PAGE.index("\nold")])
    assert once.endswith(PAGE[PAGE.index("<!-- end of figure -->\n\nAfter it.") :])
    assert filled(once, [FIGURE], tmp_path) == once


def test_an_edit_by_hand_shows(tmp_path: Path) -> None:
    result().write(tmp_path / "areas.json")
    edited = filled(PAGE, [FIGURE], tmp_path).replace("0.5", "0.6")
    assert filled(edited, [FIGURE], tmp_path) != edited


def test_another_command_leaves_the_page_as_it_is(tmp_path: Path) -> None:
    other = Measurement("areas", "dowse lab compare wikispeedia --inside", 1.0, kept)
    result(other).write(tmp_path / "areas.json")
    assert filled(PAGE, [FIGURE], tmp_path) == PAGE


def test_a_figure_of_two_measurements_waits_for_both(tmp_path: Path) -> None:
    far = Measurement("far", "dowse lab compare wikispeedia --seeds-kind far", 1.0, kept)
    both = Figure("areas", "page.md", (AREAS, far), lambda found: " ".join(str(one["area"]) for one in found))
    result().write(tmp_path / "areas.json")
    assert filled(PAGE, [both], tmp_path) == PAGE
    result(far, 0.25).write(tmp_path / "far.json")
    text = regions(filled(PAGE, [both], tmp_path))[0].text
    assert "\n0.5 0.25\n" in text
    assert f"{AREAS.command}\n{far.command}" in text
    assert text.count("abc1234") == 1, "one origin is told once"


def test_a_page_tells_a_command_once(tmp_path: Path) -> None:
    result().write(tmp_path / "areas.json")
    again = Figure("other", "page.md", (AREAS,), lambda found: "once more")
    [first, second] = regions(filled(PAGE, [FIGURE, again], tmp_path))
    assert AREAS.command in first.text
    assert AREAS.command not in second.text
    assert "once more\n\nThe commands are those above.\n\n*Measured: 2026-11-18" in second.text


def test_only_pages_that_change_are_written(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(PAGE)
    assert write_pages([FIGURE], tmp_path, tmp_path) == []
    result().write(tmp_path / "areas.json")
    assert write_pages([FIGURE], tmp_path, tmp_path) == ["page.md"]
    assert write_pages([FIGURE], tmp_path, tmp_path) == []


MEASURED = "| strategy | area |\n|---|---:|\n| `bfs` | 0.5 (0.4 to 0.6) |\n| `dfs` | 0.3 |\n| `random` | **0.1** |\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"Text.\n\n{MEASURED}", [3]),
        (f"<!-- figure: a -->\n{MEASURED}<!-- end of figure -->\n", []),
        (f"<!-- no figure: set, not measured -->\n\n{MEASURED}", []),
        (f"<!-- no figure: -->\n\n{MEASURED}", [3]),
        (f"<!-- no figure: of the paragraph only -->\n\nText.\n\n{MEASURED}", [5]),
        (f"```text\n{MEASURED}```\n", []),
        ("| code | meaning |\n|---|---|\n| 0 | Done. |\n| 1 | Failed. |\n| 2 | Wrong. |\n", []),
        ("| web | near / far |\n|---|---|\n| a | 11.1 / 72.9 |\n| b | +5 % |\n| c | -3 to 4 |\n", [1]),
    ],
)
def test_numbers_that_come_from_nowhere_are_noticed(text: str, lines: list[int]) -> None:
    assert [table.line for table in stray_tables(text)] == lines
