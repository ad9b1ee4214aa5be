"""``dowse lab compare``: which strategy finds the most for the least, on a recorded web."""

from __future__ import annotations

from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from dowse.cli.flags import Force, flagged
from dowse.cli.lab import CorpusFolder, lab, shown_progress
from dowse.cli.lab_options import (
    KEPT,
    NO_TOPIC,
    AllLabels,
    Budget,
    ByQuery,
    CostForm,
    EveryNth,
    InsideOnly,
    LabelChoice,
    LabelFile,
    LabelNames,
    MinPages,
    OwnVerdicts,
    SeedSets,
    SeedsKind,
    ShardCounts,
    Speeds,
    Strategies,
    TopicJobs,
    TracesUntil,
    WithoutDefault,
    WorkOn,
    YardstickTopic,
    check_outputs,
    chosen_labels,
    chosen_strategies,
    hands_on,
    job_count,
    label_choice,
    measured_by,
    rows_json,
    shown_topics,
    tell_default,
    tell_unfit,
    yardstick_topic,
)
from dowse.cli.terminal import interruptible, say
from dowse.lab.compare.comparison import Compared, compare
from dowse.lab.compare.mean_curves import mean_curves
from dowse.lab.compare.plan import Plan
from dowse.lab.compare.summary_table import SummaryRow, shown_rows, summarise, summary_csv
from dowse.lab.compare.topic_table import topic_rows, topics_csv
from dowse.lab.compare.yardstick import Yardstick
from dowse.lab.corpus import Corpus, open_corpus
from dowse.lab.corpus.labels import LABELS
from dowse.lab.draw.picture_file import picture_ending, save_picture
from dowse.lab.draw.strategies_chart import strategies_chart, topics_chart
from dowse.lab.report.compare_report import write_compare_report
from dowse.model.errors import UserError
from dowse.model.files import write_whole
from dowse.model.topic import Topic

__all__ = ["compare_command"]

_TABLE, _TOPICS, _REPORT = "summary.csv", "topics.csv", "report.html"
_CURVES, _PANELS = "recall", "topics"  # pictures
_OTHER_LABELS = "; or measure by --own-verdicts, --topic TOPIC or --predicate EXPR"
_TUNNELS = "irrelevant pages that led to relevant ones"
_WIDE = 132  # characters that the whole table needs
_FEWER_COLUMNS = 5


@lab.command("compare")
@flagged("--predicate", "--category")
def compare_command(
    corpus: CorpusFolder,
    strategy: Strategies = None,
    without_default: WithoutDefault = False,
    shards: ShardCounts = None,
    label: LabelNames = None,
    all_labels: AllLabels = False,
    every: EveryNth = 1,
    labels_file: LabelFile = None,
    own_verdicts: OwnVerdicts = False,
    topic: YardstickTopic = None,
    min_pages: MinPages = 40,
    budget: Budget = "20%",
    seed_sets: SeedSets = 3,
    seeds: Annotated[int, typer.Option(metavar="N", help="Start each run from this many seeds.")] = 3,
    seeds_kind: SeedsKind = "near",
    examples: Annotated[int, typer.Option(metavar="N", help="Give the crawler this many example pages.")] = 8,
    seed_number: Annotated[int, typer.Option(metavar="N", help="Another number chooses other examples and seeds.")] = 0,
    weighting: Annotated[str, typer.Option(metavar="NAME", help="Term weights: tf, log, tf-idf or log-idf.")] = "log",
    inside: InsideOnly = False,
    by_query: ByQuery = False,
    cost: CostForm = "robust",
    speeds: Speeds = "even",
    traces_until: TracesUntil = "50%",
    jobs: TopicJobs = None,
    on: WorkOn = "here",
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write tables, curves and a report into this folder.")
    ] = None,
    as_json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write all figures into this file, as JSON.")
    ] = None,
    force: Force = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run everything again, even what was kept.")] = False,
    **given: Any,
) -> None:
    """Compare what several strategies find on a recorded web.

    What they look for: labels of labels.csv, a crawl's own verdicts, or the pages that a topic or a predicate calls
    relevant.
    """
    plan = Plan(
        chosen_strategies(strategy, without_default=without_default, shards=shards), budget=budget,
        seeds_kind=seeds_kind, seed_sets=seed_sets, seeds=seeds, examples=examples, min_pages=min_pages,
        seed_number=seed_number, inside=inside, weighting=weighting, by_query=by_query, cost=cost, speeds=speeds,
        traces_until=traces_until,
    )  # fmt: skip
    judge, count = yardstick_topic(topic, given), job_count(jobs)
    labelled = bool(label or labels_file or all_labels)
    _check_one_yardstick(labelled, own_verdicts, judge is not None)
    choice = None
    if not own_verdicts and judge is None:
        choice = label_choice(label, labels_file, all_labels, every, _OTHER_LABELS)
    check_outputs(out, as_json, _outputs, force=force)
    tell_default(strategy, plan.strategies)
    hands = hands_on(on, jobs)
    with interruptible("" if fresh else KEPT):
        with shown_progress() as progress:
            opened = open_corpus(corpus, jobs=count, progress=progress)
        yardstick = _yardstick(opened, plan, choice, judge)
        with shown_topics() as told:
            compared = compare(
                corpus if hands is None else corpus.resolve(), plan, yardstick.names, jobs=count, told=told,
                keep=not fresh, yardstick=yardstick.labels, hands=None if hands is None else hands(opened),
            )  # fmt: skip
        tell_unfit(compared.unfit)
        if not compared.runs:
            raise UserError(NO_TOPIC)
        settings = {"corpus": str(corpus), "digest": opened.digest, "relevant_by": yardstick.source, **asdict(plan)}
        _tell(compared, f"Strategies on {corpus.resolve().name}", settings, out, as_json)


