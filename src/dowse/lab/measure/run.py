"""One crawl as the metrics see it: a row a request, in the order in which they ended; and what it had found, as a
function of what it had spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["NO_PATH", "Bools", "Floats", "Ints", "Request", "Run", "Spending", "StepFunction"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Spending = Literal["requests", "cost", "bytes", "seconds"]

NO_PATH = -1
"""The distance of what no links led to, or nobody knows which."""


class Request(IntEnum):
    """What a request brought. Only the first brings a page; all are charged."""

    PAGE = 0
    REDIRECT = 1
    HEAD = 2
    ROBOTS = 3
    MISSING = 4  # the URL is not in the frozen set
    ERROR = 5


@dataclass(frozen=True, slots=True)
class Run:
    """The columns of a crawl, a row a request. Build it with :meth:`of`, which checks them.

    ``relevant``, ``target`` and ``value`` are False or 0 where no page came. ``target`` is True once for each member of
    the held-back set T, and ``value`` counts a page once: a second copy brings nothing new.
    """

    brought: NDArray[np.int8]  # Request
    relevant: Bools  # by label
    target: Bools  # a member of T
    value: Floats  # at least 0: V_sim, or 1 for a relevant page
    wire_bytes: Ints  # of this request
    ended_s: Floats  # virtual seconds since the crawl began, at the end of this request: never falling
    cost: Floats  # of this request
    distance: Ints  # links from a seed to the page, as the crawl went (see dowse.lab.measure.tunnels), or NO_PATH
    tunnel: Ints  # irrelevant pages in a row before a relevant one, or NO_PATH
    gray: Bools  # were its links in blocks on the topic?

    @classmethod
    def of(
        cls,
        relevant: ArrayLike,
        *,
        target: ArrayLike | None = None,
        value: ArrayLike | None = None,
        brought: ArrayLike | Sequence[Request] | None = None,
        wire_bytes: ArrayLike | None = None,
        ended_s: ArrayLike | None = None,
        cost: ArrayLike | None = None,
        distance: ArrayLike | None = None,
        tunnel: ArrayLike | None = None,
        gray: ArrayLike | None = None,
    ) -> Run:
        """Columns left out: no targets, value 1 for a relevant page, every request a page, no bytes, one second and
        cost 1 a request, no distances and tunnels. Raises ValueError for columns that cannot be a crawl."""
        found = np.asarray(relevant, np.bool_)
        n = len(found)
        run = cls(
            np.zeros(n, np.int8) if brought is None else np.asarray(brought, np.int8),
            found,
            np.zeros(n, np.bool_) if target is None else np.asarray(target, np.bool_),
            found.astype(np.float64) if value is None else np.asarray(value, np.float64),
            np.zeros(n, np.int64) if wire_bytes is None else np.asarray(wire_bytes, np.int64),
            np.arange(1.0, n + 1) if ended_s is None else np.asarray(ended_s, np.float64),
            np.ones(n) if cost is None else np.asarray(cost, np.float64),
            np.full(n, NO_PATH) if distance is None else np.asarray(distance, np.int64),
            np.full(n, NO_PATH) if tunnel is None else np.asarray(tunnel, np.int64),
            np.zeros(n, np.bool_) if gray is None else np.asarray(gray, np.bool_),
        )
        run._check()
        return run

    def _check(self) -> None:
        columns = (
            self.brought, self.relevant, self.target, self.value, self.wire_bytes, self.ended_s, self.cost,
            self.distance, self.tunnel, self.gray,
        )  # fmt: skip
        if any(column.shape != (len(self),) for column in columns):
            raise ValueError("the columns of a run have different lengths")
        for name, column in (("value", self.value), ("ended_s", self.ended_s), ("cost", self.cost)):
            if not np.isfinite(column).all() or (column < 0).any():
                raise ValueError(f"{name} must be finite and at least 0")
        if (self.wire_bytes < 0).any():
            raise ValueError("wire_bytes must be at least 0")
        if (np.diff(self.ended_s) < 0).any():
            raise ValueError("ended_s falls: rows come in the order in which requests ended")
        if ((self.relevant | self.target | (self.value > 0)) & ~self.page).any():
            raise ValueError("a request that brought no page can be neither relevant, a target nor of value")
        if (self.distance < NO_PATH).any() or (self.distance[~self.page] != NO_PATH).any():
            raise ValueError("distances are at least 0, of pages only, or NO_PATH")
        if (self.tunnel < NO_PATH).any() or (self.tunnel[~self.relevant] != NO_PATH).any():
            raise ValueError("tunnels lead to relevant pages only, and have a length of at least 0, or NO_PATH")
        if (self.gray & (self.tunnel < 1)).any():
            raise ValueError("only a tunnel can be gray")

    def __len__(self) -> int:
        return len(self.relevant)

    @property
    def page(self) -> Bools:
        return np.equal(self.brought, Request.PAGE)

    @property
    def pages(self) -> int:
        return self.count(Request.PAGE)

    def count(self, brought: Request) -> int:
        """How many requests ended so."""
        return int(np.count_nonzero(self.brought == brought))

    def spent(self, on: Spending) -> Floats:
        """What was spent in all after each request."""
        if on == "requests":
            return np.arange(1.0, len(self) + 1)
        if on == "seconds":
            return self.ended_s
        return np.cumsum(self.cost if on == "cost" else self.wire_bytes, dtype=np.float64)


# Sums of costs carry rounding errors; a request that fits its budget but for those has been paid.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class StepFunction:
    """``height[i]`` holds from ``at[i]`` on, up to ``at[i + 1]``; before the first it is 0, after the last it stays.

    What a request brings counts from its end, when it has been paid. A crawl that ended keeps what it has.
    """

    at: Floats  # never falling
    height: Floats

    def value(self, places: ArrayLike) -> Floats:
        """The heights at these places.

        >>> StepFunction(np.array([1.0, 3.0]), np.array([0.5, 1.0])).value([0, 1, 2.9, 3, 99]).tolist()
        [0.0, 0.5, 0.5, 1.0, 1.0]
        """
        reached = np.searchsorted(self.at, np.asarray(places, np.float64) * (1 + _ROUNDING), side="right")
        return np.concatenate((np.zeros(1), self.height))[reached]

    def area(self, end: float) -> float:
        """The mean height over [0, ``end``], exactly: the area below the steps as a share of the rectangle of height 1.

        >>> StepFunction(np.array([1.0, 3.0]), np.array([0.5, 1.0])).area(4.0)
        0.5
        """
        if not 0 < end < np.inf:
            raise ValueError(f"an area needs an end above 0, not {end}")
        edges = np.minimum(np.concatenate((self.at, [end])), end)
        return float(np.dot(self.height, np.diff(edges)) / end)

    def changes(self) -> StepFunction:
        """The function with only the points where it changes."""
        last = np.flatnonzero(np.diff(self.at, append=np.inf))  # of several at one place only the last is ever seen
        before = np.concatenate((np.zeros(1), self.height[last]))[:-1]
        kept = last[self.height[last] != before]
        return StepFunction(self.at[kept], self.height[kept])
