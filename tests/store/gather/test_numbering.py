"""Records of shards, made up, against what a plain reading of them says the whole crawl is."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.model.batch import Batch
from dowse.model.others import MAIL_FROM, Letter
from dowse.model.records import CandidateRow, CandidateState, EventRow, SiteRow
from dowse.store import CrawlStore
from dowse.store.gather import gather
from tests.store.made import WALL, page

_HOSTS, _PATHS = 3, 3
URLS = [f"http://h{host}.test/{path}" for host in range(_HOSTS) for path in range(_PATHS)]
_OF_OTHERS = (CandidateState.ELSEWHERE, CandidateState.ENDED_ELSEWHERE)
STATES = [state for state in CandidateState if state not in (CandidateState.LEASED, *_OF_OTHERS)]


def owner(url: str, shards: int) -> int:
    return int(url[8]) % shards


@dataclass
class Known:
    """What a shard has of a URL."""

    state: CandidateState
    depth: int
    parent: str | None
    score: float


@dataclass
class Shard:
    urls: dict[str, Known] = field(default_factory=dict)  # in the order of discovery
    links: list[tuple[str, str]] = field(default_factory=list)
    letters: list[str] = field(default_factory=list)
    noted: dict[int, int] = field(default_factory=dict)  # sender -> number


@st.composite
def crawls(draw: st.DrawFn) -> list[Shard]:
    count = draw(st.integers(1, 3))
    shards = []
    for number in range(count):
        shard = Shard()
        for url in draw(st.lists(st.sampled_from(URLS), unique=True, min_size=1)):
            ours = owner(url, count) == number
            pages = [page for page, known in shard.urls.items() if known.state is CandidateState.FETCHED]
            parent = draw(st.sampled_from([None, *pages])) if ours else draw(st.sampled_from(pages)) if pages else None
            depth = 0 if ours and parent is None and draw(st.booleans()) else draw(st.integers(1, 3))
            state = draw(st.sampled_from(STATES)) if ours else CandidateState.ELSEWHERE
            shard.urls[url] = Known(state, depth, parent, draw(st.integers(0, 4)) / 4)
            if not ours:
                shard.letters.append(url)
        pages = [url for url, known in shard.urls.items() if known.state is CandidateState.FETCHED]
        if pages:
            ends = st.tuples(st.sampled_from(pages), st.sampled_from(list(shard.urls)))
            shard.links = draw(st.lists(ends, unique=True, max_size=6))
        shard.noted = draw(st.dictionaries(st.integers(0, count - 1), st.integers(0, 4)))
        shards.append(shard)
    return shards


def write(folder: Path, number: int, shard: Shard) -> None:
    """The shard's folder, in numbers of its own."""
    ids = {url: id for id, url in enumerate(shard.urls)}
    hosts = list(dict.fromkeys(url[:14] for url in shard.urls))
    fetched = [url for url, known in shard.urls.items() if known.state is CandidateState.FETCHED]
    store = CrawlStore.create(folder / "shards" / f"{number:02d}", {"topic": {}, "seeds": list(shard.urls)[:1]}, WALL)
    with store:
        store.start_run(WALL)
        store.commit(Batch(
            candidates=[
                CandidateRow(ids[url], url, hosts.index(url[:14]), known.depth,
                             None if known.parent is None else ids[known.parent], 0.5, state=known.state)
                for url, known in shard.urls.items()
            ],
            sites={
                id: SiteRow(id, host, host[7:], requests=sum(url[:14] == host for url in fetched))
                for id, host in enumerate(hosts)
            },
            pages=[
                page(ids[url], url=url, final_url=url, fetched_at=WALL + 10 * place + number, archive=[],
                     score=shard.urls[url].score, relevant=shard.urls[url].score > 0.5)
                for place, url in enumerate(fetched)
            ],
            links=[(ids[source], ids[target], "", 1, 0, "") for source, target in shard.links],
            events=[EventRow(WALL + number, "made", "")],
            refusals={"scope": number + 1},
            letters={(ids[url], -1): Letter(0, owner(url, 9), url, 1, 0.5) for url in shard.letters},
            statistics={f"{MAIL_FROM}{sender}": last for sender, last in shard.noted.items()},
        ))  # fmt: skip


