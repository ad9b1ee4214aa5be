"""``dowse lab judge``: whose verdicts are right, on a recorded web with labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from dowse.cli.flags import Force
from dowse.cli.lab import CorpusFolder, lab, shown_progress
from dowse.cli.lab_options import (
    NO_TOPIC,
    EveryNth,
    LabelFile,
    LabelNames,
    MinPages,
    TopicJobs,
    check_outputs,
    chosen_labels,
    job_count,
    label_choice,
    plain,
    rows_json,
    shown_topics,
    tell_unfit,
)
from dowse.cli.terminal import interruptible, say
from dowse.lab.compare.bootstrap import Interval
from dowse.lab.corpus import open_corpus
from dowse.lab.draw.picture_file import picture_ending, save_picture
from dowse.lab.judging.contestants import CONTESTANTS
from dowse.lab.judging.reliability import Curve, reliability_csv, reliability_curves, telling_curves
from dowse.lab.judging.reliability_chart import reliability_chart
from dowse.lab.judging.trials import EXAMPLES, TrialPlan, Trials, judge_labels
from dowse.lab.judging.verdict_table import (
    BiasRow,
    CrawlRow,
    VerdictRow,
    bias_rows,
    crawl_rows,
    shown_verdicts,
    trial_values,
    trials_csv,
    verdict_rows,
    verdicts_csv,
)
from dowse.lab.wording import percent
from dowse.model.errors import UserError
from dowse.model.files import write_whole

__all__ = ["judge_command"]

_TABLE, _TRIALS, _BINS, _PICTURE = "verdicts.csv", "trials.csv", "reliability.csv", "reliability"
_WIDE = 132  # characters that the widest table needs
_FEWER_COLUMNS = 6
_PLAN = TrialPlan()


@lab.command("judge")
def judge_command(
    corpus: CorpusFolder,
    judge: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help=f"A judge to measure: {', '.join(CONTESTANTS)}. The default is all."),
    ] = None,
    label: LabelNames = None,
    labels_file: LabelFile = None,
    every: EveryNth = 1,
    min_pages: MinPages = 40,
    last_part: Annotated[
        bool,
        typer.Option("--last-part", help="Take the last part of a label, Biology of Science.Biology, for its name."),
    ] = False,
    examples: Annotated[
        list[int],
        typer.Option(metavar="N", help="Give the judge this many example pages besides the label's name."),
    ] = list(EXAMPLES),  # noqa: B006  typer reads it, nobody changes it
    no_counter_examples: Annotated[
        bool,
        typer.Option("--no-counter-examples", help="Leave out the trials with as many pages off the topic as on it."),
    ] = False,
    background: Annotated[
        list[str],
        typer.Option(
            metavar="NAME[:KEY=VALUE,...]",
            help="The strategy of a crawl that fetches pages for judges to learn from.",
        ),
    ] = list(_PLAN.backgrounds),  # noqa: B006
    background_pages: Annotated[
        int, typer.Option(metavar="N", help="How many pages such a crawl fetches.")
    ] = _PLAN.background_pages,
    seeds_kind: Annotated[
        str | None,
        typer.Option(
            metavar="near|far|roots",
            help="Where such a crawl begins: on the topic, 2 to 4 links away from it, or at the pages in roots.csv. "
            "The default is roots.csv, or on the topic if there is no such file.",
        ),
    ] = None,
    seed_number: Annotated[int, typer.Option(metavar="N", help="Another number chooses other examples and seeds.")] = 0,
    jobs: TopicJobs = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write tables and the reliability diagram into this folder.")
    ] = None,
    as_json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write all figures into this file, as JSON.")
    ] = None,
    force: Force = False,
) -> None:
    """Measure how good the verdicts of judges are, on every label of a recorded web."""
    judges, crawls = tuple(dict.fromkeys(judge or CONTESTANTS)), tuple(dict.fromkeys(background))
    plan = TrialPlan(
        judges, tuple(examples), not no_counter_examples, crawls, background_pages, seeds_kind or "", min_pages,
        seed_number, last_part,
    )  # fmt: skip
    choice, count = label_choice(label, labels_file, not (label or labels_file), every), job_count(jobs)
    check_outputs(out, as_json, _outputs, force=force)
    with interruptible():
        with shown_progress() as progress:
            opened = open_corpus(corpus, jobs=count, progress=progress)
        labels = chosen_labels(opened, plan.crawls(), choice)
        with shown_topics() as told:
            found = judge_labels(corpus, plan, labels, jobs=count, progress=told)
        tell_unfit(found.unfit)
        if not found.trials:
            raise UserError(NO_TOPIC)
        settings = {"corpus": str(corpus), "digest": opened.digest, **asdict(plan)}
        _tell(found, f"Reliability of verdicts on {corpus.resolve().name}", settings, out, as_json)


def _tell(found: Trials, title: str, settings: dict[str, Any], out: Path | None, as_json: Path | None) -> None:
    seed_number = settings["seed_number"]
    rows, curves = verdict_rows(found.trials, seed_number), reliability_curves(found.trials)
    crawls, biases = crawl_rows(found.crawled, seed_number), bias_rows(found.trials, seed_number)
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDE)  # a file or a pipe has no width to keep to
    wide = console.width >= _WIDE
    tables = [_verdicts(rows, wide=wide), *_backgrounds(crawls, biases), *([_reliability(curves)] if curves else [])]
    for place, table in enumerate(tables):
        console.print(*([""] if place else []), table, sep="\n")
    if as_json is not None:
        parts = (("verdicts", rows), ("crawls", crawls), ("biases", biases), ("reliability", curves))
        lists = {name: [plain(asdict(one)) for one in part] for name, part in parts}
        text = rows_json(settings=settings, **lists, trials=list(map(trial_values, found.trials)))
        write_whole(as_json, partial(_put, text=text))
        say(f"figures  {as_json}")
    if out is not None:
        _write(out, title, found, rows, curves)


def _verdicts(rows: Sequence[VerdictRow], *, wide: bool) -> Table:
    heads, shown = shown_verdicts(rows)
    most = len(heads) if wide else _FEWER_COLUMNS
    usual = rows[0].share_brier
    told = f"{max(row.topics for row in rows)} topics; 95 % intervals below each mean"
    table = _table(f"{told}; Brier {usual:.3f} is that of saying the label's share of every page", heads[:most], left=3)
    for row in shown:
        table.add_row(*(f"{value}\n{interval}" if interval else value for value, interval in row[:most]))
    refused = [f"{row.setting.judge} ({row.setting.told}) {row.refused}" for row in rows if row.refused]
    if refused:
        table.caption = f"topics that a judge could make nothing of, so that no page is relevant: {', '.join(refused)}"
    return table


def _backgrounds(crawls: Sequence[CrawlRow], biases: Sequence[BiasRow]) -> list[Table]:
    """What was fetched to learn from, and what it costs that it is no sample of the corpus."""
    if not crawls:
        return []
    pages = _table("pages to learn from", ["crawl", "pages", "on the topic", "of the corpus"])
    for crawl in crawls:
        share = percent(crawl.share.mean)
        if math.isfinite(crawl.share.low):
            share += f" ({percent(crawl.share.low)} to {percent(crawl.share.high)})"
        pages.add_row(crawl.strategy, f"{crawl.pages:,.0f}", share, percent(crawl.corpus_share))
    costs = _table("what another background changes", ["judge", "background", "told", "F1", "AP"], left=3)
    for bias in biases:
        changes = (_change(one) for one in (bias.f1, bias.average_precision))
        background = f"{bias.setting.background} instead of {bias.against}"
        costs.add_row(bias.setting.judge, background, bias.setting.told, *changes)
    return [pages, costs] if biases else [pages]


def _change(interval: Interval) -> str:
    bounds = f" ({interval.low:+.3f} to {interval.high:+.3f})" if math.isfinite(interval.low) else ""
    return f"{interval.mean:+.3f}{bounds}"


def _reliability(curves: Sequence[Curve]) -> Table:
    heads = ["judge", "background", "told", "chance from", "to", "mean", "on the topic", "pages"]
    table = _table("reliability: of pages with about the same chance, how many are on the topic?", heads, left=3)
    for curve in telling_curves(curves):
        setting = curve.setting
        for place, one in enumerate(curve.bins):
            names = ("", "", "") if place else (setting.judge, setting.background or "-", setting.told)
            chances = (f"{value:.3f}" for value in (one.low, one.high, one.said))
            table.add_row(*names, *chances, f"{one.held:.3f}", f"{one.pages:,}")
    return table


def _table(title: str, heads: Sequence[str], left: int = 1) -> Table:
    table = Table(title=title, box=None)
    for place, head in enumerate(heads):
        table.add_column(head, justify="left" if place < left else "right", no_wrap=True)
    return table


def _outputs(out: Path) -> list[Path]:
    return [out / name for name in (_TABLE, _TRIALS, _BINS, f"{_PICTURE}{picture_ending()}")]


def _write(out: Path, title: str, found: Trials, rows: list[VerdictRow], curves: list[Curve]) -> None:
    table, trials, bins, picture = _outputs(out)
    texts = {table: verdicts_csv(rows), trials: trials_csv(found.trials), bins: reliability_csv(curves)}
    for path, text in texts.items():
        write_whole(path, partial(_put, text=text))
    save_picture(reliability_chart(curves, title=title), picture)
    say(f"tables   {table}, {trials}, {bins}\npicture  {picture}")


def _put(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")
