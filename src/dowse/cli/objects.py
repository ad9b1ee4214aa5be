"""``dowse objects``: what the pages of a crawl state, as typed tuples."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from dowse.cli.flags import Folder, Force
from dowse.cli.help_lines import FirstByDefault
from dowse.cli.object_files import FORMATS, Either, count_lines, format_of, write_objects
from dowse.cli.objects_suggest import suggest_wrapper
from dowse.cli.outputs import check_out
from dowse.cli.terminal import interruptible, say
from dowse.engine.assembly.object_readers import object_readers
from dowse.engine.assembly.stored_objects import PageObjects, stored_objects
from dowse.lab.wording import counted
from dowse.model.errors import UserError
from dowse.model.facts import object_type
from dowse.model.objects import FoundObject
from dowse.model.shown import shown_line
from dowse.recrawl.objects import SIMILAR, check_distinct, distinct
from dowse.store.export import Chosen, page_places

__all__ = ["objects"]

_EVERY = 2_000  # pages from one line of progress to the next
_FAULTS_TOLD = 3


class _ReadFirst(FirstByDefault):
    """``dowse objects DIR`` is short for ``dowse objects read DIR``."""

    first = "read"


objects = typer.Typer(
    cls=_ReadFirst, rich_markup_mode=None,
    help="Read the objects that the pages of a crawl state: events, jobs, products, papers.",
)  # fmt: skip


@objects.command()
def read(
    folder: Folder,
    kind: Annotated[
        list[str] | None, typer.Option("--kind", metavar="KIND", help="Write objects of this kind only. Repeatable.")
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--source",
            metavar="NAME",
            help="Write what was read this way only: json-ld, microdata, rdfa, opengraph, or the name of a wrapper, "
            "function or extractor. Repeatable.",
        ),
    ] = None,
    wrapper: Annotated[
        list[Path] | None, typer.Option("--wrapper", metavar="FILE", help="Read pages by this wrapper too. Repeatable.")
    ] = None,
    function: Annotated[
        list[str] | None,
        typer.Option("--function", metavar="MODULE:NAME", help="Ask this function of Python too. Repeatable."),
    ] = None,
    extractor: Annotated[
        list[str] | None,
        typer.Option("--extractor", metavar="NAME", help="Ask this extractor of a package too. Repeatable."),
    ] = None,
    relevant: Annotated[bool, typer.Option("--relevant", help="Read the relevant pages only.")] = False,
    min_score: Annotated[
        float | None, typer.Option(metavar="SCORE", help="Read pages with at least this score only.")
    ] = None,
    merge: Annotated[
        bool, typer.Option("--distinct", help="Write each object once, with the pages that state it.")
    ] = False,
    similar: Annotated[
        float,
        typer.Option(metavar="RATIO", help="With --distinct: names with at least this token-set ratio are one."),
    ] = SIMILAR,
    to: Annotated[
        str | None,
        typer.Option(metavar="|".join(FORMATS), help="The format. The default is that of the file's name, or table."),
    ] = None,
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="The file to write; - for standard output.")
    ] = "-",
    force: Force = False,
) -> None:
    """Read what the pages of a crawl state: events, jobs, products, papers.

    Structured data is read as it is: JSON-LD, microdata, RDFa and OpenGraph. Wrappers, functions and extractors read
    pages that have none. Nothing is downloaded.
    """
    if min_score is not None and not 0 <= min_score <= 1:
        raise UserError(f"--min-score: must be a number from 0 to 1, not {min_score:g}")
    if not 0.5 <= similar <= 1:
        raise UserError(f"--similar: must be a number from 0.5 to 1, not {similar:g}")
    form = format_of(out, to)
    if out != "-":
        check_out(Path(out), force=force)
    if merge:
        check_distinct()
    readers = object_readers(wrapper or [], function or [], extractor or [])
    places = page_places(folder, Chosen(relevant, min_score))
    tally = _Tally({object_type(one) for one in kind or ()}, set(source or ()))
    with interruptible():
        found = tally.chosen(stored_objects(folder, places, readers, lambda done: _tell(done, len(places))))
        rows: Iterator[Either] = _each_once(found, similar) if merge else found
        count = write_objects(rows, form, out, are_distinct=merge)
    if out != "-":
        say(f"{counted(count, 'distinct object' if merge else 'object')} written to {out}")
    for line in tally.lines(count if merge else None):
        say(shown_line(line), err=True)


objects.command("suggest")(suggest_wrapper)


def _each_once(found: Iterator[FoundObject], similar: float) -> Iterator[Either]:
    """Only when they are asked for: what is wrong with the file is told before long work."""
    yield from distinct(found, similar)


class _Tally:
    """Chooses objects, and counts them by kind and by how they were read."""

    def __init__(self, kinds: set[str], sources: set[str]) -> None:
        self._kinds = kinds
        self._sources = sources
        self._counts: Counter[tuple[str, str]] = Counter()
        self._pages = self._stating = self._missing = self._faulty = 0
        self._faults: list[str] = []

    def chosen(self, pages: Iterator[PageObjects]) -> Iterator[FoundObject]:
        for page in pages:
            self._pages += 1
            self._missing += page.is_missing
            self._faulty += bool(page.faults)
            self._faults += [f"{page.url}: {fault}" for fault in page.faults[: _FAULTS_TOLD - len(self._faults)]]
            before = self._counts.total()
            for one in page.objects:
                if self._takes(one):
                    self._counts[one.kind, one.source] += 1
                    yield one
            self._stating += self._counts.total() > before

    def _takes(self, one: FoundObject) -> bool:
        kind_fits = not self._kinds or object_type(one.kind) in self._kinds
        return kind_fits and (not self._sources or one.source in self._sources)

    def lines(self, distinct_ones: int | None) -> Iterator[str]:
        """What came of it."""
        total = self._counts.total()
        told = f"{counted(total, 'object')} on {self._stating:,} of {counted(self._pages, 'page')}"
        yield told if distinct_ones is None else f"{told}; {distinct_ones:,} distinct"
        yield from count_lines(self._counts)
        if self._missing:
            yield f"pages without a readable record in the archive: {self._missing:,}, left out"
        if self._faulty:
            yield f"readers failed on {counted(self._faulty, 'page')}, as here:"
            yield from (f"  {fault}" for fault in self._faults)


def _tell(done: int, most: int) -> None:
    """Say how far it is."""
    if done % _EVERY < 32 and done < most and sys.stderr.isatty():
        say(f"{done:,} of {most:,} pages read", err=True)