def states(shards: Sequence[Shard]) -> dict[str, CandidateState]:
    """How each URL stands: as its owner says; else it waits where a letter is on its way."""
    count = len(shards)
    found = {}
    for url in {url for shard in shards for url in shard.urls}:
        known = shards[owner(url, count)].urls.get(url)
        if known is not None:
            found[url] = known.state
            continue
        sent = [
            (sender, shard.letters.index(url) + 1)
            for sender, shard in enumerate(shards)
            if url in shard.letters
        ]  # fmt: skip
        to = owner(url, 9)  # who the letter is for, whether or not there is such a shard
        noted: Mapping[int, int] = shards[to].noted if to < count else {}
        waits = any(number > noted.get(sender, 0) for sender, number in sent)
        found[url] = CandidateState.WAITING if waits else CandidateState.REFUSED
    return found


def parents(shards: Sequence[Shard]) -> dict[str, set[str | None]]:
    """On which page each URL may be said to have been found."""
    found: dict[str, set[str | None]] = {}
    for url in states(shards):
        own = shards[owner(url, len(shards))].urls.get(url)
        others = {shard.urls[url].parent for shard in shards if url in shard.urls} - {None}
        if own is not None and (own.parent is not None or own.depth == 0):
            found[url] = {own.parent}
        else:
            found[url] = others or {None}
    return found


def check(folder: Path, shards: Sequence[Shard]) -> None:
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as records:
        rows: list[tuple[Any, ...]] = records.execute(
            "SELECT c.url, c.state, p.url, s.origin FROM candidates c LEFT JOIN candidates p ON p.id = c.parent"
            " JOIN sites s ON s.id = c.site"
        ).fetchall()
        assert {url: CandidateState(state) for url, state, _, _ in rows} == states(shards)
        allowed = parents(shards)
        assert all(parent in allowed[url] for url, _, parent, _ in rows)
        assert all(url.startswith(f"{origin}/") for url, _, _, origin in rows)
        pages = records.execute("SELECT p.url, p.score, c.url FROM pages p JOIN candidates c ON c.id = p.id").fetchall()
        assert sorted(pages) == sorted(
            (url, known.score, url)
            for shard in shards for url, known in shard.urls.items() if known.state is CandidateState.FETCHED
        )  # fmt: skip
        links = records.execute("SELECT page, target FROM link_urls").fetchall()
        assert sorted(links) == sorted(link for shard in shards for link in shard.links)
        ordered = [url for (url,) in records.execute("SELECT url FROM pages ORDER BY ordinal")]
        times = dict(records.execute("SELECT url, fetched_at FROM pages"))
        assert ordered == sorted(times, key=times.__getitem__)
        assert records.execute("SELECT requests FROM sites").fetchall()
        assert sum(n for (n,) in records.execute("SELECT requests FROM sites")) == len(pages)
        assert records.execute("SELECT count FROM refusals").fetchall() == [(sum(range(1, len(shards) + 1)),)]
        assert [row[0] for row in records.execute("SELECT detail FROM events ORDER BY id")] == [
            f"shard {number:02d}: " for number in range(len(shards))
        ]
        for table in ("candidates", "sites"):
            ids = [id for (id,) in records.execute(f"SELECT id FROM {table} ORDER BY id")]
            assert ids == list(range(len(ids)))


@settings(max_examples=40, deadline=None)
@given(crawls())
def test_the_whole_is_what_its_shards_say(shards: list[Shard]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "cluster.json").write_text("{}")
        for number, shard in enumerate(shards):
            write(folder, number, shard)
        gather(folder)
        check(folder, shards)
