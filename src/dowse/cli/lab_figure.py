"""``dowse lab figure``: a figure of a paper, drawn on a recorded web."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from dowse.cli.lab import CorpusFolder, lab, shown_progress
from dowse.cli.lab_compare import compare_command
from dowse.cli.lab_judge import judge_command
from dowse.cli.lab_options import (
    KEPT,
    NO_TOPIC,
    AllLabels,
    Budget,
    ByQuery,
    InsideOnly,
    LabelFile,
    LabelNames,
    MinPages,
    SeedSets,
    SeedsKind,
    TopicJobs,
    chosen_labels,
    job_count,
    label_choice,
    shown_topics,
    tell_unfit,
)
from dowse.cli.terminal import interruptible, say
from dowse.lab.compare.mean_curves import LiftRow, MeanCurve
from dowse.lab.compare.plan import Plan
from dowse.lab.corpus import open_corpus
from dowse.lab.draw.picture_file import check_picture, picture_ending, save_picture
from dowse.lab.draw.strategies_chart import strategies_chart
from dowse.lab.papers.lift_table import lift_csv, lift_text
from dowse.lab.papers.paper_figures import PAPERS, PaperFigure
from dowse.model.errors import UserError
from dowse.model.files import check_writable, write_whole

_SHOWN = (0, 1, 3, 7, 15, 19)  # places of a curve by number of parents

__all__ = ["compare_command", "figure_command", "judge_command", "lab"]  # every command of the lab


@lab.command("figure")
def figure_command(
    name: Annotated[str, typer.Argument(metavar="FIGURE", help=f"One of {', '.join(PAPERS)}.")],
    corpus: CorpusFolder,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[:KEY=VALUE,...]", help="A strategy to draw, or several. The default is the figure's own."
        ),
    ] = None,
    label: LabelNames = None,
    all_labels: AllLabels = False,
    labels_file: LabelFile = None,
    min_pages: MinPages = 40,
    budget: Budget = "20%",
    seed_sets: SeedSets = 3,
    seeds_kind: SeedsKind = "near",
    inside: InsideOnly = False,
    by_query: ByQuery = False,
    jobs: TopicJobs = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="The picture, .png, .svg or .pdf. The default is FIGURE.png."),
    ] = None,
) -> None:
    """Draw a figure of a paper from runs on a corpus."""
    if name not in PAPERS:
        raise UserError(f"there is no figure {name!r}: choose one of {', '.join(PAPERS)}")
    figure, path = PAPERS[name], out or Path(f"{name}{picture_ending()}")
    plan = Plan(
        tuple(strategy or figure.strategies), budget=budget, seeds_kind=seeds_kind, seed_sets=seed_sets,
        min_pages=min_pages, inside=inside, by_query=by_query,
    )  # fmt: skip
    choice, count = label_choice(label, labels_file, all_labels), job_count(jobs)
    check_writable(path)
    check_picture(path)
    with interruptible(KEPT if figure.kept else ""):
        with shown_progress() as progress:
            labels = chosen_labels(open_corpus(corpus, jobs=count, progress=progress), plan, choice)
        with shown_topics() as told:
            drawn = figure.curves(corpus, plan, labels, jobs=count, told=told)
        tell_unfit(drawn.unfit)
        if not drawn.curves:
            raise UserError(NO_TOPIC)
        title = f"{figure.title} ({name}, {corpus.resolve().name})"
        chart = strategies_chart(drawn.curves, title=title, note=figure.note, x=figure.x, y=figure.y,
                                 percents=figure.shows == "share")  # fmt: skip
        save_picture(chart.drawing, path)
        for curve in drawn.curves:
            say(_row(curve, figure))
        if drawn.table:
            _tell_table(drawn.table, path.with_suffix(".csv"))
        say(f"picture  {path}")


def _tell_table(rows: Sequence[LiftRow], path: Path) -> None:
    say("\nmeans over topics and seeds (95 % intervals)")
    for line in lift_text(rows):
        say(line)
    write_whole(path, lambda place: place.write_text(lift_csv(rows), "utf-8"))
    say(f"\ntable    {path}")


def _row(curve: MeanCurve, figure: PaperFigure) -> str:
    if figure.shows == "error":
        shown = [f"{curve.at[place]:.0f}: {curve.height[place]:.4f}" for place in _SHOWN if place < len(curve.at)]
        return f"{curve.strategy:16} error by pages that link: {', '.join(shown)}"
    form = "{:6.1%} at {:.3g} %" if figure.shows == "share" else "{:7.1f} at {:.3g} %"
    middle = int(abs(curve.at - curve.at[-1] / 2).argmin())
    told = [form.format(curve.height[place], curve.at[place]) for place in (middle, -1)]
    return f"{curve.strategy:26} {', '.join(told)} of {figure.along}"
