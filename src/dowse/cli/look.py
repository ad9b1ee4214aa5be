"""Commands that look at a crawl's folder and change nothing: why, report, export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dowse.cli.tell import say
from dowse.cli.why import explain
from dowse.model.errors import UserError
from dowse.store import export as export_pages
from dowse.store.export import FORMATS

__all__ = ["export", "report", "why"]

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The crawl's folder.")]


def why(folder: Folder, url: Annotated[str, typer.Argument(metavar="URL", help="Any URL.")]) -> None:
    """Tell why a URL was fetched, skipped or left."""
    say(explain(folder, url))


def report(
    folder: Folder,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The file to write; DIR/report.html if not given.")
    ] = None,
) -> None:
    """Write a self-contained HTML report: harvest curve, top sites, top pages, time per stage."""
    from dowse.lab.report.crawl_report import write_report  # other commands need not load it

    say(f"report: {write_report(folder, out)}")


def export(
    folder: Folder,
    to: Annotated[str, typer.Option(help="jsonl, csv or parquet.")] = "jsonl",
    out: Annotated[str, typer.Option("--out", "-o", help="The file to write; - for standard output.")] = "-",
    relevant: Annotated[bool, typer.Option("--relevant", help="Relevant pages only.")] = False,
) -> None:
    """Write one row a page for other tools."""
    if to not in FORMATS:
        raise UserError(f"--to is {to!r}: write {', '.join(FORMATS)}")
    count = export_pages(folder, to, out, relevant_only=relevant)
    if out != "-":
        say(f"{count} pages written to {out}")
