"""What learning costs when much waits: CPU a judged page for statistics and rescoring together, and bytes a URL.

    python -m bench.learning [--most 7] [--json FILE]

A made-up crawl: so many URLs wait, known from pages with a hundred links each; then pages are judged one after another,
each with 250 terms and a hundred links, a fifth of them to URLs that nobody knew. The look at a page
before it goes, what is learned of it, its links and the sweep are counted.
Prints a line for 10^4, 10^5, ... waiting URLs.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as in a crawl; before numpy is loaded
import numpy as np
from numpy.typing import NDArray

from dowse.frontier.frontier import Frontier
from dowse.model.page import Bag, Context
from dowse.model.strategy import LinkView, SourcePage
from dowse.predict.learning import Learner

_LINKS = 100
_NEW = 20  # of them
_TERMS = 250
_SITES = 1000
_JUDGED = 2000  # before the clock starts
_MEASURED = 1000


def _bag(rng: np.random.Generator) -> Bag:
    terms = np.unique(rng.zipf(1.3, _TERMS).astype(np.uint32))
    return Bag(terms, np.ones(len(terms), np.float32))


def _page(rng: np.random.Generator, id_: int, ordinal: int) -> SourcePage:
    score = float(rng.random() * 0.2)
    return SourcePage(
        id=id_, site=ordinal % _SITES, depth=1, ordinal=ordinal, score=score, relevant=score > 0.1, n_links=_LINKS,
        threshold=0.1, worth=5 * score, bag=_bag(rng),
    )  # fmt: skip


def _view(rng: np.random.Generator, ids: NDArray[np.int64]) -> LinkView:
    n = len(ids)
    return LinkView(
        ids=ids, sites=ids % _SITES, depths=np.ones(n, np.int64), counts=np.ones(n, np.float32),
        similarity=rng.random((n, len(Context)), np.float32), current=np.full(n, 0.1),
        urls=[f"http://s{id_ % _SITES}.example/part-{id_ % 977}/page-{id_}.html" for id_ in ids.tolist()],
        anchors=[f"word{id_ % 1777} anchor" for id_ in ids.tolist()], positions=np.arange(n, dtype=np.int32),
    )  # fmt: skip


def _filled(rng: np.random.Generator, waiting: int) -> Learner:
    """A learner that knows so many waiting URLs."""
    learner = Learner()
    for number, start in enumerate(range(0, waiting, _LINKS)):
        ids = np.arange(start, min(start + _LINKS, waiting))
        if number < _JUDGED:
            learner.rank(_page(rng, waiting + number, number), _view(rng, ids))
        else:  # the same links again and again: what waits is what counts
            learner.memory.put(ids, learner.memory.at(ids % (_JUDGED * _LINKS)))
    learner.memory.changes()
    return learner


def _story(rng: np.random.Generator, waiting: int) -> Iterator[tuple[SourcePage, LinkView]]:
    new = waiting
    for number, judged in enumerate(rng.choice(waiting, _MEASURED, replace=False).tolist()):
        known = rng.integers(0, waiting, _LINKS - _NEW)
        ids = np.concatenate((np.unique(known), np.arange(new, new + _NEW)))
        new += _NEW
        yield _page(rng, judged, _JUDGED + number), _view(rng, ids)


def measure(waiting: int) -> tuple[float, float]:
    """CPU ms a judged page, and bytes of the learner a waiting URL."""
    rng = np.random.default_rng(0)
    learner = _filled(rng, waiting)
    story = list(_story(rng, waiting))
    start = time.process_time()
    for page, view in story:
        learner.refresh(page.id)
        learner.rank(page, view)
        learner.revise(_all_wait)
    spent = time.process_time() - start
    return 1000 * spent / _MEASURED, learner.nbytes / waiting


def _all_wait(ids: NDArray[np.int64]) -> NDArray[np.bool_]:
    return np.ones(len(ids), np.bool_)


def _frontier_bytes(waiting: int) -> float:
    """What the frontier itself takes a URL."""
    frontier = Frontier()
    rng = np.random.default_rng(1)
    for start in range(0, waiting, 1000):
        ids = range(start, min(start + 1000, waiting))
        urls = [f"http://s{id_ % _SITES}.example/part-{id_ % 977}/page-{id_}.html" for id_ in ids]
        prints = rng.integers(1, (1 << 64) - 1, len(urls), np.uint64)
        frontier.add(urls, prints, depth=1, parent=-1, priorities=rng.random(len(urls)), now=0.0)
    return frontier.nbytes / waiting


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=int, default=6, help="up to 10 to this power")
    parser.add_argument("--json", type=Path, help="write the figures")
    options = parser.parse_args()
    rows = []
    print(f"{'waiting':>10}  {'CPU ms a page':>13}  {'learner B/URL':>13}  {'frontier B/URL':>14}")
    for power in range(4, options.most + 1):
        ms, size = measure(10**power)
        frontier = _frontier_bytes(10**power)
        rows.append({"waiting": 10**power, "cpu_ms": ms, "learner_bytes": size, "frontier_bytes": frontier})
        print(f"{10**power:>10,}  {ms:>13.3f}  {size:>13.0f}  {frontier:>14.0f}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
