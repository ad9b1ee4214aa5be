"""Pages of a crawl whose records are damaged, taken from its WARC files into a new folder.

The WARC files hold every answer. So a new crawl is run over them that asks nobody: each recorded page is a seed, and
comes from the archive (as from a cache) with the time of its download. What only the records knew is gone: which URLs
waited, why a page was chosen, and statistics. The answers about pages and the categories are files of their own: they
count again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from dowse.engine.assembly.assemble import assemble
from dowse.engine.assembly.kept_categories import with_kept_categories
from dowse.engine.exchange.recorded_exchange import KINDS, read_response, target_of
from dowse.model.budget import Budget
from dowse.model.errors import DowseError, NotACrawl, UserError
from dowse.model.files import check_plain, write_whole
from dowse.model.http import Failure, FailureKind, Meter, Request, Resolved, Response, is_unwanted
from dowse.model.topic import Cache, Limits, Network, Politeness, Scope, Seeds, StrategyChoice, Target, Topic, Traps
from dowse.model.topicfile import topic_from_json
from dowse.model.wanted_types import WantedTypes, wanted_types
from dowse.store import CrawlReader
from dowse.store.answers import Answers
from dowse.store.archive import all_archive_files
from dowse.store.held import Held
from dowse.store.tables import LABELS
from dowse.store.warc_records import Record, RecordFile, read_record

__all__ = ["ArchiveIndex", "Salvaged", "archived_topic", "readable_topic", "salvage"]

_NO_TRAPS = Traps(0, 0, 0, 0, 0, 0, session_ids=False)
_PAGE = range(200, 300)
_REDIRECT = range(300, 400)


@dataclass(frozen=True, slots=True)
class Salvaged:
    """What came of it: pages in the new folder, and records of the archive that could not be read."""

    pages: int
    broken: int


class ArchiveIndex:
    """Where each page lies in the WARC files of a folder; of several copies the last counts. Serves as a cache."""

    def __init__(self, folder: Path, wanted: WantedTypes) -> None:
        self.folders = (folder,)
        self.broken = 0
        self._places: dict[str, tuple[Path, int]] = {}
        names = all_archive_files(folder)
        if not names:
            raise NotACrawl(f"{folder} has no WARC files (dowse-00000.warc.gz, ...): there is nothing to salvage")
        for name in names:
            check_plain(folder / name, writes=False)
            records = RecordFile(folder / name)
            for url, offset in _pages(records, wanted):
                self._places[url] = (folder / name, offset)
            self.broken += records.bad

    def __len__(self) -> int:
        return len(self._places)

    @property
    def urls(self) -> tuple[str, ...]:
        """The pages, in the order of their first copies."""
        return tuple(self._places)

    def holds(self, url: str) -> bool:
        """Is there a copy?"""
        return url in self._places

    def forget(self, url: str) -> None:
        """The copy is of no use."""
        self._places.pop(url, None)

    def read(self, url: str, now_wall: float) -> Held | None:
        """The copy, with the time of its download."""
        path, offset = self._places[url]
        try:
            record = read_record(path, offset)
            response = read_response(record, url)
        except DowseError:
            return None
        if response is None:
            return None
        return Held(replace(response, cached_from=str(self.folders[0])), _time(record, now_wall))

    def close(self) -> None:
        """Nothing is held open."""


def _pages(records: RecordFile, wanted: WantedTypes) -> Iterator[tuple[str, int]]:
    for record in records:
        url = target_of(record) if record.kind in KINDS and not record.skip else None
        if url is None or url.endswith("/robots.txt"):
            continue
        response = read_response(record, url)
        if response is None:
            continue
        is_page = response.status in _PAGE and not is_unwanted(response.header("Content-Type"), wanted.at(url))
        if is_page or response.status in _REDIRECT:
            yield url, record.offset


def _time(record: Record, otherwise: float) -> float:
    try:
        return datetime.fromisoformat(record.headers.get("warc-date", "")).timestamp()
    except ValueError:
        return otherwise


def readable_topic(folder: Path) -> Topic | None:
    """The topic of the crawl in a folder, if its records can still tell it."""
    try:
        with CrawlReader(folder) as crawl:
            return topic_from_json(crawl.topic())
    except DowseError:
        return None


def archived_topic(folder: Path) -> str:
    """What the crawl was about, as its WARC files have it: words, or a predicate. Empty where they do not tell."""
    for name in all_archive_files(folder)[:1]:
        try:
            check_plain(folder / name, writes=False)
            info = read_record(folder / name, 0)
        except (DowseError, OSError):
            break
        lines = info.block.decode("utf-8", "replace").splitlines() if info.kind == "warcinfo" else []
        return next((line.partition(":")[2].strip() for line in lines if line.startswith("description:")), "")
    return ""


class _Nowhere:
    """A way out that leads nowhere: what the archive does not hold is not asked for."""

    async def resolve(self, host: str, port: int) -> Resolved | Failure:
        return Resolved(host, ("192.0.2.1",))  # of no machine (RFC 5737)

    async def fetch(self, request: Request, meter: Meter | None = None) -> Response | Failure:
        return Failure(request.url, FailureKind.CONNECT, "not in the archive")

    async def close(self) -> None:
        pass


def _copy_answers(folder: Path, out: Path) -> None:
    """A run ends by judging with the answers in its folder. What is there already stays."""
    if check_plain(folder / LABELS, writes=False) and not check_plain(out / LABELS, writes=True):
        write_whole(out / LABELS, lambda path: path.write_bytes((folder / LABELS).read_bytes()))


async def salvage(folder: Path, topic: Topic, out: Path) -> Salvaged:
    """Judge the archived pages of ``folder`` for ``topic``, by the categories and answers that are kept there, and keep
    them in a new crawl's folder, ``out``. UserError when that holds a crawl, as the damaged folder does, or when the
    answers cannot be read."""
    index = ArchiveIndex(folder, wanted_types(topic.scope))
    if not index.urls:
        raise UserError(f"{folder}: its WARC files hold no pages")
    Answers(folder)  # whoever cannot read them says so now, not after the work
    topic = with_kept_categories(topic, folder)
    scope = Scope(
        max_depth=0,
        documents=topic.scope.documents,
        content_types=topic.scope.content_types,
        languages=topic.scope.languages,
        traps=_NO_TRAPS,
    )
    asked = replace(
        topic, seeds=Seeds(index.urls), scope=scope, strategy=StrategyChoice("bfs"), budget=Budget(), target=Target(),
        politeness=Politeness(delay_s=0.0, obey_robots=False), limits=Limits(max_retries=0, retry_wait_s=0.0),
        network=Network(contact=topic.network.contact, user_agent=topic.network.user_agent), cache=Cache(), out=None,
    )  # fmt: skip
    assembly = await assemble(asked, out, transport=_Nowhere(), held=index)
    try:
        _copy_answers(folder, out)
        await assembly.run()
    finally:
        await assembly.close()
    with CrawlReader(out) as crawl:
        return Salvaged(crawl.summary().pages, index.broken)
