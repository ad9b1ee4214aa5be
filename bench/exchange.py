"""What it costs shards to learn from each other: ``python -m bench.exchange CORPUS [--shards 3] [--json FILE]``.

``made`` in place of a corpus is a made web of 2,000 hosts (``bench.wide_web``). Crawls a corpus of many hosts whole by
shards in virtual time, as ``bench.shards`` does, but for the CPU time in which
something is told to the other shards, or taken up from them: from what the learner has counted to the ground (in
memory here), and back. Told are how often that was and how long it took, and what it comes to a page. The rest of what
a page takes is not here: there is no network, and pages were parsed beforehand. Told is also how many letters a page
writes where all links are followed, and each site is another shard's.
"""

from __future__ import annotations

import argparse
import gc
import json
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.shards import MADE, opened, topics
from dowse.cluster.beats import Beats
from dowse.cluster.ground import mail
from dowse.cluster.ground.database import Session
from dowse.cluster.slots import slot_of
from dowse.engine.life.elsewhere import _MOST_MENTIONS
from dowse.engine.life.shared_learning import SharedLearning
from dowse.frontier.scope import StaticScope
from dowse.judge import build_judge
from dowse.lab.compare.topic_runs import Inside
from dowse.lab.corpus import Corpus
from dowse.lab.corpus.topics import roots
from dowse.lab.replay.corpus_web import CorpusWeb, KnownPages
from dowse.lab.replay.replay import replay
from dowse.lab.replay.shared_replay import Sharing, replay_shared
from dowse.model.topic import Scope, Seeds, Topic

REQUESTS, ROUNDS = 100_000, 3
LABEL, OF_MADE = "database", "perovskite"


class Spent:
    """Where the CPU time of the exchange goes: how often, and seconds."""

    def __init__(self) -> None:
        self.times = {"tell": 0, "take": 0, "all": 0}
        self.seconds = {"tell": 0.0, "take": 0.0, "all": 0.0}
        self.told_bytes: list[int] = []
        self.letters = self.letter_bytes = 0

    def add(self, what: str, since: float) -> None:
        self.times[what] += 1
        self.seconds[what] += time.process_time() - since

    def timing(self) -> None:
        """Time it from now on."""
        own, take, learn, put = SharedLearning.own, SharedLearning.take, Beats._learn, mail.put

        def timed_own(shared: SharedLearning) -> bytes | None:
            start = time.process_time()
            told = own(shared)
            if told is not None:
                self.add("tell", start)
                self.told_bytes.append(len(told))
            return told

        def timed_take(shared: SharedLearning, shard: int, data: bytes) -> None:
            start = time.process_time()
            take(shared, shard, data)
            self.add("take", start)

        async def timed_learn(beats: Beats) -> None:
            start = time.process_time()
            await learn(beats)  # in virtual time it waits for nothing
            self.add("all", start)

        def counted_put(session: Session, rows: mail.Rows) -> None:
            self.letters += sum(row[4] for row in rows)
            self.letter_bytes += sum(len(row[5]) for row in rows)
            put(session, rows)

        for of, name, other in (
            (SharedLearning, "own", timed_own), (SharedLearning, "take", timed_take), (Beats, "_learn", timed_learn),
            (mail, "put", counted_put),
        ):  # fmt: skip
            setattr(of, name, other)


def letters_a_page(corpus: Corpus, web: CorpusWeb, topic: Topic) -> float:
    """How many letters a page writes where every site is a shard's own and all links are followed: as many as there are
    links to other sites, but for each URL no more than the first few."""
    digests = corpus.digests(build_judge(topic), StaticScope(Scope()), topic.limits.max_links)
    pages = KnownPages(web, digests)
    numbers = np.flatnonzero(corpus.pages.is_page()).tolist()
    written: Counter[tuple[int, str]] = Counter()
    for number in numbers:
        site = slot_of(corpus.url(number))
        written.update((site, url) for url in pages.digest(number).links.urls if slot_of(url) != site)
    return sum(min(many, _MOST_MENTIONS) for many in written.values()) / len(numbers)


def measure(corpus: Corpus, label: str, shards: int) -> dict[str, Any]:
    web = CorpusWeb(corpus)
    scope = Inside(web)
    [(topic, _)] = topics(corpus, [label], 1, REQUESTS)
    topic = replace(topic, seeds=Seeds(urls=tuple(map(corpus.url, roots(corpus)))))
    pages = KnownPages(web, corpus.digests(build_judge(topic), scope, topic.limits.max_links))
    replay(web, pages, topic, scope)  # parses what is to be parsed
    letters = letters_a_page(corpus, web, topic)
    spent = Spent()
    spent.timing()
    best: dict[str, Any] = {}
    for _ in range(ROUNDS):
        spent.__init__()  # type: ignore[misc]
        gc.collect()
        start = time.process_time()
        with tempfile.TemporaryDirectory() as records:
            done = replay_shared(web, pages, topic, scope, Sharing(shards, every_s=1.0), Path(records))
        whole = time.process_time() - start
        fetched = sum(exchange.is_page for exchange in done.exchanges)
        found = {
            "shards": shards, "pages": fetched, "engine_ms": 1e3 * (whole - spent.seconds["all"]) / fetched,
            "letters_a_page": letters,
            "letter_bytes": spent.letter_bytes / spent.letters,
            "exchange_ms": 1e3 * spent.seconds["all"] / fetched, "told_bytes": max(spent.told_bytes),
            **{f"{what}s": spent.times[what] for what in ("tell", "take")},
            **{f"{what}_ms": 1e3 * spent.seconds[what] / spent.times[what] for what in ("tell", "take")},
        }  # fmt: skip
        if not best or found["exchange_ms"] < best["exchange_ms"]:
            best = found
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", help=f"a folder, or {MADE!r}")
    parser.add_argument("--shards", type=int, default=3)
    parser.add_argument("--json", type=Path, help="write the figures")
    given = parser.parse_args()
    with opened(given.corpus) as corpus:
        told = measure(corpus, OF_MADE if given.corpus == MADE else LABEL, given.shards)
    print(
        "{shards} shards, {pages:,} pages: {tells} times told, {tell_ms:.2f} ms each, at most {told_bytes:,} bytes; "
        "{takes} times taken up, {take_ms:.2f} ms each\n"
        "{letters_a_page:.2f} letters a page, of {letter_bytes:.0f} bytes, were each site another shard's\n"
        "{exchange_ms:.4f} ms of CPU a page, beside {engine_ms:.3f} ms of engines without network and parsing".format(
            **told
        )
    )
    if given.json is not None:
        given.json.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
