"""How well pages are predicted before they are fetched: TH-Gatherer's figure 3 (METHODS, section 1).

Every page of a corpus is predicted from all pages that link to it, by the very measures that a crawl has in the paper's
form, and compared with what it is. The error is told by the number of those pages, since a mean of many says more than
a mean of one. Beside the predictors stands who knows nothing of links and takes every page for the mean of all: a
predictor whose curve is not below that has predicted nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dowse.lab.compare.bootstrap import Cell
from dowse.lab.compare.each_topic import Told, each_label, opened, topic_of
from dowse.lab.compare.mean_curves import Drawn, averaged
from dowse.lab.compare.plan import Plan
from dowse.lab.compare.topic_runs import TopicRuns
from dowse.lab.corpus import Unfit
from dowse.lab.measure.run import Floats
from dowse.lab.replay.corpus_web import CorpusWeb, KnownPages
from dowse.model.page import Counting
from dowse.model.strategy import LinkView, SourcePage
from dowse.predict.measures import Average, Measure, Weighted, cosine
from dowse.predict.memory import NumberTable

__all__ = ["CONSTANT", "MOST_PARENTS", "PREDICTORS", "prediction_curves", "predictions", "rmse_by_parents"]

MOST_PARENTS = 20
PREDICTORS: Mapping[str, Callable[[], Measure]] = {
    "average": lambda: Average(cosine), "weighted": lambda: Weighted(value=cosine),
}  # fmt: skip
CONSTANT = "all pages' mean"
_TO_THE_LETTER = Counting(menus=True, mean=True)


def predictions(
    web: CorpusWeb, pages: KnownPages, numbers: Sequence[int], measures: Mapping[str, Measure]
) -> tuple[Floats, Floats, dict[str, Floats]]:
    """Of each of these pages: the pages that link to it, its true value, and what each measure predicts from them."""
    size = max(numbers) + 1
    is_page = np.zeros(size, np.bool_)
    is_page[list(numbers)] = True
    truth, parents = np.zeros(size), np.zeros(size)
    tables = {name: NumberTable(measure.width) for name, measure in measures.items()}
    for number in numbers:
        digest = pages.digest(number, counting=_TO_THE_LETTER)
        similarity = digest.verdict.similarity  # nothing is known to repeat, so every word counts alike
        truth[number] = similarity
        found = web.numbers(digest.links.fingerprints)
        rows = np.flatnonzero((found >= 0) & (found != number) & (found < size))
        rows = rows[is_page[found[rows]]]
        if not rows.size:
            continue
        ids = found[rows]
        parents[ids] += 1
        none = np.zeros(len(ids), np.int64)
        links = digest.links
        view = LinkView(
            ids, none, none, links.counts[rows], links.similarity[rows],
            np.full(len(ids), np.nan),
        )  # fmt: skip
        page = SourcePage(
            number, 0, 0, 0, digest.verdict.score, digest.verdict.relevant, digest.content.n_links,
            similarity=similarity,
        )  # fmt: skip
        for name, measure in measures.items():
            table = tables[name]
            known = table.at(ids)
            measure.learn(known, page, view, table.one(number))
            table.put(ids, known)
    chosen = np.asarray(numbers, np.int64)
    predicted = {name: measure.value(tables[name].at(chosen)) for name, measure in measures.items()}
    return parents[chosen], truth[chosen], predicted


def rmse_by_parents(parents: Floats, truth: Floats, predicted: Floats) -> Floats:
    """The root of the mean squared error of pages with 1, 2, ... parents; the last place is for 20 and more. NaN where
    there is no page."""
    places = np.minimum(parents, MOST_PARENTS).astype(np.int64)
    squares = np.bincount(places, (predicted - truth) ** 2, MOST_PARENTS + 1)
    counts = np.bincount(places, minlength=MOST_PARENTS + 1)
    with np.errstate(invalid="ignore"):
        return np.sqrt(squares / counts)[1:]


def prediction_curves(
    folder: Path, plan: Plan, labels: Sequence[str], *, jobs: int = 1, told: Told | None = None
) -> Drawn:
    """The error of each predictor by the number of parents, a mean over topics. Nothing is crawled, so any label that
    makes a topic takes part, wherever a crawl for it could begin."""
    done = each_label(partial(_errors, folder, plan), labels, jobs=jobs, told=told)
    places = np.arange(1.0, MOST_PARENTS + 1)
    cells = [height for own in done.found.values() for height in own.values()]
    known = ~np.isnan(cells).any(axis=0) if cells else np.zeros(len(places), np.bool_)
    heights: dict[str, dict[Cell, Floats]] = {}
    for label, own in done.found.items():
        for name, height in own.items():
            heights.setdefault(name, {})[label, ""] = height[known]
    curves = averaged(places[known], heights, lambda name: "baseline" if name == CONSTANT else "strategy")
    return Drawn(curves, done.unfit, notes=[f"queries: {', '.join(done.found)}"])


def _errors(folder: Path, plan: Plan, label: str) -> dict[str, Floats] | Unfit:
    """The errors of each predictor on one topic."""
    corpus, web = opened(folder)
    topic = topic_of(corpus, plan, label)
    if isinstance(topic, Unfit):
        return topic
    numbers: NDArray[np.intp] = np.flatnonzero(corpus.pages.is_page())
    measures = {name: make() for name, make in PREDICTORS.items()}
    workers = TopicRuns(corpus, web, plan, topic).workers
    parents, truth, predicted = predictions(web, workers, numbers.tolist(), measures)
    predicted[CONSTANT] = np.full(len(truth), truth.mean())
    return {name: rmse_by_parents(parents, truth, values) for name, values in predicted.items()}
