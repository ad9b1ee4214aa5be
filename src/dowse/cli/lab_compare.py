"""``dowse lab compare``: which strategy finds the most for the least, on a recorded web."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from dowse.cli.lab import CorpusFolder, lab, shown_progress
from dowse.crawl.workers import default_workers
from dowse.lab.compare.compare import Compared, Told, compare, fitting_labels
from dowse.lab.compare.plan import Plan
from dowse.lab.compare_report import write_compare_report
from dowse.lab.corpus import Corpus, open_corpus
from dowse.lab.summary import SummaryRow, mean_curves, shown_rows, summarise, summary_csv
from dowse.model.errors import UserError
from dowse.store.whole import write_whole

__all__ = [
    "AllLabels", "LabelFile", "LabelNames", "MinPages", "SeedSets", "SeedsKind", "Strategies", "chosen_labels",
    "compare_command", "shown_runs",
]  # fmt: skip

Strategies = Annotated[
    list[str], typer.Option(metavar="NAME[:KEY=VALUE,...]", help="A strategy; may be given several times.")
]
LabelNames = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="A label as topic; may be given several times.")
]
AllLabels = Annotated[bool, typer.Option("--all-labels", help="Every label with enough pages.")]
LabelFile = Annotated[Path | None, typer.Option(metavar="FILE", help="Labels to take as topics, one a line.")]
MinPages = Annotated[int, typer.Option(metavar="NUMBER", help="Pages a label must have.")]
SeedSets = Annotated[int, typer.Option(metavar="NUMBER", help="Runs a topic, each from other seeds.")]
SeedsKind = Annotated[str, typer.Option(metavar="near|far", help="Seeds on the topic, or 2 to 4 links away from it.")]

_WIDE = 120  # characters that the whole table needs
_FEWER_COLUMNS = 5


@lab.command("compare")
def compare_command(
    corpus: CorpusFolder,
    strategy: Strategies = ["best-first"],  # noqa: B006  typer reads it, nobody changes it
    label: LabelNames = None,
    all_labels: AllLabels = False,
    labels_file: LabelFile = None,
    min_pages: MinPages = 40,
    budget: Annotated[
        str, typer.Option(metavar="SHARE", help="Requests a run: 20% of the corpus' pages, or 900r.")
    ] = "20%",
    seed_sets: SeedSets = 3,
    seeds: Annotated[int, typer.Option(metavar="NUMBER", help="Seeds a run.")] = 3,
    seeds_kind: SeedsKind = "near",
    examples: Annotated[int, typer.Option(metavar="NUMBER", help="Example pages the crawler is given.")] = 8,
    seed_number: Annotated[int, typer.Option(metavar="NUMBER", help="Other examples and seeds with another.")] = 0,
    inside: Annotated[bool, typer.Option("--inside", help="Do not follow links that leave the recorded set.")] = False,
    jobs: Annotated[int | None, typer.Option(metavar="NUMBER", help="Processes; one a core if not given.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write table, curves and report into this folder.")
    ] = None,
    as_json: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write all figures as JSON.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run everything anew, whatever was kept.")] = False,
) -> None:
    """Replay a recorded web under several strategies and compare what each would have found."""
    if jobs is not None and jobs < 1:
        raise UserError("--jobs is at least 1")
    plan = Plan(
        tuple(strategy), budget=budget, seeds_kind=seeds_kind, seed_sets=seed_sets, seeds=seeds, examples=examples,
        min_pages=min_pages, seed_number=seed_number, inside=inside,
    )  # fmt: skip
    with shown_progress() as progress:
        opened = open_corpus(corpus, jobs=jobs, progress=progress)
    labels = chosen_labels(opened, plan, label or [], labels_file, all_labels)
    with shown_runs() as told:
        compared = compare(corpus, plan, labels, jobs=jobs or default_workers(), told=told, keep=not fresh)
    for unfit in compared.unfit:
        typer.echo(f"left out {unfit.label}: {unfit.reason}", err=True)
    if not compared.runs:
        raise UserError("no topic could be run: see why above")
    rows = summarise(compared.runs)
    _print_table(rows, compared)
    settings = {"corpus": str(corpus), "digest": opened.digest, **asdict(plan)}
    if as_json is not None:
        text = json.dumps({"settings": settings, "summary": rows, "runs": compared.runs}, indent=1)
        write_whole(as_json, lambda path: path.write_text(text, "utf-8"))
        typer.echo(f"figures  {as_json}")
    if out is not None:
        _write(out, f"Strategies on {corpus.resolve().name}", compared, rows, settings)


def chosen_labels(corpus: Corpus, plan: Plan, named: list[str], file: Path | None, every: bool) -> list[str]:
    """The labels a user asked for; UserError when there are none, or one that no page has."""
    labels = list(named)
    if file is not None:
        try:
            lines = file.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"cannot read {file}: {getattr(error, 'strerror', None) or 'it is no text'}") from None
        labels += [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if every:
        labels += fitting_labels(corpus, plan)
    unknown = [name for name in labels if name not in corpus.labels.pages]
    if unknown:
        raise UserError(f"no page of {corpus.folder} has the label {unknown[0]!r}: dowse lab info lists them")
    if not labels:
        raise UserError("name topics: --label NAME, --labels-file FILE or --all-labels")
    return labels


@contextmanager
def shown_runs() -> Iterator[Told]:
    """A bar in a terminal, a line now and then elsewhere."""
    console = Console(stderr=True)
    if console.is_terminal:
        columns = (TextColumn("runs"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console, transient=True) as bars:
            task = bars.add_task("runs", total=None)
            yield lambda done, total: bars.update(task, completed=done, total=total)
    else:
        yield lambda done, total: typer.echo(f"{done} of {total} runs", err=True)


def _print_table(rows: list[SummaryRow], compared: Compared) -> None:
    topics = len({run["topic"] for run in compared.runs})
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDE)  # a file or a pipe has no width to keep to
    heads, shown = shown_rows(rows)
    most = len(heads) if console.width >= _WIDE else _FEWER_COLUMNS
    table = Table(title=f"{topics} topics, {len(compared.runs)} runs; 95 % intervals below each mean", box=None)
    for place, head in enumerate(heads[:most]):
        table.add_column(head, justify="left" if place == 0 else "right", no_wrap=True)
    for row in shown:
        table.add_row(*(f"{mean}\n{interval}" if interval else mean for mean, interval in row[:most]))
    console.print(table)


def _write(out: Path, title: str, compared: Compared, rows: list[SummaryRow], settings: dict[str, Any]) -> None:
    from dowse.lab.compare_figures import recall_figure, topics_figure  # matplotlib is slow to load

    out.mkdir(parents=True, exist_ok=True)
    budget = max(run["budget_requests"] for run in compared.runs)
    write_whole(out / "summary.csv", lambda path: path.write_text(summary_csv(rows), "utf-8"))
    recall_figure(mean_curves(compared.runs, budget), out / "recall.png", title=title)
    topics_figure(compared.runs, budget, out / "topics.png", title=title)
    report = write_compare_report(
        compared.runs, out / "report.html", title=title, version=version("dowse"), settings=settings
    )
    typer.echo(
        f"table    {out / 'summary.csv'}\ncurves   {out / 'recall.png'}, {out / 'topics.png'}\nreport   {report}"
    )
