"""``dowse lab figure``: a figure of a paper, drawn on a recorded web."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dowse.cli.interrupt import interruptible
from dowse.cli.lab import CorpusFolder, lab, shown_progress
from dowse.cli.lab_compare import compare_command
from dowse.cli.lab_options import (
    AllLabels,
    Budget,
    ByQuery,
    InsideOnly,
    LabelFile,
    LabelNames,
    MinPages,
    SeedSets,
    SeedsKind,
    Strategies,
    chosen_labels,
    label_choice,
    shown_topics,
)
from dowse.lab.compare.plan import Plan
from dowse.lab.corpus import open_corpus
from dowse.lab.curves import MeanCurve
from dowse.lab.papers import PAPERS, paper_curves
from dowse.model.errors import UserError
from dowse.store.whole import check_writable

_SHOWN = (0, 1, 3, 7, 15, 19)  # places of a curve by number of parents

__all__ = ["compare_command", "figure_command", "lab"]  # every command of the lab


@lab.command("figure")
def figure_command(
    name: Annotated[str, typer.Argument(metavar="FIGURE", help=f"One of {', '.join(PAPERS)}.")],
    corpus: CorpusFolder,
    strategy: Strategies = ["best-first"],  # noqa: B006  typer reads it, nobody changes it
    label: LabelNames = None,
    all_labels: AllLabels = False,
    labels_file: LabelFile = None,
    min_pages: MinPages = 40,
    budget: Budget = "20%",
    seed_sets: SeedSets = 3,
    seeds_kind: SeedsKind = "near",
    inside: InsideOnly = False,
    by_query: ByQuery = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="The picture, PNG or SVG; else FIGURE.png.")
    ] = None,
) -> None:
    """Draw a figure of a paper on a corpus: strategies and references, means over topics and seeds."""
    if name not in PAPERS:
        raise UserError(f"there is no figure {name!r}: choose one of {', '.join(PAPERS)}")
    plan = Plan(
        tuple(strategy), budget=budget, seeds_kind=seeds_kind, seed_sets=seed_sets, min_pages=min_pages,
        inside=inside, by_query=by_query,
    )  # fmt: skip
    choice = label_choice(label, labels_file, all_labels)
    figure, path = PAPERS[name], out or Path(f"{name}.png")
    check_writable(path)
    with interruptible():
        with shown_progress() as progress:
            labels = chosen_labels(open_corpus(corpus, progress=progress), plan, choice)
        with shown_topics() as told:
            curves = paper_curves(name, corpus, plan, labels, told)
        if not curves:
            raise UserError("no topic could be run: its label has too few pages, or no such seeds; try --min-pages")
        from dowse.lab.compare_figures import curves_figure  # matplotlib is slow to load

        title = f"{figure.title} ({name}, {corpus.resolve().name})"
        curves_figure(curves, path, title=title, x=figure.x, y=figure.y, percents=figure.height is not None)
        for curve in curves:
            typer.echo(_told(curve, of_crawls=figure.height is not None))
        typer.echo(f"picture  {path}")


def _told(curve: MeanCurve, *, of_crawls: bool) -> str:
    if of_crawls:
        told = [f"{curve.height[place]:6.1%} at {curve.at[place]:.3g} %" for place in (len(curve.at) // 2, -1)]
        return f"{curve.strategy:26} {', '.join(told)} of the cost"
    shown = [f"{curve.at[place]:.0f}: {curve.height[place]:.4f}" for place in _SHOWN if place < len(curve.at)]
    return f"{curve.strategy:16} error by pages that link: {', '.join(shown)}"
