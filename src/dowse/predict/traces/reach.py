"""How far evidence from traces looks, so that what it costs has a bound: a page that everybody knows must not cost what
everybody does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dowse.model.traces import Traces, runs

__all__ = ["EVERYTHING", "Reach", "people_of", "spans", "strongest"]

_NO_BOUND = 1 << 40


@dataclass(frozen=True, slots=True)
class Reach:
    """The bounds of the robust form. Of more accesses or people than count, those with the lowest keyed hashes do: they
    are drawn by lot, and are the same ones on every page, so that pages still have people in common."""

    around: int = 5  # ``n``: accesses before and after one, in its session; in the published form, too
    accesses: int = 1000  # to a page
    strongest_users: int = 20  # of a page's, that are told to people; in the published form all count
    users: int = 10  # of a page's who went to judged pages, whose pages' words are its own
    pages: int = 10  # judged ones of a user, the latest
    words: int = 32  # of a judged page, those it has most often
    strongest_words: int = 50  # in the published form, too


EVERYTHING = Reach(accesses=_NO_BOUND, strongest_users=_NO_BOUND, users=_NO_BOUND, pages=_NO_BOUND, words=_NO_BOUND)
"""The published form: no bound but what it says itself."""


def people_of(traces: Traces, pages: NDArray[np.int64], most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Who went to pages, each once a page: rows of ``pages``, rising, and users, rising within each. ``most`` accesses
    of a page are looked at."""
    first = traces.page_starts[pages]
    sizes = np.minimum(traces.page_starts[pages + 1] - first, most)
    row = np.arange(len(pages)).repeat(sizes)
    users = traces.user_of(traces.by_page[spans(first, sizes)].astype(np.int64))
    once = runs(row) | runs(users)
    return row[once], users[once]


def spans(first: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """So many places from each of these on.

    >>> spans(np.array([7, 0, 3]), np.array([2, 0, 3])).tolist()
    [7, 8, 3, 4, 5]
    """
    begins = first - sizes.cumsum() + sizes
    places: NDArray[np.int64] = begins.repeat(sizes)
    return places + np.arange(len(places))


def strongest(rows: NDArray[np.int64], logs: NDArray[np.float64], most: int) -> NDArray[np.intp]:
    """The places of the ``most`` logs of each row that are farthest from 0; of equally far ones the positive first."""
    if len(logs) <= most:
        return np.arange(len(logs))
    order = np.lexsort((-logs, -np.abs(logs), rows))
    begins = runs(rows[order])
    places = np.arange(len(order))
    rank = places - np.maximum.accumulate(np.where(begins, places, 0))
    return order[rank < most]
