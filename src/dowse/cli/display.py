"""How a running crawl shows itself: a live picture in a terminal, plain lines elsewhere, JSON lines for programs."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from dataclasses import asdict
from typing import Protocol, TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from dowse.crawl.tally import Progress
from dowse.lab.forecast import short
from dowse.lab.html import human_bytes, human_seconds

__all__ = ["Display", "choose_display"]

_SPARKS = "▁▂▃▄▅▆▇█"


class Display(Protocol):
    """Shows progress; ``every_s`` is how often it wants to be told."""

    every_s: float

    def open(self, title: str) -> None: ...

    def show(self, progress: Progress) -> None: ...

    def say(self, message: str) -> None:
        """A line the user should see now."""
        ...

    def close(self) -> None: ...


def _budget(progress: Progress) -> str:
    return ", ".join(f"{name} {share:.0%} left" for name, share in progress.budget_left.items()) or "no limit"


def _saved(progress: Progress) -> str:
    return f"saved {progress.saved_pages} pages, {human_bytes(progress.saved_bytes)}"


class LiveDisplay:
    """A picture that is redrawn in place."""

    every_s = 0.25

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, refresh_per_second=4, transient=True)
        self._title = ""
        self._history: list[float] = []
        self._pages = 0

    def open(self, title: str) -> None:
        self._title = title
        self._live.start()

    def show(self, progress: Progress) -> None:
        if progress.pages != self._pages:
            self._pages = progress.pages
            self._history = [*self._history, progress.harvest_now][-48:]
        self._live.update(self._picture(progress), refresh=True)

    def _picture(self, progress: Progress) -> Group:
        numbers = Table.grid(padding=(0, 2))
        for _ in range(4):
            numbers.add_column(no_wrap=True)
        rows = (
            ("pages", f"{progress.pages}", "relevant", f"{progress.relevant}"),
            ("harvest", f"{progress.harvest:.1%} overall", "now", f"{progress.harvest_now:.1%} (last 100)"),
            ("speed", f"{progress.pages_per_s:.1f} pages/s", "downloaded", human_bytes(progress.bytes)),
            ("frontier", f"{progress.waiting} URLs, {progress.sites} sites", "in flight",
             f"{progress.in_flight} + {progress.parsing} parsing"),
            ("time", human_seconds(progress.elapsed_s), "budget", _budget(progress)),
            *([("cache", _saved(progress), "", "")] if progress.saved_pages else []),
        )  # fmt: skip
        for row in rows:
            numbers.add_row(Text(row[0], style="dim"), Text(row[1]), Text(row[2], style="dim"), Text(row[3]))
        top = max(self._history, default=0.0) or 1.0
        curve = "".join(_SPARKS[min(7, int(value / top * 7.999))] for value in self._history)
        best = ", ".join(f"{host} {relevant}/{pages}" for host, relevant, pages in progress.best_sites) or "none yet"
        return Group(
            Text(self._title, style="bold"),
            numbers,
            Text(f"harvest    {curve}", style="green", no_wrap=True),
            Text(f"best hosts {best}", overflow="ellipsis", no_wrap=True),
            Text(f"forecast   {short(progress.forecast) or 'none yet'}", overflow="ellipsis", no_wrap=True),
            Text(f"waits for  {progress.waits_for}", style="dim", overflow="ellipsis", no_wrap=True),
        )

    def say(self, message: str) -> None:
        self._console.print(message, highlight=False, markup=False)

    def close(self) -> None:
        self._live.stop()


class PlainDisplay:
    """One line every few seconds, for logs and pipes; on standard error, so that output stays clean."""

    every_s = 5.0

    def open(self, title: str) -> None:
        self.say(title)

    def show(self, progress: Progress) -> None:
        forecast = short(progress.forecast)
        self.say(
            f"{human_seconds(progress.elapsed_s)}  {progress.pages} pages, {progress.relevant} relevant"
            f" ({progress.harvest:.1%}, now {progress.harvest_now:.1%}), {progress.pages_per_s:.1f} pages/s,"
            f" {human_bytes(progress.bytes)}{', ' + _saved(progress) if progress.saved_pages else ''},"
            f" {progress.waiting} waiting, budget: {_budget(progress)};"
            f" waits for {progress.waits_for}" + (f"; {forecast}" if forecast else "")
        )

    def say(self, message: str) -> None:
        _print(message, sys.stderr)

    def close(self) -> None:
        """Nothing to take down."""


class JsonDisplay:
    """One JSON object a line on standard output: progress each second, messages as they come."""

    every_s = 1.0

    def open(self, title: str) -> None:
        self._print({"event": "start", "title": title})

    def show(self, progress: Progress) -> None:
        self._print({"event": "progress", **asdict(progress)})

    def say(self, message: str) -> None:
        self._print({"event": "message", "text": message})

    def close(self) -> None:
        """Nothing to take down."""

    @staticmethod
    def _print(value: dict[str, object]) -> None:
        _print(json.dumps(value, ensure_ascii=False), sys.stdout)


def _print(text: str, stream: TextIO) -> None:
    with suppress(OSError):  # whoever read this has gone, or the disk is full: the crawl goes on
        print(text, file=stream, flush=True)


class QuietDisplay:
    """Nothing but what the user must know, on standard error."""

    every_s = 3600.0

    def open(self, title: str) -> None:
        """Silent."""

    def show(self, progress: Progress) -> None:
        """Silent."""

    def say(self, message: str) -> None:
        _print(message, sys.stderr)

    def close(self) -> None:
        """Nothing to take down."""


def choose_display(*, as_json: bool, quiet: bool) -> Display:
    """JSON or silence when asked for; else a picture in a terminal and lines elsewhere."""
    if as_json:
        return JsonDisplay()
    if quiet:
        return QuietDisplay()
    console = Console(stderr=True)
    return LiveDisplay(console) if console.is_terminal else PlainDisplay()
