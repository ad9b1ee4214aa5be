"""``dowse erid``: a threshold for the keyword pool, from pages that somebody labelled."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from dowse.cli.flags import AsJson, read_topic
from dowse.cli.help_lines import WholeLines
from dowse.cli.lab import shown_progress
from dowse.cli.terminal import interruptible, say, say_json
from dowse.judge.measured import Figure
from dowse.lab.erid.calibration import Calibrated, calibrated, outcome_lines
from dowse.lab.erid.labelled_scores import LabelledPages, crawl_topic, erid_scores, labelled_pages, labels_table
from dowse.lab.wording import score_told
from dowse.model.errors import UserError
from dowse.model.shown import shown_line
from dowse.store.sharded import holds_crawl

__all__ = ["erid"]

_LABELS = "Pages with labels: a crawl with your answers (dowse label), a corpus, or the labels.csv of either."
_TOPIC = "The topic file with the keywords, or words. The default is the crawl's own."
_LABEL = "The label of the pages on the topic. The default is that of your answers, relevant."
_PRECISION = "Accept as many pages as possible at this precision. The default is the best F1."

erid = typer.Typer(cls=WholeLines, name="erid", rich_markup_mode=None)


@erid.callback()
def _erid() -> None:  # with it, the one command that there is keeps its name
    """Set up ERID, the judge by weighted keywords."""


@erid.command("calibrate")
def calibrate_command(
    labels: Annotated[Path, typer.Option("--labels", metavar="FILE|DIR", help=_LABELS)],
    topic: Annotated[str | None, typer.Option("--topic", metavar="TOPIC", help=_TOPIC)] = None,
    label: Annotated[str | None, typer.Option("--label", metavar="NAME", help=_LABEL)] = None,
    precision: Annotated[
        float | None, typer.Option("--precision", metavar="P", min=0.0, max=1.0, help=_PRECISION)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find the threshold that suits labelled pages, and show how often it is right."""
    folder = labels_table(labels).parent
    if topic is None and not holds_crawl(folder):
        raise UserError("which keywords? Give --topic FILE: only a crawl knows its topic by itself")
    chosen = crawl_topic(folder) if topic is None else read_topic(topic)
    with interruptible(""):
        with shown_progress() as progress:
            pages = labelled_pages(labels, label, progress=progress)
        found = calibrated(pages.urls, erid_scores(pages, chosen), pages.truth, precision)
    if as_json:
        say_json({"labels": str(labels), "label": pages.label, "pages": len(pages.numbers), **asdict(found)})
        return
    for line in _told(pages, found, precision, chosen.judge.form):
        say(shown_line(line))


def _told(pages: LabelledPages, found: Calibrated, precision: float | None, form: str) -> list[str]:
    positive = int(pages.truth.sum())
    missing = f"; {pages.missing:,} that are labelled were not found" if pages.missing else ""
    if pages.dropped:
        missing += f"; {pages.dropped:,} more are labelled, but their text was not kept (drop_refused)"
    wanted = "with the best F1" if precision is None else f"for a precision of {precision:g}"
    figures = found.measured
    lines = [
        f"{len(pages.numbers):,} labelled pages, {positive:,} of them on the topic ({pages.label!r}){missing}",
        f"threshold {wanted}: {score_told(found.threshold, 'erid')}",
        *found.doubts,
        "",
        f"how often it is right: each page by a threshold made without it ({figures.folds} folds)",
        *outcome_lines(found.outcomes),
        f"precision {_figure(figures.precision)}, recall {_figure(figures.recall)}, F1 {_figure(figures.f1)}",
    ]
    if not found.reached:
        lines.append(f"no threshold reaches a precision of {precision:g} on these pages: this is the most precise")
    if not found.threshold:
        return lines  # a threshold of 0 is none: it is not worth pasting
    paper = ['form = "paper"'] if form == "paper" else []
    return [*lines, "", "for the topic file:", "[judge]", 'method = "erid"', *paper,
            f"threshold = {score_told(found.threshold, 'erid')}"]  # fmt: skip


def _figure(figure: Figure) -> str:
    return f"{figure.value:.2f} ({figure.low:.2f} to {figure.high:.2f})"
