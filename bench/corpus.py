"""What a corpus costs: ``python bench/corpus.py FOLDER [label]``.

Reads the corpus anew into a folder of its own (wall time, all cores), then gives a digest of every page (CPU time, best
of several rounds), and compares a sample of them with what the live crawl's step makes of the same responses.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from dowse.engine.page.step import PageStep
from dowse.engine.workers.job import Job
from dowse.frontier.scope import StaticScope
from dowse.judge import build_judge
from dowse.lab.corpus import Corpus, LabTopic, example_texts, make_topic, make_topics, open_corpus
from dowse.model.page import Digest
from dowse.model.topic import Scope, Topic

ROUNDS, EVERY, MAX_LINKS = 4, 10, 5_000


def read(folder: Path) -> Corpus:
    """Open the corpus as if for the first time."""
    started = time.perf_counter()
    stages: dict[str, float] = {}

    def progress(stage: str, done: int, total: int) -> None:
        stages[stage] = time.perf_counter() - started

    corpus = open_corpus(folder, progress=progress)
    indexed = stages["indexing"]
    print(f"index              {indexed:8.2f} s   {len(corpus):,} URLs")
    print(f"parse              {stages['parsing'] - indexed:8.2f} s   {int(corpus.pages.is_page().sum()):,} pages")
    size = sum(path.stat().st_size for path in (folder / ".dowse-lab").rglob("*"))
    archive = sum(path.stat().st_size for path in folder.glob("*.warc*"))
    print(f"cache              {size / 1e6:8.1f} MB  for {archive / 1e6:.1f} MB of WARC files")
    print(f"open again         {timed(lambda: open_corpus(folder)):8.3f} s")
    print(f"graph              {timed(lambda: corpus.graph):8.3f} s   {len(corpus.graph.targets):,} links inside")
    return corpus


def timed(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def same(one: Digest, other: Digest) -> bool:
    def values(digest: Digest) -> list[Any]:
        plain = [
            getattr(digest, field.name) for field in fields(digest) if field.name not in ("links", "parse_s", "judge_s")
        ]
        columns = [getattr(digest.links, field.name) for field in fields(digest.links)]
        return plain + [column.tobytes() if isinstance(column, np.ndarray) else column for column in columns]

    return values(one) == values(other)


def topic_of(corpus: Corpus, label: str | None) -> Topic:
    """The topic of a label, with examples; without labels, a query."""
    made = make_topic(corpus, label) if label else next(iter(make_topics(corpus)[0]), None)
    if not isinstance(made, LabTopic):
        return Topic(query=label or "science of energy")
    return Topic(query=made.query, examples=example_texts(corpus, made.examples))


def main(source: Path, label: str | None) -> None:
    with tempfile.TemporaryDirectory() as name:
        for path in source.iterdir():
            if path.is_file():
                (Path(name) / path.name).symlink_to(path.absolute())
        corpus = read(Path(name))
        topic = topic_of(corpus, label)
        judge, scope = build_judge(topic), StaticScope(Scope(reach="any"))
        language = judge.nearness.terms.language
        print(f"words, stemmed     {timed(lambda: corpus.vocabulary(language)):8.3f} s   once a language")
        print(f"digests for topic  {timed(lambda: corpus.digests(judge, scope, MAX_LINKS)):8.3f} s   {topic.query!r}")
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
        print(f"digest             {1000 * min(first) / len(pages):8.3f} ms  {links / len(pages):.0f} links a page")
        print(f"the same again     {1000 * min(again) / len(pages):8.3f} ms  its verdict is remembered")
        sample = pages[::EVERY]
        equal = sum(same(digest_of(page), live.digest(Job(corpus.response(page), 0.0))) for page in sample)
        print(f"as the live step   {equal:8,}     of {len(sample):,}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None)
