"""``dowse changes``: what a collection has gained, what has changed in it, what is gone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dowse.cli.flags import Force
from dowse.cli.outputs import check_out
from dowse.cli.place import Name, Place, readable
from dowse.cli.terminal import say
from dowse.lab.finished.changes import Changes, changes_since
from dowse.lab.finished.changes_feed import changes_feed
from dowse.lab.finished.read_from import not_in_database
from dowse.lab.report.settings_text import subject_of
from dowse.lab.wording import counted
from dowse.model.budget import parse_duration
from dowse.model.errors import TopicError, UserError
from dowse.model.files import write_whole
from dowse.model.shown import json_line, shown
from dowse.store import CrawlReader, VisitedPage
from dowse.store.read_visits import uuid_of, watched
from dowse.store.times import iso

__all__ = ["changes"]

_MOST_LINES = 12  # of a page's difference
_LONGEST = 160


class Format(StrEnum):
    """How changes are told."""

    TEXT = "text"
    JSON = "json"
    ATOM = "atom"


def changes(
    place: Place,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="AGE", help="Tell what changed in so long: 7d, 12h. The default is: since the last visits began."
        ),
    ] = None,
    format: Annotated[Format, typer.Option("--format", "-f", help="Tell it so.")] = Format.TEXT,
    every: Annotated[bool, typer.Option("--all", help="Tell of pages off the topic, too.")] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write it into this file.")] = None,
    name: Name = None,
    force: Force = False,
) -> None:
    """Tell which pages are new, changed and gone since the last visits.

    Of a changed page it shows the lines that came and went, without those that its site repeats.

    Example: dowse changes my-crawl --since 7d --format atom --out changes.xml
    """
    try:
        age_s = None if since is None else parse_duration(since)
    except TopicError as error:
        raise UserError(f"--since: {error}") from None
    if out is not None:
        check_out(out, force=force)
    with readable(place, name) as folder, CrawlReader(folder) as crawl:
        topic, uuid = crawl.topic(), uuid_of(crawl)
        began, _ = watched(crawl)
        if age_s is None and began is None:
            raise UserError("the pages of this crawl were never visited again: say since when with --since, such as 7d")
        start = began if age_s is None and began is not None else time.time() - (age_s or 0.0)
        found = changes_since(crawl, start, every=every)
        missing = not_in_database(crawl.settings())
    if missing is not None:
        say(f"what changed on a page cannot be told: {missing}", err=True)
    text = _TELL[format](found, topic.get("name") or subject_of(topic), uuid or str(Path(place).absolute()))
    if out is None:
        (typer.echo if format is not Format.TEXT else say)(text)
    else:
        write_whole(out, lambda path: path.write_text(text + "\n", encoding="utf-8"))


def _as_text(found: Changes, name: str, uuid: str) -> str:
    return "\n".join(_text_lines(found))


def _text_lines(found: Changes) -> Iterator[str]:
    yield (
        f"{counted(len(found.new), 'new page')}, {len(found.changed)} changed, {len(found.gone)} gone"
        f" since {iso(found.since)[:16].replace('T', ' ')} UTC"
    )
    for page in found.new:
        yield from _headed("new", page)
    for one in found.changed:
        yield from _headed("changed", one.page)
        yield from _shown_lines(one.lines)
    for page in found.gone:
        yield from _headed("gone", page)


def _headed(kind: str, page: VisitedPage) -> Iterator[str]:
    yield ""
    yield f"{kind:8}{shown(page.url)}"
    yield f"        {page.at[:16].replace('T', ' ')}  {shown(page.title)}"


def _shown_lines(lines: tuple[str, ...] | None) -> Iterator[str]:
    if lines is None:
        yield "        (a version of it is not in the archive)"
        return
    for line in lines[:_MOST_LINES]:
        yield f"        {shown(line if len(line) <= _LONGEST else line[:_LONGEST] + '...')}"
    if len(lines) > _MOST_LINES:
        yield f"        ... and {counted(len(lines) - _MOST_LINES, 'more line')}"


_TELL: dict[Format, Callable[[Changes, str, str], str]] = {
    Format.TEXT: _as_text,
    Format.JSON: lambda found, name, uuid: json_line({"since": iso(found.since), **found.to_json()}),
    Format.ATOM: changes_feed,
}