def _yardstick(corpus: Corpus, plan: Plan, choice: LabelChoice | None, judge: Topic | None) -> Yardstick:
    """What is looked for: the labels of the corpus that were chosen, or what was asked for in their place."""
    if choice is None:
        return measured_by(corpus, plan, judge)
    return Yardstick(corpus.labels, chosen_labels(corpus, plan, choice), LABELS)


def _check_one_yardstick(labels: bool, own: bool, judged: bool) -> None:
    if labels + own + judged > 1:
        raise UserError("what is relevant is said once: by labels, by --own-verdicts, or by --topic and --predicate")


def _tell(compared: Compared, title: str, settings: dict[str, Any], out: Path | None, as_json: Path | None) -> None:
    rows = summarise(compared.runs)
    _print_table(rows, compared)
    if as_json is not None:
        text = rows_json(settings=settings, summary=rows, topics=topic_rows(compared.runs), runs=compared.runs)
        write_whole(as_json, lambda path: path.write_text(text, "utf-8"))
        say(f"figures  {as_json}")
    if out is not None:
        _write(out, title, compared, rows, settings)


def _outputs(out: Path) -> list[Path]:
    return [*_pictures(out), *(out / name for name in (_TABLE, _TOPICS, _REPORT))]


def _pictures(out: Path) -> tuple[Path, Path]:
    """Over all topics, and for each."""
    return out / f"{_CURVES}{picture_ending()}", out / f"{_PANELS}{picture_ending()}"


def _print_table(rows: list[SummaryRow], compared: Compared) -> None:
    topics = len({run["topic"] for run in compared.runs})
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDE)  # a file or a pipe has no width to keep to
    title = f"{topics} topics, {len(compared.runs)} runs; 95 % intervals below each mean"
    console.print(_as_table(shown_rows(rows), title, console.width))
    console.print(_as_table(shown_rows(rows, tunnels=True), _TUNNELS, console.width))


def _as_table(shown: tuple[list[str], list[list[tuple[str, str]]]], title: str, width: int) -> Table:
    heads, rows = shown
    most = len(heads) if width >= _WIDE else _FEWER_COLUMNS
    table = Table(title=title, box=None)
    for place, head in enumerate(heads[:most]):
        table.add_column(head, justify="left" if place == 0 else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(f"{mean}\n{interval}" if interval else mean for mean, interval in row[:most]))
    return table


def _write(out: Path, title: str, compared: Compared, rows: list[SummaryRow], settings: dict[str, Any]) -> None:
    budget = max(run["budget_requests"] for run in compared.runs)
    write_whole(out / _TABLE, lambda path: path.write_text(summary_csv(rows), "utf-8"))
    topics = topics_csv(topic_rows(compared.runs))
    write_whole(out / _TOPICS, lambda path: path.write_text(topics, "utf-8"))
    curves, panels = _pictures(out)
    save_picture(strategies_chart(mean_curves(compared.runs, budget), title=title).drawing, curves)
    save_picture(topics_chart(compared.runs, budget, title=title), panels)
    report = write_compare_report(
        compared.runs, out / _REPORT, title=title, version=version("dowse"), settings=settings
    )  # fmt: skip
    say(f"tables   {out / _TABLE}, {out / _TOPICS}\ncurves   {curves}, {panels}\nreport   {report}")
