"""What a reader is shown: a crawl's folder, or the database to which the crawl is published, as one crawl."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from dowse.model.database_url import completed, without_password
from dowse.model.errors import NotACrawl, UserError
from dowse.model.long_work import long_work
from dowse.model.topicfile import topic_to_json
from dowse.store.sharded import CLUSTER_AT, shard_folders

__all__ = ["Name", "Place", "archive_needed", "readable"]

Place = Annotated[
    str, typer.Argument(metavar="DIR|URL", help="The crawl's folder, or the database to which it is published.")
]
Name = Annotated[
    str | None, typer.Option("--name", metavar="NAME", help="In a database: the crawl of this name.")
]  # fmt: skip
_SHOWN = 8


@contextmanager
def readable(place: str, name: str | None) -> Iterator[Path]:
    """A folder that readers take: the one named, or one with what a database has, for as long as it is read. A folder
    that tells only where the shards' common ground is stands for what they publish."""
    folder = Path(place)
    if "://" not in place and not ((folder / CLUSTER_AT).is_file() and not shard_folders(folder)):
        if name is not None:
            raise UserError(f"--name says which crawl of a database is meant, and {place} is a folder: leave it out")
        yield folder
        return
    if "://" not in place:
        from dowse.cluster.shared_folder import place_of

        found = place_of(folder)
        place, name = str(found.where), found.crawl
    with tempfile.TemporaryDirectory(prefix="dowse-", ignore_cleanup_errors=True) as kept:
        _read_back(place, name, Path(kept))
        yield Path(kept)


def archive_needed(place: str, option: str) -> None:
    """UserError where an option needs the archive, and there is only a database."""
    if "://" in place:
        raise UserError(f"{option} reads the archive, which is not in the database: name the crawl's folder")


def _read_back(url: str, name: str | None, folder: Path) -> None:
    from dowse.store.shared.connect import open_server
    from dowse.store.shared.read_back import read_back

    known = None if name is None else _on_ground(url, name)
    topic, uuid, published = known or (None, None, url)
    with closing(open_server(published, must_exist=True)) as server:
        crawl = _chosen(server, uuid or name, name)
        with long_work(f"reading the crawl {crawl.name!r} from {server.shown}"):
            read_back(server, crawl, topic, folder)


def _chosen(server: Any, wanted: str | None, name: str | None) -> Any:
    from dowse.store.shared.read_back import published_crawls

    crawls = published_crawls(server)
    found = [one for one in crawls if wanted is None or wanted in (one.name, one.facts["uuid"])]
    if len(found) == 1:
        return found[0]
    names = ", ".join(repr(one.name) for one in (found or crawls)[:_SHOWN])
    if not found:
        raise NotACrawl(f"{server.shown} has no pages of a crawl named {name!r}: there are {names}")
    same = len({one.name for one in found}) < len(found)
    which = "by its uuid: " + ", ".join(str(one.facts["uuid"]) for one in found[:_SHOWN]) if same else names
    raise UserError(f"{server.shown} has {len(found)} such crawls. Name one with --name, {which}")


def _on_ground(url: str, name: str) -> tuple[dict[str, Any], str, str] | None:
    """Of a crawl whose shards share this database: its topic, its own name, and where it is published. None where there
    is none, or the database cannot be one of shards."""
    if not url.startswith("postgres"):
        return None
    from dowse.cluster.errand import with_publish_login
    from dowse.cluster.ground import open_ground
    from dowse.cluster.kept import kept_in

    try:
        ground = open_ground(completed(url, os.environ), name, wall=time.time)
    except UserError:
        return None
    with closing(ground):
        kept = kept_in(ground)
    published = with_publish_login(kept.topic).publish.url
    if kept.share is None or published is None:
        raise UserError(
            f"{without_password(url)}: the crawl {name} does not publish its pages (--publish): they are in the"
            " folders of its shards"
        )
    return topic_to_json(kept.topic), kept.share.crawl, published
