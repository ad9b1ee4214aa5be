"""``dowse stats``: what crawls have learned, to look at and to keep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dowse.cli.flags import Force
from dowse.cli.help_lines import FirstByDefault
from dowse.cli.terminal import interruptible, say, say_json
from dowse.model.errors import UserError
from dowse.model.shown import shown as fit

if TYPE_CHECKING:  # NumPy and the parser are loaded by the commands alone
    from dowse.predict.learning import Statistics
    from dowse.predict.learning.strength import Strength

__all__ = ["stats"]

_NAMED = 200  # words for the topic, and against it, that a file names
_CRAWLS = 20
_WIDEST = 34

Place = Annotated[Path, typer.Argument(metavar="DIR|FILE", help="The folder of a crawl, or a file of statistics.")]
Places = Annotated[
    list[Path], typer.Argument(metavar="DIR|FILE...", help="Folders of crawls, and files of statistics.")
]
Out = Annotated[
    Path, typer.Option("--out", "-o", metavar="FILE", help="The file to write. A name that ends in .gz compresses it.")
]
WithoutPeople = Annotated[
    bool, typer.Option("--without-people", help="Leave out what was counted of people, who are keyed hashes.")
]
Side = list[tuple[str, "Strength"]]


class _ShowFirst(FirstByDefault):
    """``dowse stats DIR`` is short for ``dowse stats show DIR``."""

    first = "show"


stats = typer.Typer(
    cls=_ShowFirst, rich_markup_mode=None,
    help="Show, save and merge what earlier crawls have learned.",
)  # fmt: skip


@stats.command()
def show(
    place: Place,
    top: Annotated[
        int, typer.Option(metavar="N", help="Show this many words, tokens and hosts for the topic, and against it.")
    ] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what speaks for the topic, and what against it.

    Words, tokens of URLs and anchors, and hosts, the strongest first.
    """
    if top < 1:
        raise UserError(f"--top: must be at least 1, not {top}")
    with interruptible():
        found = _read(place, top)
    tables = _tables(found, top)
    if as_json:
        say_json(_plain(found, tables))
    else:
        say("\n".join(_lines(found, tables, place)))


@stats.command()
def save(place: Place, out: Out, without_people: WithoutPeople = False, force: Force = False) -> None:
    """Save the statistics of a crawl in one file."""
    _write([place], out, without_people=without_people, force=force)


@stats.command()
def merge(places: Places, out: Out, without_people: WithoutPeople = False, force: Force = False) -> None:
    """Add the statistics of several crawls into one file."""
    _write(places, out, without_people=without_people, force=force)


def _write(places: list[Path], out: Path, *, without_people: bool, force: bool) -> None:
    from dowse.cli.outputs import check_out
    from dowse.engine.assembly.apart import check_apart
    from dowse.engine.assembly.learned import write_statistics
    from dowse.predict.learning import Statistics

    check_out(out, force=force)
    with interruptible():
        read = [_read(place, _NAMED) for place in places]
        check_apart(list(zip(places, read, strict=True)))
        found = reduce(Statistics.merged, read)
        if len(places) > 1:  # what is strong in all of them together may be weak in each
            found = reduce(_with_names, (place for place in places if place.is_dir()), found)
        if without_people:
            found = replace(found, people={})
        write_statistics(found, out)
    say(f"{_counted(found)} written to {out}")


def _read(place: Path, most: int) -> Statistics:
    """Statistics with the names of what is strongest in them."""
    from dowse.engine.assembly.learned import statistics_of_crawl
    from dowse.lab.finished.evidence_names import named
    from dowse.predict.learning import read_statistics
    from dowse.store import CrawlReader

    if not place.is_dir():
        return read_statistics(place)
    with CrawlReader(place) as crawl:
        return named(crawl, statistics_of_crawl(crawl), most, _tell_progress)


def _with_names(found: Statistics, place: Path) -> Statistics:
    """Statistics with the names of what is strongest in them, as far as a crawl has them."""
    from dowse.lab.finished.evidence_names import named
    from dowse.store import CrawlReader

    with CrawlReader(place) as crawl:
        return named(crawl, found, _NAMED, _tell_progress)


def _tell_progress(done: int, total: int) -> None:
    say(f"looking for words: {done} of at most {total} pages read", err=True)


