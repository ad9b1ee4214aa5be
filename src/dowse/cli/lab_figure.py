"""``dowse lab figure``: a figure of a paper, drawn on a recorded web."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from dowse.cli.flags import Force
from dowse.cli.lab import CorpusFolder, lab, shown_progress
from dowse.cli.lab_compare import compare_command
from dowse.cli.lab_freshness import freshness_command
from dowse.cli.lab_judge import judge_command
from dowse.cli.lab_options import (
    KEPT,
    NO_TOPIC,
    AllLabels,
    Budget,
    ByQuery,
    CostForm,
    EveryNth,
    FigureSeeds,
    FigureSpeeds,
    InsideOnly,
    LabelFile,
    LabelNames,
    MinPages,
    SeedSets,
    TopicJobs,
    TracesUntil,
    chosen_labels,
    job_count,
    label_choice,
    plain,
    rows_json,
    shown_topics,
    tell_unfit,
)
from dowse.cli.lab_readers import readers_command
from dowse.cli.lab_ridar import ridar_figure
from dowse.cli.outputs import check_out
from dowse.cli.terminal import interruptible, say
from dowse.lab.compare.mean_curves import Drawn, LiftRow, MeanCurve
from dowse.lab.compare.plan import Plan
from dowse.lab.corpus import open_corpus
from dowse.lab.draw.picture_file import check_picture, picture_ending, save_picture
from dowse.lab.draw.strategies_chart import strategies_chart
from dowse.lab.papers.lift_table import lift_csv, lift_text
from dowse.lab.papers.paper_figures import PAPERS, PaperFigure
from dowse.lab.papers.ridar_sites import RIDAR
from dowse.model.errors import UserError
from dowse.model.files import write_whole

_SHOWN = (0, 1, 3, 7, 15, 19)  # places of a curve by number of parents

# every command of the lab
__all__ = ["compare_command", "figure_command", "freshness_command", "judge_command", "lab", "readers_command"]


@lab.command("figure")
def figure_command(
    name: Annotated[str, typer.Argument(metavar="FIGURE", help=f"One of {', '.join((*PAPERS, *RIDAR))}.")],
    corpus: CorpusFolder,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[:KEY=VALUE,...]", help="A strategy to draw, or several. The default is the figure's own."
        ),
    ] = None,
    label: LabelNames = None,
    all_labels: AllLabels = False,
    every: EveryNth = 1,
    labels_file: LabelFile = None,
    queries: Annotated[
        int | None,
        typer.Option(metavar="N", help="Take this many labels, spread evenly over those that have enough pages."),
    ] = None,
    min_pages: MinPages = 40,
    budget: Budget = "20%",
    seed_sets: SeedSets = 3,
    seeds_kind: FigureSeeds = None,
    inside: InsideOnly = False,
    by_query: ByQuery = False,
    cost: CostForm = "robust",
    speeds: FigureSpeeds = None,
    traces_until: TracesUntil = "50%",
    jobs: TopicJobs = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="The picture, .png, .svg or .pdf. The default is FIGURE.png."),
    ] = None,
    as_json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write curves and table into this file, as JSON.")
    ] = None,
    site: Annotated[
        str | None,
        typer.Option("--site", metavar="HOST", help="The site of a ridar table. The default is the first or second."),
    ] = None,
    topic: Annotated[
        str | None,
        typer.Option(
            "--topic",
            metavar="TOPIC",
            help="The keywords of a ridar table: a topic file, or words. The default is the label's own words.",
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Draw a figure of a paper from runs on a corpus, or show a table of it (ridar-1 to ridar-4), also of a crawl."""
    if name in RIDAR:
        ridar_figure(name, corpus, site=site, labels=label, topic=topic, as_json=as_json, force=force)
        return
    if name not in PAPERS:
        raise UserError(f"there is no figure {name!r}: choose one of {', '.join((*PAPERS, *RIDAR))}")
    figure, path = PAPERS[name], out or Path(f"{name}{picture_ending()}")
    plan = Plan(
        tuple(strategy or figure.strategies), budget=budget,
        seeds_kind=seeds_kind or figure.seeds_kind, seed_sets=seed_sets,
        min_pages=min_pages, inside=inside, by_query=by_query, cost=cost, speeds=speeds or figure.speeds,
        traces_until=traces_until,
    )  # fmt: skip
    choice, count = label_choice(label, labels_file, all_labels, every, some=queries), job_count(jobs)
    check_out(path, force=force)
    check_picture(path)
    for place in (*([path.with_suffix(".csv")] if name.startswith("ag") else []), *([as_json] if as_json else [])):
        check_out(place, force=force)
    with interruptible(KEPT if figure.kept else ""):
        with shown_progress() as progress:
            labels = chosen_labels(open_corpus(corpus, jobs=count, progress=progress), plan, choice)
        with shown_topics() as told:
            drawn = figure.curves(corpus, plan, labels, jobs=count, told=told)
        tell_unfit(drawn.unfit)
        if not drawn.curves:
            raise UserError(NO_TOPIC)
        title = f"{figure.title} ({name}, {corpus.resolve().name})"
        curves = [curve for curve in drawn.curves if strategy or not figure.drawn or curve.strategy in figure.drawn]
        chart = strategies_chart(curves, title=title, note=figure.note, x=figure.x, y=figure.y,
                                 percents=figure.shows == "share")  # fmt: skip
        save_picture(chart.drawing, path)
        for curve in curves:
            say(_row(curve, figure))
        for note in drawn.notes:
            say(note)
        if drawn.table:
            _tell_table(drawn.table, path.with_suffix(".csv"))
        say(f"picture  {path}")
        if as_json is not None:
            settings = {"figure": name, "corpus": str(corpus), **asdict(plan)}
            _write_json(drawn, settings, as_json)


def _tell_table(rows: Sequence[LiftRow], path: Path) -> None:
    say("\nmeans over topics and seeds (95 % intervals)")
    for line in lift_text(rows):
        say(line)
    write_whole(path, lambda place: place.write_text(lift_csv(rows), "utf-8"))
    say(f"\ntable    {path}")


def _write_json(drawn: Drawn, settings: dict[str, Any], path: Path) -> None:
    curves = [{key: _listed(value) for key, value in asdict(curve).items()} for curve in drawn.curves]
    text = rows_json(settings=settings, curves=plain(curves), table=plain([asdict(row) for row in drawn.table]))
    write_whole(path, lambda place: place.write_text(text, "utf-8"))
    say(f"figures  {path}")


def _listed(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _row(curve: MeanCurve, figure: PaperFigure) -> str:
    if figure.shows == "error":
        shown = [f"{curve.at[place]:.0f}: {curve.height[place]:.4f}" for place in _SHOWN if place < len(curve.at)]
        return f"{curve.strategy:16} error by pages that link: {', '.join(shown)}"
    form = "{:6.1%} at {:.3g} %" if figure.shows == "share" else "{:7.1f} at {:.3g} %"
    middle = int(abs(curve.at - curve.at[-1] / 2).argmin())
    told = [form.format(curve.height[place], curve.at[place]) for place in (middle, -1)]
    return f"{curve.strategy:26} {', '.join(told)} of {figure.along}"
