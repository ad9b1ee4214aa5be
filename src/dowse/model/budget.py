"""Budgets: what a crawl may spend, counted before each request leaves.

A crawl has limits in pages, bytes, seconds and requests (any mix, each optional) and a :class:`Spent` that only grows.
Life of one request: :meth:`Purse.reserve` before it leaves (refused when a limit could be passed), then
:meth:`Purse.page_over`, which keeps or frees the page it was to bring. Guarantees, at every instant and under any
concurrency:

* requests sent <= limit, pages kept <= limit, since a reserved page counts as spent until it is over;
* bytes used <= limit, since all that comes from a socket is counted as it comes (:meth:`Purse.grant`), and what is
  not granted is thrown away;
* no request starts after the last second.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from dowse.model.errors import TopicError

__all__ = ["Budget", "Purse", "Spent", "parse_budget", "parse_duration", "parse_size"]

_UNITS_BYTES = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
                "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}  # fmt: skip
_UNITS_SECONDS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_AMOUNT = re.compile(r"([0-9]{1,40}(?:\.[0-9]{1,18})?)\s*([A-Za-z]+)")
_DECIMALS = 6  # of seconds
_GUESSED_PAGE = 100_000  # bytes, until there is a mean
_HELP = "write 2000p (pages), 500MB (bytes), 30m (time: s, m, h, d) or 3000r (requests), joined by commas"


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of a crawl. None means no limit."""

    pages: int | None = None
    bytes: int | None = None
    seconds: float | None = None
    requests: int | None = None

    def over(self, other: Budget) -> Budget:
        """This budget; where it sets no limit, that of ``other``."""
        return Budget(
            pages=other.pages if self.pages is None else self.pages,
            bytes=other.bytes if self.bytes is None else self.bytes,
            seconds=other.seconds if self.seconds is None else self.seconds,
            requests=other.requests if self.requests is None else self.requests,
        )

    def __str__(self) -> str:
        parts = []
        if self.pages is not None:
            parts.append(f"{self.pages}p")
        if self.bytes is not None:
            parts.append(f"{self.bytes}B")
        if self.seconds is not None:
            parts.append(f"{Decimal(repr(self.seconds)).normalize():f}s")
        if self.requests is not None:
            parts.append(f"{self.requests}r")
        return ",".join(parts) or "none"


def parse_duration(text: str) -> float:
    """Seconds of ``90s``, ``30m``, ``1.5h``, ``2d`` or a bare number of seconds.

    >>> parse_duration("1.5h")
    5400.0
    """
    text = text.strip()
    match = _AMOUNT.fullmatch(text)
    if match and match[2].lower() in _UNITS_SECONDS:
        return float(Decimal(match[1]) * Decimal(_UNITS_SECONDS[match[2].lower()]))
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise TopicError(f"{text!r} is not a length of time: write 90s, 30m, 2h or 1d")
    return seconds


def parse_size(text: str) -> int:
    """Bytes of ``500MB``, ``20 KiB`` or a bare number of bytes.

    >>> parse_size("1.5KB")
    1500
    """
    match = _AMOUNT.fullmatch(text.strip() if text.strip()[-1:].isalpha() else f"{text.strip()}B")
    size = Decimal(match[1]) * _UNITS_BYTES.get(match[2].upper(), 0) if match else Decimal(0)
    if not size or size != int(size):
        raise TopicError(f"{text!r} is not a size: write 500KB, 20MB or 2GB")
    return int(size)


def parse_budget(text: str) -> Budget:
    """Read ``2000p,500MB,30m,3000r``.

    >>> parse_budget("2000p, 1.5GB, 30m")
    Budget(pages=2000, bytes=1500000000, seconds=1800.0, requests=None)
    """
    budget = Budget()
    for part in text.split(","):
        field, amount = _parse_limit(part.strip())
        if getattr(budget, field) is not None:
            raise TopicError(f"{text!r} limits {field} twice: leave one of the two out")
        limit: dict[str, Any] = {field: amount}
        budget = replace(budget, **limit)
    return budget


def _parse_limit(part: str) -> tuple[str, float]:
    match = _AMOUNT.fullmatch(part)
    if match is None:
        raise TopicError(f"{part!r} is not a budget: {_HELP}")
    amount, unit = Decimal(match[1]), match[2]
    if unit == "M":
        raise TopicError(f"{part!r} may mean megabytes or minutes: write {match[1]}MB or {match[1]}m")
    if unit.lower() in ("p", "pages", "page"):
        field = "pages"
    elif unit.lower() in ("r", "requests", "request"):
        field = "requests"
    elif unit.upper() in _UNITS_BYTES:
        field, amount = "bytes", amount * _UNITS_BYTES[unit.upper()]
    elif unit.lower() in _UNITS_SECONDS:
        field, amount = "seconds", amount * Decimal(_UNITS_SECONDS[unit.lower()])
    else:
        raise TopicError(f"{part!r} has an unknown unit: {_HELP}")
    if amount <= 0:
        raise TopicError(f"{part!r} leaves nothing to spend: write an amount above 0")
    if field == "seconds":
        return field, float(amount)
    if amount != int(amount):
        raise TopicError(f"{part!r} is not a whole number of {field}")
    return field, int(amount)


@dataclass(slots=True)
class Spent:
    """What a crawl has spent so far, over all its runs."""

    pages: int = 0
    bytes: int = 0
    seconds: float = 0.0
    requests: int = 0


