"""``dowse export``: a crawl's pages for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dowse.cli.flags import Force, flagged, with_flags
from dowse.cli.outputs import check_out
from dowse.cli.place import Name, Place, archive_needed, readable
from dowse.cli.terminal import interruptible, say
from dowse.lab.finished.chosen_pages import ArchivedPages
from dowse.lab.wording import counted
from dowse.model.errors import UserError
from dowse.model.topic import Expression, Topic
from dowse.store import export as export_pages
from dowse.store.export import FORMATS, Chosen, format_of
from dowse.store.export_found import export_found

__all__ = ["export"]


@flagged("--category")
def export(
    place: Place,
    to: Annotated[
        str | None,
        typer.Option(metavar="|".join(FORMATS), help="The format. The default is that of the file's name, or jsonl."),
    ] = None,
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="The file to write; - for standard output.")
    ] = "-",
    relevant: Annotated[bool, typer.Option("--relevant", help="Write the relevant pages only.")] = False,
    min_score: Annotated[
        float | None, typer.Option(metavar="SCORE", help="Write pages with at least this score only.")
    ] = None,
    where: Annotated[
        str | None, typer.Option(metavar="EXPR", help="Write pages that satisfy this expression only.")
    ] = None,
    seeds: Annotated[
        bool, typer.Option("--seeds", help="Write the seeds that search engines found, in place of pages.")
    ] = False,
    text: Annotated[bool, typer.Option("--text", help="Add the text of each page (not to CSV).")] = False,
    name: Name = None,
    force: Force = False,
    **given: Any,
) -> None:
    """Write a crawl's pages as JSON lines, CSV, Parquet or Markdown."""
    if to is not None and to not in FORMATS:
        raise UserError(f"--to: must be one of {', '.join(FORMATS)}, not {to!r}")
    if min_score is not None and not 0 <= min_score <= 1:
        raise UserError(f"--min-score: must be a number from 0 to 1, not {min_score:g}")
    if where is None and given["category"]:
        raise UserError("--category: names a category of --where, which is not given")
    if out == "-":
        form = to or "jsonl"
    else:
        check_out(Path(out), force=force)
        form = to or format_of(out)
    if seeds:
        if relevant or min_score is not None or where is not None or text or form not in ("jsonl", "csv"):
            raise UserError("--seeds: goes with jsonl and csv, and chooses nothing: leave the other options out")
        with readable(place, name) as folder:
            count = export_found(folder, form, out)
        if out != "-":
            say(f"{counted(count, 'seed')} written to {out}")
        return
    for option, asked_for in (("--text", text), ("--where", where is not None)):
        if asked_for:
            archive_needed(place, option)
    with readable(place, name) as folder:
        pages = ArchivedPages(folder)
        holds = None
        if where is not None:
            asked = Topic(predicate=Expression(where, "--where"))
            holds = pages.satisfying(Expression(where, "--where"), with_flags(asked, given).categories)
        with interruptible():
            count = export_pages(
                folder, form, out, chosen=Chosen(relevant, min_score, holds), text_of=pages.text if text else None
            )
    if out != "-":
        say(f"{counted(count, 'page')} written to {out}")
    if pages.unreadable:
        lost = "left out" if where is not None else "written without text"
        say(f"pages without a readable record in the archive: {pages.unreadable}, {lost}", err=True)
