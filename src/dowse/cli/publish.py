"""``dowse publish``: bring crawls into a shared database, afterwards or again."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from dowse.cli.terminal import interruptible, say
from dowse.model.clock import SystemClock
from dowse.model.database_url import DATABASE, without_password
from dowse.model.errors import UserError
from dowse.store import CrawlReader, CrawlStore
from dowse.store.shared.connect import open_server
from dowse.store.shared.folder_changes import FolderChanges
from dowse.store.shared.publication import Publication

__all__ = ["publish", "publish_command"]

_PATIENCE_S = 30.0  # with a database that broke off
_AGAIN_S = 1.0
_TELL_S = 2.0


def publish_command(folder: Path, shown: str) -> str:
    """What to type to publish the rest of a crawl; ``shown`` is the database's URL without its password."""
    return f"dowse publish {shlex.quote(str(folder))} {shlex.quote(shown)}"


def publish(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="DIR... [URL]",
            help="Folders of crawls, then postgresql://user@host/name, mysql://user@host/name or sqlite:///file.db. The"
            f" default is the database of dowse crawl --publish. The password may stand in {DATABASE}.",
        ),
    ],
    again: Annotated[bool, typer.Option("--again", help="Publish everything, also what is there already.")] = False,
    as_new: Annotated[bool, typer.Option("--as-new", help="Publish a copy of a folder as a crawl of its own.")] = False,
) -> None:
    """Bring crawls into a shared database, for other programs to read.

    What is there already stays: only what is new or has changed is written, such as verdicts that were given again.

    Example: dowse publish my-crawl postgresql://me@localhost/webs
    """
    *named, last = what
    if any("://" in name for name in named):
        raise UserError("one database at a time" if "://" in last else "the database's URL comes last")
    url = last if "://" in last else None
    folders = [Path(name) for name in (named if url is not None else what)]
    if not folders:
        raise UserError("which crawl? Give its folder before the database's URL")
    for folder in folders:
        with CrawlReader(folder):
            pass  # a folder that is no crawl is told before anything is written
    for folder in folders:
        _publish(folder, url or _own_database(folder), again=again, as_new=as_new)


def _own_database(folder: Path) -> str:
    """What ``--publish`` named when it was crawled."""
    with CrawlReader(folder) as crawl:
        found = crawl.topic().get("publish", {}).get("url")
    if not isinstance(found, str):
        raise UserError(f"{folder} was not crawled with --publish: name a database, as in postgresql://user@host/name")
    return found


def _publish(folder: Path, url: str, *, again: bool, as_new: bool) -> None:
    server = open_server(url)
    if as_new:
        with CrawlStore.open(folder) as store:
            store.name_anew()
        say(f"{folder} is a crawl of its own from now on; what was published of it before stays as it is", err=True)
    publication = Publication(_upgraded(folder), server, SystemClock().wall)
    try:
        with interruptible("what was published stays; the same command goes on"):
            if again:
                publication.start_again()
            _all(publication)
    finally:
        publication.close()
    pages = "1 page" if publication.pages == 1 else f"{publication.pages} pages"
    told = f"{pages} published to" if publication.pages else "nothing to add: everything is in"
    say(f"{folder}: {told} {without_password(url)}")


def _upgraded(folder: Path) -> Path:
    """The folder, with records of this version: older ones do not say what changed."""
    changes = FolderChanges(folder)
    known = changes.uuid()
    changes.close()
    if known is None:
        CrawlStore.open(folder).close()
    return folder


def _all(publication: Publication) -> None:
    """Publish until nothing is left. A database that breaks off in the middle may come back for a while."""
    from dowse.store.shared.server import DatabaseAway  # only here: SQLAlchemy takes long to load

    now = SystemClock().now
    reached = told = None
    while True:
        try:
            more = publication.step()
        except DatabaseAway:
            if reached is None or now() - reached > _PATIENCE_S:
                raise
            time.sleep(_AGAIN_S)
            continue
        reached = now()
        if not more:
            return
        if sys.stderr.isatty() and (told is None or reached - told > _TELL_S):
            told = reached
            say(f"{publication.pages} pages published, {publication.lag()} to go", err=True)
