"""``dowse report``: a crawl as one page of HTML."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dowse.cli.flags import Force
from dowse.cli.outputs import check_out
from dowse.cli.place import Name, Place, readable
from dowse.cli.terminal import say

__all__ = ["report"]


def report(
    place: Place,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="The file to write. The default is DIR/report.html; of a database, report.html.",
        ),
    ] = None,
    name: Name = None,
    force: Force = False,
) -> None:
    """Write a crawl's report as one self-contained HTML file.

    It shows the harvest curve, what visits found, the best sites and pages, and where the time went. DIR/report.html is
    Dowse's own, and is written anew.
    """
    if out is None and "://" in place:
        out = Path("report.html")
    if out is not None:
        check_out(out, force=force)
    from dowse.lab.report.crawl_report import write_report  # other commands need not load it

    with readable(place, name) as folder:
        say(f"report: {write_report(folder, out or Path(place, 'report.html'))}")
