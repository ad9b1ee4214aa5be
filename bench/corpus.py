"""What a corpus costs: ``python -m bench.corpus FOLDER [LABEL] [--json FILE]``.

Reads the corpus anew into a folder of its own (wall time, all cores), then gives a digest of every page (CPU time, best
of several rounds), and compares a sample of them with what the live crawl's step makes of the same responses. Last it
replays a crawl of a fifth of the pages, by the default strategy and by breadth first, and tells how long that takes
beside what the same crawl would have taken live (one request a second to each host).
"""

from __future__ import annotations

import argparse
import gc
import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dowse.engine.page.step import PageStep
from dowse.engine.workers.job import Job
from dowse.frontier.scope import StaticScope
from dowse.judge import build_judge
from dowse.lab.compare.comparison import fitting_labels
from dowse.lab.compare.each_topic import opened, topic_and_seeds
from dowse.lab.compare.plan import DEFAULT, Plan
from dowse.lab.compare.topic_runs import TopicRuns
from dowse.lab.corpus import Corpus, LabTopic, Unfit, example_texts, make_topic, make_topics, open_corpus
from dowse.model.page import Digest
from dowse.model.topic import Scope, Topic

ROUNDS, EVERY, MAX_LINKS = 4, 10, 5_000

Figures = dict[str, float]


def read(folder: Path) -> tuple[Corpus, Figures]:
    """Open the corpus as if for the first time."""
    started = time.perf_counter()
    stages: dict[str, float] = {}

    def progress(stage: str, done: int, total: int) -> None:
        stages[stage] = time.perf_counter() - started

    corpus = open_corpus(folder, progress=progress)
    found = {
        "urls": float(len(corpus)),
        "pages": float(corpus.pages.is_page().sum()),
        "index_s": stages["indexing"],
        "parse_s": stages["parsing"] - stages["indexing"],
        "cache_bytes": float(sum(path.stat().st_size for path in (folder / ".dowse-lab").rglob("*"))),
        "archive_bytes": float(sum(path.stat().st_size for path in folder.glob("*.warc*"))),
        "open_again_s": timed(lambda: open_corpus(folder)),
        "graph_s": timed(lambda: corpus.graph),
    }
    print(f"index              {found['index_s']:8.2f} s   {len(corpus):,} URLs")
    print(f"parse              {found['parse_s']:8.2f} s   {found['pages']:,.0f} pages")
    archive_mb = found["archive_bytes"] / 1e6
    print(f"cache              {found['cache_bytes'] / 1e6:8.1f} MB  for {archive_mb:.1f} MB of WARC files")
    print(f"open again         {found['open_again_s']:8.3f} s")
    print(f"graph              {found['graph_s']:8.3f} s   {len(corpus.graph.targets):,} links inside")
    return corpus, found


def timed(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def same(one: Digest, other: Digest) -> bool:
    """But for the time they took."""
    ours, theirs = (plain(replace(digest, parse_s=0.0, judge_s=0.0)) for digest in (one, other))
    return bool(ours == theirs)


def plain(value: Any) -> Any:
    """What can be compared: arrays as bytes, values as their fields."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if is_dataclass(value):
        return [plain(getattr(value, field.name)) for field in fields(value)]
    return value


def topic_of(corpus: Corpus, label: str | None) -> Topic:
    """The topic of a label, with examples; without labels, a query."""
    made = make_topic(corpus, label) if label else next(iter(make_topics(corpus)[0]), None)
    if not isinstance(made, LabTopic):
        return Topic(query=label or "science of energy")
    return Topic(query=made.query, examples=example_texts(corpus, made.examples))


def digested(corpus: Corpus, topic: Topic) -> Figures:
    """What it takes to know a topic's pages, and how many are what the live crawl makes of them."""
    judge, scope = build_judge(topic), StaticScope(Scope(reach="any"))
    language = judge.nearness.terms.language
    found = {
        "vocabulary_s": timed(lambda: corpus.vocabulary(language)),
        "digests_s": timed(lambda: corpus.digests(judge, scope, MAX_LINKS)),
    }
    print(f"words, stemmed     {found['vocabulary_s']:8.3f} s   once a language")
    print(f"digests for topic  {found['digests_s']:8.3f} s   {topic.query!r}")
    live = PageStep(judge, scope, MAX_LINKS)
    pages = np.flatnonzero(corpus.pages.is_page()).tolist()
    gc.freeze()
    first: list[float] = []
    again: list[float] = []
    for _ in range(ROUNDS):
        digest_of = corpus.digests(judge, scope, MAX_LINKS)
        for spent in (first, again):
            started = time.process_time()
            links = sum(digest_of(page).content.n_links for page in pages)
            spent.append(time.process_time() - started)
    found |= {"digest_ms": 1000 * min(first) / len(pages), "digest_again_ms": 1000 * min(again) / len(pages)}
    print(f"digest             {found['digest_ms']:8.3f} ms  {links / len(pages):.0f} links a page")
    print(f"the same again     {found['digest_again_ms']:8.3f} ms  its verdict is remembered")
    sample = pages[::EVERY]
    equal = sum(same(digest_of(page), live.digest(Job(corpus.response(page), 0.0))) for page in sample)
    print(f"as the live step   {equal:8,}     of {len(sample):,}")
    return {**found, "equal": float(equal), "compared": float(len(sample))}


def replayed(folder: Path) -> Figures:
    """A crawl of the first label's topic in virtual time, by the default strategy and by breadth first."""
    plan = Plan((DEFAULT, "bfs"), seed_sets=1, inside=True)
    corpus, web = opened(folder)
    found: Figures = {}
    for label in fitting_labels(corpus, plan):
        ready = topic_and_seeds(corpus, plan, label)
        if isinstance(ready, Unfit):
            continue
        topic, seeds = ready
        runs = TopicRuns(corpus, web, plan, topic)
        for strategy in plan.strategies:
            started = time.perf_counter()
            exchanges = runs.replay(seeds[0], strategy).exchanges
            took_s, virtual_s = time.perf_counter() - started, max(one.ended_s for one in exchanges)
            found |= {f"{strategy}_requests": float(len(exchanges)), f"{strategy}_s": took_s}
            found |= {f"{strategy}_virtual_s": virtual_s}
            print(f"replay, {strategy:10} {took_s:8.2f} s   {len(exchanges):,} requests, {virtual_s:,.0f} s if live")
        break
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("label", nargs="?")
    parser.add_argument("--json", type=Path, help="write the figures")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for path in options.corpus.iterdir():
            if path.is_file():
                (Path(name) / path.name).symlink_to(path.absolute())
        corpus, found = read(Path(name))
        found |= digested(corpus, topic_of(corpus, options.label))
        found |= replayed(Path(name))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
