"""How a running crawl shows itself: a live picture in a terminal, plain lines elsewhere, JSON lines for programs."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import asdict
from typing import Protocol, TextIO

from dowse.engine.loop.progress import Progress
from dowse.lab.wording import forecast_line, human_bytes, human_seconds
from dowse.model.shown import json_line, shown_line

__all__ = ["Display", "budget_left", "choose_display", "publication", "saved", "visits"]


class Display(Protocol):
    """Shows progress; ``every_s`` is how often it wants to be told."""

    every_s: float

    def open(self, title: str) -> None: ...

    def show(self, progress: Progress) -> None: ...

    def say(self, message: str) -> None:
        """A line the user should see now."""
        ...

    def close(self) -> None: ...


def budget_left(progress: Progress) -> str:
    """The share of each limit that is left, in words."""
    return ", ".join(f"{name} {share:.0%} left" for name, share in progress.budget_left.items()) or "no limit"


def saved(progress: Progress) -> str:
    """What the cache has saved, in words."""
    return f"saved {progress.saved_pages} pages, {human_bytes(progress.saved_bytes)}"


def visits(progress: Progress) -> str:
    """How far a run of visits has come, in words."""
    share = progress.visited / progress.due if progress.due else 1.0
    return f"{progress.visited} of {progress.due} due pages visited ({share:.0%}), {progress.changed} changed"


def publication(progress: Progress) -> str:
    """How far the shared database is behind, in words."""
    if not progress.unpublished:
        return progress.publish_trouble or "everything is published"
    pages = "1 page" if progress.unpublished == 1 else f"{progress.unpublished} pages"
    return f"{pages} not published yet{f': {progress.publish_trouble}' if progress.publish_trouble else ''}"


def _unpublished(progress: Progress) -> str:
    return f" {publication(progress)}," if progress.unpublished or progress.publish_trouble else ""


class PlainDisplay:
    """One line every few seconds, for logs and pipes; on standard error, so that output stays clean."""

    every_s = 5.0

    def open(self, title: str) -> None:
        self.say(title)

    def show(self, progress: Progress) -> None:
        forecast = forecast_line(progress.forecast)
        self.say(
            f"{human_seconds(progress.elapsed_s)}  {'' if progress.due is None else visits(progress) + '; '}"
            f"{progress.pages} pages, {progress.relevant} relevant"
            f" ({progress.harvest:.1%}, now {progress.harvest_now:.1%}), {progress.pages_per_s:.1f} pages/s,"
            f" {human_bytes(progress.bytes)}{', ' + saved(progress) if progress.saved_pages else ''},"
            f" {progress.waiting} waiting,{_unpublished(progress)} budget: {budget_left(progress)};"
            f" waits for {progress.waits_for}" + (f"; {forecast}" if forecast else "")
        )

    def say(self, message: str) -> None:
        _print(shown_line(message), sys.stderr)

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
        _print(json_line(value), sys.stdout)


def _print(text: str, stream: TextIO) -> None:
    with suppress(OSError):  # whoever read this has gone, or the disk is full: the crawl goes on
        print(text, file=stream, flush=True)


class QuietDisplay:
    """Nothing but what the user must know, on standard error."""

    every_s = 3600.0

    def open(self, title: str) -> None:
        """Shows nothing."""

    def show(self, progress: Progress) -> None:
        """Shows nothing."""

    def say(self, message: str) -> None:
        _print(shown_line(message), sys.stderr)

    def close(self) -> None:
        """Nothing to take down."""


def choose_display(*, as_json: bool, quiet: bool) -> Display:
    """JSON or silence when asked for; else a picture in a terminal and lines elsewhere."""
    if as_json:
        return JsonDisplay()
    if quiet:
        return QuietDisplay()
    from dowse.cli.live import live_display  # only here: what draws takes a while to load

    return live_display() or PlainDisplay()
