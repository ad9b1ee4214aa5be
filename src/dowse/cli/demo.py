"""``dowse demo``: the main job end to end, without internet, on the frozen web that ships with Dowse."""

from __future__ import annotations

import csv
import shlex
import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from dowse.cli.crawl import run_crawl
from dowse.cli.crawl_summary import finish
from dowse.cli.display import choose_display
from dowse.cli.signals import INTERRUPTED
from dowse.cli.terminal import say
from dowse.lab.draw.harvest_chart import harvests_chart
from dowse.lab.draw.picture_file import picture_ending, save_picture
from dowse.loopback.demo import demo_topic, labels
from dowse.loopback.demo import demo_web as frozen_web
from dowse.loopback.listings.truth import FIRST_DAY
from dowse.loopback.listings.web import Listings
from dowse.loopback.serve import demo_process, serve_demo, serve_web
from dowse.model.errors import UserError
from dowse.model.topic import StrategyChoice
from dowse.store import CrawlReader, HarvestCurve

__all__ = ["demo", "demo_web"]

_PICTURE = "harvest"
_LAST_DAY = 150  # of the listings of events


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Keep the two crawls in this folder.")] = Path(
        "demo-crawl"
    ),
    pages: Annotated[int, typer.Option(metavar="N", help="Let each crawl fetch this many pages.")] = 150,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but the result.")] = False,
) -> None:
    """Crawl a small web on this machine, twice, and compare.

    One crawl is focused, the other breadth-first. No internet is needed.
    """
    if pages < 1:
        raise UserError(f"--pages: must be at least 1, not {pages}")
    _clear(out)
    with demo_process() as address:
        base = demo_topic(address)
        base = replace(base, budget=replace(base.budget, pages=pages))
        curves, topics = {}, labels(frozen_web())
        for strategy in ("bfs", base.strategy.name):
            topic = replace(base, name=f"{base.query} ({strategy})", strategy=StrategyChoice(strategy))
            folder = out / strategy
            stop, _ = run_crawl(topic, folder, choose_display(as_json=False, quiet=quiet))
            with CrawlReader(folder) as crawl:
                curves[strategy] = crawl.harvest_curve()
            _write_labels(folder, topics)
            if stop.kind == "interrupted":
                raise typer.Exit(INTERRUPTED)
            finish(folder, stop, as_json=False, quiet=quiet or strategy == "bfs")
    _compare(out, base.query, base.strategy.name, curves)


def demo_web(
    port: Annotated[int, typer.Option(metavar="PORT", help="The port to serve on; 0 picks a free one.")] = 0,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="The loopback address to serve on.")] = "127.0.0.1",
    events: Annotated[
        int | None,
        typer.Option(
            metavar="DAY",
            help="Serve a dozen sites with listings of events in its place, as they are on this day: 100, 107, ...",
        ),
    ] = None,
    a_week_on: Annotated[
        bool, typer.Option("--a-week-on", help="Serve it as it is a week later: some pages changed, some are gone.")
    ] = False,
) -> None:
    """Serve the demo's web on this machine, until Ctrl-C."""
    if events is None:
        serve_demo(host=host, port=port, later=a_week_on)
        return
    if not 0 <= events <= _LAST_DAY:
        raise UserError(f"--events: must be a day from 0 to {_LAST_DAY}, not {events}")
    listings = Listings(sites=12, current=400, seed=3)

    def told(address: str) -> str:
        seeds = " ".join(f"--seed http://{name}/" for name in listings.hosts)
        return (
            f"Listings of events are at {address}: {len(listings.hosts)} sites on day {events}, "
            f"{FIRST_DAY + timedelta(days=events)}.\nCrawl all of them from another terminal:\n"
            f"  dowse crawl events --strategy bfs --scope host {seeds} --resolve '*.listings.test={address}' "
            f"--allow-private --delay 0 --out first\nCtrl-C ends it.\n"
        )

    serve_web(listings.web(events), told, host=host, port=port)


def _write_labels(folder: Path, topics: dict[str, str]) -> None:
    """What each page is about, which makes the crawl a corpus for ``dowse lab compare``."""
    with (folder / "labels.csv").open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(("url", "label"))
        rows.writerows(topics.items())


def _clear(out: Path) -> None:
    """Remove what an earlier demo left; refuse to touch a folder that is anything else."""
    if not out.exists():
        return
    if not out.is_dir():
        raise UserError(f"{out} is a file: choose a folder with --out")
    if any(not (child / "dowse.sqlite").is_file() for child in out.iterdir() if child.stem != _PICTURE):
        raise UserError(f"{out} exists, and no demo wrote it: choose another folder with --out")
    shutil.rmtree(out)


def _compare(out: Path, query: str, focused: str, curves: dict[str, HarvestCurve]) -> None:
    found = {name: int(curve.relevant[-1]) if len(curve.relevant) else 0 for name, curve in curves.items()}
    spent = {name: int(curve.pages[-1]) if len(curve.pages) else 0 for name, curve in curves.items()}
    picture = out / f"{_PICTURE}{picture_ending()}"
    title = f"{query}: relevant pages found"
    save_picture(harvests_chart(dict(reversed(curves.items())), title=title), picture)
    say()
    for name in (focused, "bfs"):
        share = found[name] / spent[name] if spent[name] else 0.0
        title = "breadth-first" if name == "bfs" else f"focused ({name})"
        say(f"{title:24} {found[name]:4} relevant of {spent[name]} pages fetched   harvest rate {share:.0%}")
    say(f"\nThe same budget found {found[focused] / max(1, found['bfs']):.1f} times as many relevant pages.")
    say(f"results: {out / focused}   picture: {picture}")
    say(f"now try: dowse report {shlex.quote(str(out / focused))}")
