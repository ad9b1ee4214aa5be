"""``dowse report``: a crawl as one page of HTML."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dowse.cli.flags import Folder, Force
from dowse.cli.outputs import check_out
from dowse.cli.terminal import say

__all__ = ["report"]


def report(
    folder: Folder,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="The file to write. The default is DIR/report.html."),
    ] = None,
    force: Force = False,
) -> None:
    """Write a crawl's report as one self-contained HTML file.

    It shows the harvest curve, what visits found, the best sites and pages, and where the time went. DIR/report.html is
    Dowse's own, and is written anew.
    """
    if out is not None:
        check_out(out, force=force)
    from dowse.lab.report.crawl_report import write_report  # other commands need not load it

    say(f"report: {write_report(folder, out)}")
