"""``dowse export``: a crawl's pages for other tools."""

from __future__ import annotations

from typing import Annotated

import typer

from dowse.cli.flags import Folder
from dowse.cli.terminal import say
from dowse.model.errors import UserError
from dowse.store import export as export_pages
from dowse.store.export import FORMATS

__all__ = ["export"]


def export(
    folder: Folder,
    to: Annotated[str, typer.Option(metavar="|".join(FORMATS), help="The format.")] = "jsonl",
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="The file to write; - for standard output.")
    ] = "-",
    relevant: Annotated[bool, typer.Option("--relevant", help="Write the relevant pages only.")] = False,
) -> None:
    """Write a crawl's pages as JSON lines, CSV or Parquet."""
    if to not in FORMATS:
        raise UserError(f"--to: must be one of {', '.join(FORMATS)}, not {to!r}")
    count = export_pages(folder, to, out, relevant_only=relevant)
    if out != "-":
        say(f"{count} pages written to {out}")
