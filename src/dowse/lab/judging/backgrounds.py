"""What a crawl would have fetched of a corpus: pages without a label, for judges that learn from them.

A breadth-first crawl brings what lies around its seeds. A focused one brings mostly pages on the topic or near it, so a
judge that takes unlabelled pages for pages off the topic is misled by it the more the better the crawl was.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dowse.lab.compare.plan import Plan
from dowse.lab.compare.topic_runs import TopicRuns
from dowse.lab.corpus import Corpus, LabTopic, SeedSet, make_seeds
from dowse.lab.judging.port import Background
from dowse.lab.replay.corpus_web import CorpusWeb
from dowse.lab.replay.recorded_transport import Exchange
from dowse.lab.replay.replay import replay
from dowse.model.budget import Budget

__all__ = ["backgrounds", "fetched", "on_topic", "seeds_of"]

_KINDS = ("roots", "near", "far")


def seeds_of(corpus: Corpus, topic: LabTopic, kind: str = "") -> SeedSet | None:
    """Where crawls for a topic begin, see :func:`~dowse.lab.corpus.topics.make_seeds`. No kind: at the entry pages that
    the corpus names, else at examples of the topic, else some links away. None: the topic has no such seeds."""
    for one in (kind,) if kind else _KINDS:
        found = make_seeds(corpus, topic, one, sets=1)
        if isinstance(found, tuple):
            return found[0]
    return None


def on_topic(seeds: SeedSet | None) -> tuple[int, ...]:
    """Those seeds that were chosen because they are on the topic, as a user chooses seeds."""
    return seeds.pages if seeds is not None and seeds.kind == "near" else ()


def backgrounds(
    corpus: Corpus, web: CorpusWeb, plan: Plan, topic: LabTopic, seeds: SeedSet, pages: int
) -> list[Background]:
    """The first ``pages`` pages that each strategy of the plan fetches. Crawls are told the topic's query and its
    examples."""
    runs = TopicRuns(corpus, web, plan, topic)
    found = []
    for strategy in plan.strategies:
        told = replace(runs.topic_for(seeds, strategy), budget=Budget(pages=pages))
        exchanges = replay(web, runs.pages_for(told.strategy), told, runs.scope).exchanges
        found.append(Background(strategy, seeds.pages, fetched(exchanges)))
    return found


def fetched(exchanges: Iterable[Exchange]) -> NDArray[np.int64]:
    """The pages that came, each once, in the order in which they did."""
    ordered = sorted((one for one in exchanges if one.is_page), key=lambda one: one.ended_s)
    return np.array(list(dict.fromkeys(one.page for one in ordered)), np.int64)