class Purse:
    """Hands out the budget. Reservations are part of what is spent until their page is over."""

    def __init__(self, budget: Budget, spent: Spent | None = None, *, before: Spent | None = None) -> None:
        self.budget = budget
        self.spent = spent or Spent()
        self.before = before or Spent()  # when the budget began to count: a run of visits has one of its own
        self.to_come = Spent()  # what is not granted yet, but may be: where the budget is handed out in parts
        self.more_bytes: Callable[[int], None] | None = None  # asked to raise a budget in bytes that is handed out so
        self.on_bytes: Callable[[], None] | None = None  # told of bytes that were spent, to note them down at once
        self._pages_reserved = 0
        self._started: float | None = None
        self._seconds_before = self.spent.seconds

    def start(self, now: float) -> None:
        """Begin to count seconds (a run's first act)."""
        self._started = now

    def tick(self, now: float) -> None:
        """Bring the seconds spent up to date."""
        if self._started is not None:
            self.spent.seconds = self._seconds_before + max(0.0, now - self._started)

    @property
    def own_budget(self) -> Budget:
        """The budget as it was given: what was spent before it began to count is not in it."""
        budget, before = self.budget, self.before
        return Budget(
            pages=None if budget.pages is None else budget.pages - before.pages,
            bytes=None if budget.bytes is None else budget.bytes - before.bytes,
            seconds=None if budget.seconds is None else round(budget.seconds - before.seconds, _DECIMALS),
            requests=None if budget.requests is None else budget.requests - before.requests,
        )

    def shares_left(self) -> dict[str, float]:
        """Each limit with the share of it that is left, of what it was when it began to count."""
        own, left = self.own_budget, {}
        for name in ("pages", "bytes", "seconds", "requests"):
            limit, spent = getattr(own, name), getattr(self.spent, name) - getattr(self.before, name)
            if limit is not None:
                left[name] = max(0.0, 1.0 - spent / limit) if limit else 0.0
        return left

    def exhausted(self) -> str | None:
        """Which limit is reached for good (nothing reserved can free it), or None."""
        budget, spent = self.budget, self.spent
        if budget.pages is not None and spent.pages >= budget.pages:
            return "pages"
        if budget.bytes is not None and spent.bytes >= budget.bytes:
            return "bytes"
        if budget.seconds is not None and spent.seconds >= budget.seconds:
            return "seconds"
        if budget.requests is not None and spent.requests >= budget.requests:
            return "requests"
        return None

    def reserve(self, *, page: bool) -> bool:
        """Count a request (and the page it may bring) before it leaves; False: it must not leave."""
        if self.exhausted() is not None or not self._bytes_suffice(page=page):
            return False
        if page:
            if self.budget.pages is not None and self.spent.pages + self._pages_reserved >= self.budget.pages:
                return False
            self._pages_reserved += 1
        self.spent.requests += 1
        return True

    def _bytes_suffice(self, *, page: bool) -> bool:
        """Are there bytes for one more? Towards the end of a byte budget fewer pages are asked for at a time, as many
        as pages of the usual size still fit, so that one is cut at the end and not all that are in flight."""
        if self.budget.bytes is None:
            return True
        left = self.budget.bytes - self.spent.bytes
        if not page or not self._pages_reserved:
            return left > 0
        usual = self.spent.bytes / self.spent.pages if self.spent.pages else _GUESSED_PAGE
        return left >= usual * (self._pages_reserved + 1)

    def page_over(self, *, kept: bool) -> None:
        """End a page reservation: ``kept`` when a page was kept, else it becomes free again."""
        self._pages_reserved -= 1
        if kept:
            self.spent.pages += 1

    def grant(self, wanted: int) -> int:
        """How many of the bytes that have come may be used; 0: none, the budget is spent."""
        granted = wanted
        if self.budget.bytes is not None:
            if self.more_bytes is not None and wanted > self.budget.bytes - self.spent.bytes:
                self.more_bytes(wanted)
            granted = max(0, min(wanted, self.budget.bytes - self.spent.bytes))
        self.spent.bytes += granted
        if self.on_bytes is not None:
            self.on_bytes()
        return granted

    def fetches_left(self) -> int | None:
        """How many more pages (or requests, where that is less) may be asked for; None without such a limit."""
        left = []
        if self.budget.pages is not None:
            left.append(self.budget.pages - self.spent.pages - self._pages_reserved + self.to_come.pages)
        if self.budget.requests is not None:
            left.append(self.budget.requests - self.spent.requests + self.to_come.requests)
        return max(0, min(left)) if left else None

    @property
    def pages_held(self) -> int:
        """Pages that were kept, or may be by what is under way."""
        return self.spent.pages + self._pages_reserved

    def requests_left(self) -> int | None:
        """How many more requests may leave; None without such a limit."""
        if self.budget.requests is None:
            return None
        return max(0, self.budget.requests - self.spent.requests + self.to_come.requests)

    def timeout_s(self, usual_s: float) -> float:
        """How long an exchange may take: as usual, but not beyond the end of the time budget."""
        left = self.seconds_left()
        return usual_s if left is None else max(0.1, min(usual_s, left))

    def seconds_left(self) -> float | None:
        """Seconds until the time budget ends; None without one."""
        return None if self.budget.seconds is None else self.budget.seconds - self.spent.seconds
