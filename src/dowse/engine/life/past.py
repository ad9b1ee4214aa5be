"""What a run is told of the runs before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from dowse.model.budget import Spent
from dowse.model.records import CandidateBlock, SiteRow
from dowse.store import Counters

__all__ = ["Past"]


class Past(Protocol):
    """What the records tell of earlier runs, for :mod:`~dowse.engine.life.restoring`."""

    def statistics(self) -> dict[str, Any]: ...

    def sites(self) -> Iterator[SiteRow]: ...

    def candidates(self) -> Iterator[CandidateBlock]: ...

    def exchanges(self) -> Iterable[tuple[str, int, float, float, bool]]: ...

    def forget_evidence(self, kind: str) -> None: ...

    def last_fetches(self, most: int) -> list[tuple[float, bool, float]]: ...

    def counters(self) -> Counters: ...

    def spent(self) -> Spent: ...

    def saved(self) -> tuple[int, int]: ...

    def visited_again(self) -> int: ...

    def value(self) -> float: ...
