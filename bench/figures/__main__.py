"""Measure the tables and pictures of the docs, and write them into the pages: see the package."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import dowse
from bench.figures.declared import FIGURES
from bench.figures.figure import CORPORA, Figure, Measurement
from bench.figures.measure import Place, measure, minutes_of
from bench.figures.pages import filled, stray_tables, write_pages
from bench.figures.results import RESULTS, ROOT, NotCommitted, checkout, stored

PICTURES = ROOT / "docs" / "images"


class Wrong(Exception):
    """What the user should change, in one line."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.figures", description=__doc__)
    parser.add_argument("name", nargs="*", help="a figure or a measurement; the default is all of them")
    parser.add_argument("--corpora", type=Path, metavar="DIR", help=f"the folder that holds {', '.join(CORPORA)}")
    parser.add_argument("--again", action="store_true", help="measure even what is up to date")
    parser.add_argument("--list", action="store_true", help="what there is, and how long it takes")
    parser.add_argument("--write", action="store_true", help="write the pages from stored results, measure nothing")
    parser.add_argument("--check", action="store_true", help="do the pages show what is stored? Tells what is old, too")
    options = parser.parse_args()
    try:
        sys.exit(_do(options))
    except (Wrong, NotCommitted) as problem:
        print(f"figures: {problem}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("figures: interrupted; what is done is stored, the same command goes on", file=sys.stderr)
        sys.exit(130)


def _do(options: argparse.Namespace) -> int:
    chosen = _chosen(options.name)
    if options.list:
        return _list(chosen)
    if options.check:
        return _check()
    if options.write:
        print("\n".join(write_pages(FIGURES)) or "every page shows what is stored")
        return 0
    return _measure(chosen, options.corpora, again=options.again)


def _chosen(names: Sequence[str]) -> list[Measurement]:
    """The measurements that these names ask for, each once, in the order in which they are declared."""
    every = dict.fromkeys(one for figure in FIGURES for one in figure.of)
    known = {figure.name for figure in FIGURES} | {one.name for one in every}
    if unknown := [name for name in names if name not in known]:
        raise Wrong(f"there is no figure {unknown[0]!r}: --list tells which there are")
    of_figures = {one.name for figure in FIGURES if figure.name in names for one in figure.of}
    return [one for one in every if not names or one.name in {*names, *of_figures}]


def _measure(chosen: Sequence[Measurement], corpora: Path | None, *, again: bool) -> int:
    if Path(dowse.__file__).parents[1] != ROOT / "src":
        raise Wrong(f"Dowse comes from {Path(dowse.__file__).parents[1]}, not from this clone: set PYTHONPATH=src")
    at = checkout()
    todo = [one for one in chosen if again or not ((old := stored(one)) and old.is_of(one, at))]
    needed = dict.fromkeys(name for one in todo for name in one.corpora)
    if needed and corpora is None:
        raise Wrong(f"say where the corpora {', '.join(needed)} are: make figures CORPORA=path/to/data")
    if missing := [name for name in needed if corpora and not (corpora / name).is_dir()]:
        raise Wrong(f"there is no folder {missing[0]} in {corpora}: make figures CORPORA=path/to/data")
    rest = f"about {minutes_of(todo):.0f} minutes"
    print(f"{len(todo)} of {len(chosen)} measurements to make at {at.commit}, {rest}", flush=True)
    place = Place(ROOT, corpora or ROOT, RESULTS, PICTURES)
    failed = measure(todo, place, at, lambda line: print(line, flush=True), lambda: write_pages(FIGURES))
    for page in write_pages(FIGURES):
        print(page)
    return 1 if failed else 0


def _list(chosen: Sequence[Measurement]) -> int:
    for one in chosen:
        old = stored(one)
        state = f"measured {old.date} at {old.commit}" if old else "not measured"
        pages = ", ".join(dict.fromkeys(f"{figure.page}: {figure.name}" for figure in FIGURES if one in figure.of))
        print(f"{one.name:28} {one.minutes:5.1f} min  {state:32} {pages}")
    print(f"{'together':28} {minutes_of(chosen):5.1f} min")
    return 0


def _check() -> int:
    """1 where a page differs from what is stored, or has numbers that come from nowhere."""
    wrong = []
    for name in dict.fromkeys(figure.page for figure in FIGURES):
        text = (ROOT / name).read_text("utf-8")
        if filled(text, [figure for figure in FIGURES if figure.page == name]) != text:
            wrong.append(f"{name} does not show what is stored: python -m bench.figures --write")
    for path in sorted((ROOT / "docs").glob("*.md")):
        wrong += [
            f"{path.relative_to(ROOT)}:{table.line}: a table of numbers in no region: {table.head}"
            for table in stray_tables(path.read_text("utf-8"))
        ]
    print("\n".join([*wrong, *notes(FIGURES)]))
    return 1 if wrong else 0


def notes(figures: Sequence[Figure]) -> list[str]:
    """What should be measured anew: figures without a result, and those of another source."""
    try:
        at = checkout()
    except NotCommitted as problem:
        return [str(problem)]
    told = []
    for figure in figures:
        results = [stored(one) for one in figure.of]
        if None in results:
            told.append(f"{figure.page}: {figure.name} was not measured by its command yet")
            continue
        old = [known for one, known in zip(figure.of, results, strict=True) if known and not known.is_of(one, at)]
        if old:
            commits = dict.fromkeys(result.commit for result in old)
            told.append(f"{figure.page}: {figure.name} is of another source, at {', '.join(commits)}")
    return told


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends what runs, as Ctrl-C does
    main()
