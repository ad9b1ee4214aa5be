"""From what a crawl remembers of its pages to statistics that another crawl can start from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dowse.model.page import Bag
from dowse.predict.learning.notes import Rows
from dowse.predict.learning.statistics import Statistics, Sums
from dowse.predict.learning.texts import term_weights

__all__ = ["REUSE", "off_topic", "statistics_of"]

Floats = NDArray[np.float64]
REUSE = 200.0
"""What was learned before weighs as much as so many pages at the most: less than a crawl of any size sees itself."""

_DIGITS = 6


def statistics_of(
    rows: Rows, bags: Mapping[int, Bag], off: Sequence[Bag], hosts: Mapping[int, str], no_words: NDArray[np.uint32]
) -> Statistics:
    """The counts of all records, and of the words that are still remembered; ``off`` are pages off the topic, ``hosts``
    are the sites' names, as far as they are known, and ``no_words`` what is among the terms of pages besides words."""
    judged = rows[~np.isnan(rows["own"])]
    values = judged["own"].astype(np.float64)
    at, which = np.nonzero(judged["token"])
    by_host: dict[str, tuple[float, float]] = {}
    for site, value in zip(judged["site"].tolist(), values.tolist(), strict=True):
        if site in hosts:
            pages, total = by_host.get(hosts[site], (0.0, 0.0))
            by_host[hosts[site]] = (pages + 1, total + value)
    return Statistics(
        pages=float(len(judged)),
        value=float(values.sum()),
        tokens=Sums.of(judged["token"][at, which], _pairs(values[at])),
        words=_words(rows, bags, no_words),
        hosts=by_host,
        off_pages=float(len(off)),
        off_words=off_topic(off),
    )


def _pairs(values: Floats) -> Floats:
    return np.column_stack((np.ones(len(values)), values))


def _words(rows: Rows, bags: Mapping[int, Bag], no_words: NDArray[np.uint32]) -> Sums:
    known = [id_ for id_ in bags if id_ < len(rows) and not np.isnan(rows["own"][id_])]
    if not known:
        return Sums.none(2)
    values = [np.full(len(bags[id_].terms), rows["own"][id_], np.float64) for id_ in known]
    terms = np.concatenate([bags[id_].terms for id_ in known])
    is_word = ~np.isin(terms, no_words)
    return Sums.of(terms[is_word], _pairs(np.concatenate(values)[is_word]))


def off_topic(bags: Sequence[Bag]) -> Sums:
    """By word: how many of these pages have it, the sum of its weights, and of their squares."""
    columns = [(bag.terms, _unit(bag)) for bag in bags if len(bag.terms)]
    if not columns:
        return Sums.none(3)
    weights = np.concatenate([unit for _, unit in columns])
    sums = np.column_stack((np.ones(len(weights)), weights, weights * weights))
    found = Sums.of(np.concatenate([terms for terms, _ in columns]), sums)
    return Sums(found.keys, np.round(found.sums, _DIGITS))


def _unit(bag: Bag) -> Floats:
    weights = term_weights(bag.counts.astype(np.float64))
    return np.asarray(weights / max(float(np.sqrt(weights @ weights)), 1e-12))
