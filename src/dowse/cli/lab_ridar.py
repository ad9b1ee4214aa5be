"""``dowse lab figure ridar-1`` to ``ridar-4``: the tables of the ERID paper, of a crawl or a corpus."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from dowse.cli.flags import read_topic
from dowse.cli.lab import shown_progress
from dowse.cli.lab_options import plain, rows_json
from dowse.cli.outputs import check_out
from dowse.cli.terminal import interruptible, say
from dowse.lab.papers.ridar_sites import RIDAR
from dowse.lab.papers.site_outcomes import outcome_table, site_outcomes
from dowse.lab.papers.site_times import site_times, time_lines
from dowse.model.errors import UserError
from dowse.model.files import write_whole
from dowse.model.shown import shown_line
from dowse.model.topic import Topic

__all__ = ["ridar_figure"]

_TIMES = ("ridar-1", "ridar-2")
_NO_KEYWORDS = Topic(query="the page")  # what is judged does not matter to how long it takes


def ridar_figure(
    name: str, folder: Path, *, site: str | None, labels: list[str] | None, topic: str | None, as_json: Path | None,
    force: bool,
) -> None:  # fmt: skip
    """Show one of the tables."""
    label = _only(labels)
    place = list(RIDAR).index(name) % len(_TIMES)
    if as_json is not None:
        check_out(as_json, force=force)
    chosen = None if topic is None else read_topic(topic)
    with interruptible(""), shown_progress() as progress:
        if name in _TIMES:
            times = site_times(folder, place, site, chosen or _NO_KEYWORDS, progress)
            lines, found = time_lines(times), asdict(times)
        else:
            outcomes = site_outcomes(folder, place, site, label, chosen, progress)
            told = outcomes.outcomes
            lines = outcome_table(outcomes)
            found = {**asdict(outcomes), "precision": told.precision, "recall": told.recall}
    for line in lines:
        say(shown_line(line))
    if as_json is not None:
        _write(found, {"figure": name, "folder": str(folder), "site": site, "label": label}, as_json)


def _only(labels: list[str] | None) -> str | None:
    if labels is not None and len(labels) > 1:
        raise UserError("a table of the ERID paper is about one label: give --label once")
    return labels[0] if labels else None


def _write(found: dict[str, Any], settings: dict[str, Any], path: Path) -> None:
    text = rows_json(settings=settings, **plain(found))
    write_whole(path, lambda place: place.write_text(text, "utf-8"))
    say(f"figures  {path}")
