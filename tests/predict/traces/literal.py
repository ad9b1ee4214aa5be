"""The evidence of traces, written from METHODS, section 4, "Collaborative": sets, dicts and loops.

``rows`` are accesses (user, time, page) in order of user and time; ``judged`` are pages in the order in which they were
judged, each with whether it satisfies and its words, and how often each occurs; a page of -1 is in no trace.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from dowse.predict.traces import Reach

__all__ = ["Judged", "Literal"]

IDLE_S = 1800


@dataclass(frozen=True)
class Judged:
    page: int
    satisfies: bool
    words: dict[int, float]


class Literal:
    def __init__(
        self, rows: list[tuple[int, int, int]], judged: list[Judged], *, robust: bool, reach: Reach, t: float = 2.0
    ) -> None:  # fmt: skip
        self.t = t
        self.rows, self.judged, self.robust, self.reach = rows, judged, robust, reach
        self.n = len(judged)
        self.n_c = sum(one.satisfies for one in judged)
        if robust:
            self.p = (self.n_c + 1) / (self.n + 2)
        else:
            self.p = self.n_c / self.n if self.n else 0.0

    def tells(self) -> bool:
        return self.robust or 0 < self.n_c < self.n

    def accesses(self, page: int) -> list[int]:
        return [place for place, row in enumerate(self.rows) if row[2] == page][: self.reach.accesses]

    def users(self, page: int) -> list[int]:
        return sorted({self.rows[place][0] for place in self.accesses(page)})

    def log_ratio(self, satisfying: float, pages: float) -> float:
        """log P(U|E)/P(U)."""
        if self.robust:
            ratio = (satisfying + 10 * self.p) / (pages + 10) / self.p
            return max(-3.0, min(3.0, math.log(ratio)))
        return math.log(satisfying / pages / self.p) if satisfying else -30.0

    def significant(self, satisfying: float, pages: float) -> bool:
        """T >= t."""
        n = pages if self.robust else self.n
        return abs(satisfying / pages - self.p) / math.sqrt(self.p * (1 - self.p) / n) >= self.t

    def strongest(self, logs: Iterable[float], most: int) -> list[float]:
        return sorted(logs, key=lambda log: (-abs(log), -log))[:most]

    def user(self, page: int) -> float:
        """Product over the page's users of P(U|R_i)/P(U); robust: their mean, with three users of whom nothing is
        known."""
        if not self.tells():
            return 0.0
        logs = []
        ratios = [1.0, 1.0, 1.0]
        for user in self.users(page):
            went = [one for one in self.judged if user in self.users(one.page)]
            satisfying = sum(one.satisfies for one in went)
            if went:
                ratios.append((satisfying + 10 * self.p) / (len(went) + 10) / self.p)
            if went and self.significant(satisfying, len(went)):
                logs.append(self.log_ratio(satisfying, len(went)))
        return math.log(sum(ratios) / len(ratios)) if self.robust else sum(logs)

    def shown(self, page: int, before: list[Judged]) -> set[int]:
        """The words w for which S_w holds of a page: some user of the page also went to another judged page with w."""
        found: set[int] = set()
        if not self.robust:
            for user in self.users(page):
                for one in before:
                    if one.page != page and user in self.users(one.page):
                        found |= set(one.words)
            return found
        went_by_user = []
        for user in self.users(page):
            went = [one for one in before if user in self.users(one.page)]
            if went:
                went_by_user.append(went)
        for went in went_by_user[: self.reach.users]:
            for one in went[-self.reach.pages :]:
                if one.page != page:
                    often = sorted(one.words, key=lambda word: (-one.words[word], word))
                    found |= set(often[: self.reach.words])
        return found

    def signature(self, page: int) -> float:
        if not self.tells():
            return 0.0
        counts: dict[int, list[int]] = {}
        for order, one in enumerate(self.judged):
            if one.page >= 0:  # robust: as it stood when the page was judged; published: as it stands by now
                for word in self.shown(one.page, self.judged[:order] if self.robust else self.judged):
                    pair = counts.setdefault(word, [0, 0])
                    pair[0] += 1
                    pair[1] += one.satisfies
        pairs = [counts[word] for word in self.shown(page, self.judged) if word in counts]
        logs = [self.log_ratio(s, n) for n, s in pairs if self.significant(s, n)]
        kept = self.strongest((log for log in logs if log), self.reach.strongest_words)
        if not self.robust:
            return sum(kept)
        return sum(kept) / len(kept) if kept else 0.0

    def around(self, place: int) -> set[int]:
        """TLR(A): up to n accesses before and after A, by its user, in its session."""
        found = set()
        for step in (-1, 1):
            here = place
            for _ in range(self.reach.around):
                there = here + step
                if not 0 <= there < len(self.rows) or self.rows[there][0] != self.rows[place][0]:
                    break
                if abs(self.rows[there][1] - self.rows[here][1]) > IDLE_S:
                    break
                found.add(there)
                here = there
        return found

    def descendants(self, page: int) -> set[int]:
        return {self.rows[there][2] for place in self.accesses(page) for there in self.around(place)} - {page}

    def temporal(self, page: int) -> float:
        if not self.tells():
            return 0.0
        if self.robust:
            times = [
                (one.satisfies, sum(page == self.rows[there][2] for place in self.accesses(one.page)
                                    for there in self.around(place)))
                for one in self.judged if one.page >= 0
            ]  # fmt: skip
            satisfying, around = sum(count for good, count in times if good), sum(count for _, count in times)
            return math.log((satisfying + 10 * self.p) / (around + 10) / self.p)
        region: set[int] = set()
        for one in self.judged:
            if one.satisfies:
                region |= {self.rows[there][2] for place in self.accesses(one.page) for there in self.around(place)}
        side = [one for one in self.judged if one.page >= 0 and (one.page in region) == (page in region)]
        return self.log_ratio(sum(one.satisfies for one in side), len(side)) if side else 0.0