def _tables(found: Statistics, top: int) -> dict[str, tuple[Side, Side]]:
    from dowse.predict.learning.strength import strongest

    counted = {"words": found.words, "tokens": found.tokens}
    for form, events in sorted(found.events.items()):  # a word here is one of pages that link to a page
        counted |= {f"words ({form})": events.words, f"tokens ({form})": events.tokens}
    rows = {
        kind: [
            (names.get(key, f"#{key}"), pages, value)
            for key, (pages, value) in zip(own.keys.tolist(), own.sums.tolist(), strict=True)
        ]
        for kind, own in counted.items()
        for names in (found.word_names if kind.startswith("words") else found.token_names,)
    }
    rows["hosts"] = [(host, pages, value) for host, (pages, value) in found.hosts.items()]
    return {kind: strongest(own, found.usual, top) for kind, own in rows.items()}


def _plain(found: Statistics, tables: dict[str, tuple[Side, Side]]) -> dict[str, Any]:
    def told(side: Side) -> list[dict[str, Any]]:
        return [{"name": name, **asdict(strength)} for name, strength in side]

    return {
        "pages": found.pages, "value": found.value, "usual": found.usual,
        "crawls": {own: asdict(crawl) for own, crawl in sorted(found.crawls.items())},
        "people": {key: len(own.users) for key, own in found.people.items()},
        **{kind: {"for": told(above), "against": told(below)} for kind, (above, below) in tables.items()},
    }  # fmt: skip


def _counted(found: Statistics) -> str:
    events = found.events.values()
    tokens = len(found.tokens) + sum(len(own.tokens) for own in events)
    words = len(found.words) + sum(len(own.words) for own in events)
    people = sum(len(own.users) for own in found.people.values())
    told = f"{found.pages:,.0f} pages, {tokens:,} tokens, {words:,} words, {len(found.hosts):,} hosts"
    return f"{told}, {people:,} people (keyed hashes)" if found.people else told


def _lines(found: Statistics, tables: dict[str, tuple[Side, Side]], place: Path) -> list[str]:
    lines = [
        f"{place}: {_counted(found)}",
        *_of_crawls(found),
        f"P(C), what a page is worth on average: {found.usual:.3f}",
    ]
    for kind, sides in tables.items():
        for side, what in zip(sides, ("for the topic", "against it"), strict=True):
            if side:
                head = f"{kind} {what}"
                lines += ["", f"{head:{_WIDEST}}{'pages':>8}{'worth':>8}{'I(C,E)':>8}{'z':>8}"]
                lines += [_line(name, strength) for name, strength in side]
    people = list(_of_people(found))
    lines += ["", *people] if people else []
    if not people and not any(side for sides in tables.values() for side in sides):
        lines += ["", "nothing is significant yet, on 5 pages or more: the crawl has seen too little"]
    return lines


def _of_crawls(found: Statistics) -> Iterator[str]:
    """Whose pages they are, where they are of more than one crawl; the largest first."""
    if len(found.crawls) < 2:
        return
    yield f"of {len(found.crawls):,} crawls, by the pages that each had judged"
    told = sorted(found.crawls.values(), key=lambda crawl: (-crawl.pages, crawl.name))
    yield from (f"  {crawl.pages:8,.0f}  {fit(crawl.name)}" for crawl in told[:_CRAWLS])
    if len(told) > _CRAWLS:
        yield f"            and {len(told) - _CRAWLS:,} more"


def _of_people(found: Statistics) -> Iterator[str]:
    """How many are known, and of how many that says something. Who they are nobody can tell."""
    from dowse.predict.learning.strength import LEAST_PAGES, SIGNIFICANT, significance

    for key, own in sorted(found.people.items()):
        usual = (own.satisfying + 0.5) / (own.pages + 1)
        told = [
            satisfying > pages * usual
            for pages, satisfying in own.users.sums.tolist()
            if pages >= LEAST_PAGES and significance(pages, satisfying, usual) >= SIGNIFICANT
        ]
        yield (
            f"{len(own.users):,} people under the key {fit(key)}: {sum(told):,} went to pages on the topic more often"
            f" than usual, {len(told) - sum(told):,} less often"
        )


def _line(name: str, strength: Strength) -> str:
    shown = fit(name)[: _WIDEST - 3]
    return f"  {shown:{_WIDEST - 2}}{strength.pages:8.0f}{strength.mean:8.2f}{strength.interest:8.2f}{strength.z:8.1f}"
