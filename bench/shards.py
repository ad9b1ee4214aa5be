"""What shards find beside one engine: ``python -m bench.shards CORPUS [LABEL ...] [--shards 2,4] [--sets 2]``.

``made`` in place of a corpus is a made web of 2,000 hosts (``bench.wide_web``).

Crawls a corpus of many hosts for each label, from 60 of its entry pages and with 8 examples, drawn by lot, until the
same number of requests is spent: by one engine, and by shards in virtual time; once more without each of the two
things that keep them close to one engine, and with sites that move. Told are the
harvest rate (relevant pages a request) and the area (the share of all relevant pages that was found, on average over
the crawl), and how much of one engine's they are, with the standard error of that over the crawls: one crawl alone says
little, since who finds what first changes all that follows. The load is the pages of the shard that has most, over the
mean; the time is that of the replay's clock.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.wide_web import write_wide_web
from dowse.judge import build_judge
from dowse.lab.compare.topic_runs import Inside
from dowse.lab.corpus import Corpus, example_texts, open_corpus
from dowse.lab.corpus.topics import roots
from dowse.lab.replay.corpus_web import CorpusWeb, KnownPages
from dowse.lab.replay.recorded_transport import Exchange
from dowse.lab.replay.replay import replay
from dowse.lab.replay.shared_replay import Sharing, replay_shared
from dowse.model.budget import Budget
from dowse.model.topic import Seeds, Topic

SEEDS, EXAMPLES, LOT = 60, 8, 7
MADE = "made"
_USUAL = Sharing(1, every_s=1.0)
KINDS = {
    "": _USUAL,
    ", the budget dealt evenly": replace(_USUAL, promises=False),
    ", not learning from each other": replace(_USUAL, learning=False),
    ", sites that move": replace(_USUAL, moving=True),
}
"""How they share the crawl."""

Figures = tuple[float, float, float, float]


def figures(exchanges: Sequence[Exchange], relevant: NDArray[np.bool_], pages: Sequence[int] = (1,)) -> Figures:
    """Harvest rate and area of a crawl, the pages of the shard with most over the mean, and how long it took."""
    seen: set[int] = set()
    found = np.zeros(len(exchanges))
    for at, exchange in enumerate(sorted(exchanges, key=lambda one: one.ended_s)):
        if exchange.is_page and exchange.page not in seen:
            seen.add(exchange.page)
            found[at] = relevant[exchange.page]
    load = max(pages) / (sum(pages) / len(pages))
    took_s = max(exchange.ended_s for exchange in exchanges)
    return float(found.mean()), float(np.cumsum(found).mean() / relevant.sum()), load, took_s


def topics(corpus: Corpus, labels: Sequence[str], sets: int, requests: int) -> list[tuple[Topic, NDArray[np.bool_]]]:
    """Each label with seeds and examples of its own, so often, and which pages have it."""
    dice, made = np.random.default_rng(LOT), []
    entries = roots(corpus)
    for label in [label for _ in range(sets) for label in labels]:
        relevant = np.zeros(len(corpus), np.bool_)
        relevant[list(corpus.labels.pages[label])] = True
        seeds = sorted(dice.choice(entries, min(SEEDS, len(entries)), replace=False).tolist())
        examples = dice.choice(np.flatnonzero(relevant), EXAMPLES, replace=False).tolist()
        topic = Topic(
            query=corpus.labels.query(label), examples=example_texts(corpus, examples),
            seeds=Seeds(urls=tuple(map(corpus.url, seeds))), budget=Budget(requests=requests),
        )  # fmt: skip
        made.append((topic, relevant))
    return made


@contextmanager
def opened(name: str) -> Iterator[Corpus]:
    """The corpus in a folder, or the made one."""
    if name != MADE:
        yield open_corpus(Path(name))
        return
    with tempfile.TemporaryDirectory() as folder:
        write_wide_web(Path(folder))
        yield open_corpus(Path(folder))


def measure(
    corpus: Corpus, labels: Sequence[str], shards: Sequence[int], sets: int, requests: int,
    kinds: Sequence[str] = tuple(KINDS), ways: Sequence[int] = (),
) -> dict[str, Any]:  # fmt: skip
    web = CorpusWeb(corpus)
    scope = Inside(web)
    found: dict[str, list[Figures]] = defaultdict(list)
    for topic, relevant in topics(corpus, labels or list(corpus.labels.pages), sets, requests):
        pages = KnownPages(web, corpus.digests(build_judge(topic), scope, topic.limits.max_links))
        found["one engine"].append(figures(replay(web, pages, topic, scope).exchanges, relevant))
        for count in shards:
            for kind in kinds:
                if kind and ways and count not in ways:
                    continue
                name = f"{count} shards{kind}"
                with tempfile.TemporaryDirectory() as records:
                    sharing = replace(KINDS[kind], shards=count)
                    done = replay_shared(web, pages, topic, scope, sharing, Path(records))
                found[name].append(figures(done.exchanges, relevant, done.pages))
    one = np.array(found["one engine"])
    told = []
    for name, rows in found.items():
        mean = np.array(rows).mean(axis=0)
        of_one = mean / one.mean(axis=0)
        error = (np.array(rows) - of_one * one).std(axis=0, ddof=1) / np.sqrt(len(one)) / one.mean(axis=0)
        told.append({
            "who": name,
            "harvest": float(mean[0]), "harvest of one": float(of_one[0]), "harvest error": float(error[0]),
            "area": float(mean[1]), "area of one": float(of_one[1]), "area error": float(error[1]),
            "load": float(mean[2]), "seconds": float(mean[3]),
        })  # fmt: skip
    return {"crawls": len(one), "requests": requests, "rows": told}


def show(told: dict[str, Any]) -> None:
    print(f"{told['crawls']} crawls of {told['requests']} requests")
    print(f"{'':46s} {'harvest':>24s} {'area':>24s} {'load':>6s}    time")
    for row in told["rows"]:
        parts = (f"{row[of]:8.4f} {row[f'{of} of one']:6.1%} ± {row[f'{of} error']:5.1%}" for of in ("harvest", "area"))
        print(f"{row['who']:46s}", *parts, f"{row['load']:6.2f} {row['seconds']:6.0f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus")
    parser.add_argument("labels", nargs="*")
    parser.add_argument("--shards", default="2,4")
    parser.add_argument("--ways", help="the numbers of shards that share in all ways; the others in the usual one")
    parser.add_argument("--sets", type=int, default=2)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--only", help="sites that move, ...: of the ways to share, this and the usual one")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    shards = [int(part) for part in given.shards.split(",")]
    ways = [int(part) for part in (given.ways or given.shards).split(",")]
    kinds = tuple(KINDS) if given.only is None else ("", f", {given.only}")
    with opened(given.corpus) as corpus:
        told = measure(corpus, given.labels, shards, given.sets, given.requests, kinds, ways)
    show(told)
    if given.json is not None:
        given.json.write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    main()
