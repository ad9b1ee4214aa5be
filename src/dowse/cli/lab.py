"""``dowse lab``: work on recorded webs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from dowse.cli.help_lines import WholeLines
from dowse.cli.lab_options import job_count
from dowse.cli.stages import shown_stages
from dowse.cli.terminal import interruptible, say, say_json
from dowse.lab.corpus import CorpusInfo, Progress, describe, open_corpus
from dowse.lab.wording import human_bytes
from dowse.model.shown import shown

__all__ = ["CorpusFolder", "lab", "shown_progress"]

lab = typer.Typer(
    cls=WholeLines, name="lab", rich_markup_mode=None, help="Replay recorded webs, and compare strategies on them."
)

CorpusFolder = Annotated[Path, typer.Argument(metavar="CORPUS", help="A folder with WARC files, or a finished crawl.")]
Jobs = Annotated[
    int | None,
    typer.Option(metavar="N", help="Read a new corpus with this many processes. The default is one per core."),
]

_SHOWN = 12  # names in a list


def shown_progress() -> AbstractContextManager[Progress]:
    """Shows on standard error how far the reading of a corpus is."""
    return shown_stages(lambda stage, total: f"{stage} {_amount(stage, total)} (once: the result is kept)")


def _amount(stage: str, total: int) -> str:
    return human_bytes(total) if stage == "indexing" else f"{total:,} URLs"


@lab.command()
def info(
    corpus: CorpusFolder,
    seed: Annotated[
        list[str] | None, typer.Option(metavar="URL", help="Measure how much can be reached from this page.")
    ] = None,
    jobs: Jobs = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with every label.")] = False,
) -> None:
    """Show what is in a corpus.

    Pages, hosts, links, labels and traces, and how much of it can be reached.
    """
    count = job_count(jobs)
    with interruptible(), shown_progress() as progress:
        figures = describe(open_corpus(corpus, jobs=count, progress=progress), seed or ())
    if as_json:
        say_json(asdict(figures))
    else:
        say("\n".join(_lines(figures)))


def _lines(figures: CorpusInfo) -> Iterator[str]:
    yield f"{figures.folder}: {figures.pages:,} pages on {_counted(figures.hosts, 'host')}"
    sizes = f"{human_bytes(figures.body_bytes)}, {human_bytes(figures.wire_bytes)} on the wire"
    yield f"URLs       {figures.urls:,} recorded, {sizes}; {figures.timed:,} with the time they took"
    yield f"statuses   {_listed(figures.statuses)}"
    yield f"types      {_listed(figures.types)}"
    if figures.skipped:
        yield f"left out   {_listed(figures.skipped)}"
    yield f"links      {figures.links_inside:,} between pages, {figures.links_leaving:,} leave the corpus"
    share = figures.reachable / figures.pages if figures.pages else 0.0
    start = shown(figures.seeds[0]) if len(figures.seeds) == 1 else f"{len(figures.seeds):,} pages"
    yield f"reachable  {share:.1%} of the pages from {start} ({figures.seeds_from})"
    yield f"core       {figures.core:,} pages that lead to each other"
    if figures.labels:
        yield f"labels     {len(figures.labels):,}: {_listed(figures.labels)}"
    if figures.labels_unknown:
        yield f"           {_counted(figures.labels_unknown, 'row')} of labels.csv name no page of the corpus"
    if figures.accesses:
        yield f"traces     {figures.accesses:,} accesses by {_counted(figures.users, 'user')}"
    if figures.accesses_unknown:
        yield f"           {figures.accesses_unknown:,} more were to other pages"
    if figures.objects:
        yield f"objects    {figures.objects:,}"


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def _listed(counts: Mapping[str, int]) -> str:
    """
    >>> _listed({"text/html": 1200, "image/png": 3})
    'text/html (1,200), image/png (3)'
    """
    told = [f"{shown(name)} ({count:,})" for name, count in list(counts.items())[:_SHOWN]]
    rest = len(counts) - len(told)
    return ", ".join(told) + (f", {rest:,} more" if rest > 0 else "")
