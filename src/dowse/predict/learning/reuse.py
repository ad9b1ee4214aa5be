"""From what a crawl remembers of its pages to statistics that another crawl can start from."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from dowse.model.page import Bag
from dowse.predict.learning.notes import Rows, judged
from dowse.predict.learning.statistics import Statistics, Sums

__all__ = ["REUSE", "statistics_of"]

Floats = NDArray[np.float64]
REUSE = 200.0
"""What was learned before weighs as much as so many pages at the most: less than a crawl of any size sees itself."""


def statistics_of(rows: Rows, bags: Mapping[int, Bag], hosts: Mapping[int, str]) -> Statistics:
    """The counts of all records, and of the words of pages whose terms are at hand; ``hosts`` are the sites' names, as
    far as they are known."""
    pages = rows[judged(rows)]
    values = pages["own"].astype(np.float64)
    at, which = np.nonzero(pages["token"])
    by_host: dict[str, tuple[float, float]] = {}
    for site, value in zip(pages["site"].tolist(), values.tolist(), strict=True):
        if site in hosts:
            count, total = by_host.get(hosts[site], (0.0, 0.0))
            by_host[hosts[site]] = (count + 1, total + value)
    return Statistics(
        pages=float(len(pages)),
        value=float(values.sum()),
        tokens=Sums.of(pages["token"][at, which], _pairs(values[at])),
        words=_words(rows, bags),
        hosts=by_host,
    )


def _pairs(values: Floats) -> Floats:
    return np.column_stack((np.ones(len(values)), values))


def _words(rows: Rows, bags: Mapping[int, Bag]) -> Sums:
    known = [id_ for id_ in bags if id_ < len(rows) and not np.isnan(rows["own"][id_])]
    if not known:
        return Sums.none(2)
    values = [np.full(len(bags[id_].terms), rows["own"][id_], np.float64) for id_ in known]
    terms = np.concatenate([bags[id_].terms for id_ in known])
    return Sums.of(terms, _pairs(np.concatenate(values)))
