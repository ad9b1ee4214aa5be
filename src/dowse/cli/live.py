"""How a running crawl shows itself in a terminal."""

from __future__ import annotations

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from dowse.cli.display import budget_left, publication, saved, visits
from dowse.engine.loop.progress import Progress
from dowse.lab.wording import forecast_line, human_bytes, human_seconds
from dowse.model.shown import shown, shown_line

__all__ = ["LiveDisplay", "live_display"]

_SPARKS = "▁▂▃▄▅▆▇█"


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
        self._title = shown(title)
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
            ("time", human_seconds(progress.elapsed_s), "budget", budget_left(progress)),
            *([("cache", saved(progress), "", "")] if progress.saved_pages else []),
        )  # fmt: skip
        for row in rows:
            numbers.add_row(Text(row[0], style="dim"), Text(row[1]), Text(row[2], style="dim"), Text(row[3]))
        top = max(self._history, default=0.0) or 1.0
        curve = "".join(_SPARKS[min(7, int(value / top * 7.999))] for value in self._history)
        best = ", ".join(f"{host} {relevant}/{pages}" for host, relevant, pages in progress.best_sites) or "none yet"
        return Group(
            Text(self._title, style="bold"),
            numbers,
            *([] if progress.due is None else [Text(f"visits     {visits(progress)}", no_wrap=True)]),
            Text(f"harvest    {curve}", style="green", no_wrap=True),
            Text(f"best hosts {shown(best)}", overflow="ellipsis", no_wrap=True),
            Text(f"forecast   {forecast_line(progress.forecast) or 'none yet'}", overflow="ellipsis", no_wrap=True),
            *(
                [Text(f"database   {shown(publication(progress))}", overflow="ellipsis", no_wrap=True)]
                if progress.unpublished is not None
                else []
            ),
            Text(f"waits for  {shown(progress.waits_for)}", style="dim", overflow="ellipsis", no_wrap=True),
        )

    def say(self, message: str) -> None:
        self._console.print(shown_line(message), highlight=False, markup=False)

    def close(self) -> None:
        self._live.stop()


def live_display() -> LiveDisplay | None:
    """A picture on standard error, where that is a terminal."""
    console = Console(stderr=True)
    return LiveDisplay(console) if console.is_terminal else None
