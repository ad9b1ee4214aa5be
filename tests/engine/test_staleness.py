"""How fresh priorities are when a URL is fetched: what ``docs/learning.md`` promises, put-backs included."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from dowse.engine.assembly.join import Parts
from dowse.engine.loop import dispatch
from dowse.frontier import Lease
from dowse.lab.compare.plan import Plan
from dowse.lab.compare.topic_runs import TopicRuns
from dowse.lab.corpus import make_seeds, make_topic, open_corpus
from dowse.lab.replay.corpus_web import CorpusWeb
from dowse.lab.replay.replay import replay
from dowse.model.strategy import SEED_FLOOR
from dowse.predict.learning import learner
from tests.lab.compare.webs import write_labelled

LOST = 0.05


@dataclass
class Watched:
    """What was fetched, as a share of what others were last thought worth, and of what they were worth by then."""

    of_latest: list[float] = field(default_factory=list)
    of_exact: list[float] = field(default_factory=list)
    put_back: list[int] = field(default_factory=list)  # before each, since the last

    def __call__(self, parts: Parts) -> None:
        life = parts.life
        frontier, strategy = life._frontier, life._strategy
        begin, reconsider, behind = life.begin, life.reconsider, 0

        def watched_begin(lease: Lease, *, requests: int = 1) -> None:
            nonlocal behind
            own = strategy.refresh(lease.candidate)
            if own is not None and frontier.priority(lease.candidate) < SEED_FLOOR:
                ids = np.flatnonzero(frontier.is_waiting(np.arange(len(frontier.candidates))))
                here = frontier.candidates.site[ids] == lease.site.id  # others may have to wait
                ids = ids[here & (frontier.priorities(ids) < SEED_FLOOR)]
                exact = [value for id_ in ids.tolist() if (value := strategy.refresh(id_)) is not None]
                self.of_latest.append(own / frontier.priorities(ids).max(initial=1e-9))
                self.of_exact.append(own / max([own, *exact]))
                self.put_back.append(behind)
            behind = 0
            begin(lease, requests=requests)

        def watched_reconsider(lease: Lease) -> bool:
            nonlocal behind
            lost = reconsider(lease)
            behind += lost
            return lost

        life.begin, life.reconsider = watched_begin, watched_reconsider  # type: ignore[method-assign]


def watched(folder: Path, strategy: str) -> Watched:
    """A crawl of a host that is asked for one page at a time: whatever waits there might have been the next."""
    corpus = open_corpus(folder, jobs=1)
    plan = Plan((strategy,), budget="60%", seeds=2, examples=4, min_pages=20)
    topic = make_topic(corpus, "solar cells", examples=4, min_pages=20)
    seeds = make_seeds(corpus, topic, "near", sets=1, pages=2)  # type: ignore[arg-type]
    assert isinstance(seeds, tuple)
    runs = TopicRuns(corpus, CorpusWeb(corpus), plan, topic)  # type: ignore[arg-type]
    found = Watched()
    replay(runs.web, runs.workers, runs.topic_for(seeds[0], strategy), runs.scope, joined=found)
    assert len(found.of_latest) > 50
    return found


@pytest.fixture(autouse=True)
def _few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The web is small: with each page only a few other URLs are valued again, as in a large one."""
    monkeypatch.setattr(learner, "_AT_ONCE", 4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_labelled(tmp_path_factory.mktemp("web"))


def test_what_is_fetched_is_worth_nearly_what_any_other_was_last_thought_worth(folder: Path) -> None:
    found = watched(folder, "learning")
    kept = [share for share, behind in zip(found.of_latest, found.put_back, strict=True) if behind < dispatch._PUT_BACK]
    assert min(kept) >= 1 - LOST - 1e-9
    assert len(found.of_latest) - len(kept) <= 2, "what everything is worth changes at once with a judge's first model"
    assert sum(found.put_back) > 0, "some had lost their worth, and went back"
    assert max(found.put_back) <= dispatch._PUT_BACK


def test_valued_after_every_page_it_is_the_best_of_all(folder: Path) -> None:
    found = watched(folder, "learning:exact=true")
    assert min(found.of_exact) == pytest.approx(1.0)
    assert sum(found.put_back) == 0


def test_after_so_many_put_backs_the_next_goes_as_it_was_ranked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without that bound a page could cost as many looks as URLs wait."""
    monkeypatch.setattr(dispatch, "_PUT_BACK", 0)
    found = watched(folder, "learning")
    assert sum(found.put_back) == 0
    assert min(found.of_latest) < 1 - LOST, "so put-backs are what keeps the promise"
