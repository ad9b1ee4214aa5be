"""All pages of a crawl judged again, with what is known at the end: from their stored terms, nothing is downloaded or
parsed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from dowse.judge import LearnedJudge
from dowse.judge.learned.texts import Floats
from dowse.judge.measured import wilson
from dowse.model.page import Bag
from dowse.model.records import FINAL_VERDICTS
from dowse.model.url import split
from dowse.store import CrawlStore
from dowse.store.final_verdicts import StoredPage, stored_pages, write_verdicts

__all__ = ["Rejudged", "rejudge", "rejudge_at_end"]

_FEWEST_TOLD = 3  # examples that an interval goes by, where there are fewer


@dataclass(frozen=True, slots=True)
class Rejudged:
    """What came of it. Precision and recall are what the chances promise: how many of the pages called relevant are,
    and how many of all that are were called so; each with an interval as wide as the examples are few."""

    pages: int
    relevant: int
    joined: int  # were not relevant before, and are now
    left: int
    model: int
    threshold: float
    positive: int  # examples it went by
    made_of: int  # pages it learned from
    precision: tuple[float, float, float]  # expected, and the bounds of its interval
    recall: tuple[float, float, float]


def rejudge_at_end(store: CrawlStore, judge: LearnedJudge, languages: Sequence[str]) -> Rejudged | None:
    """Give all pages of a crawl that ends their final verdict; None when too little was learned to judge by. What the
    crawl itself goes by, if it is resumed, stays what it was."""
    if judge.pages > judge.made_of:
        for _ in judge.learn():
            pass
    return rejudge(store, judge, languages)


def rejudge(store: CrawlStore, judge: LearnedJudge, languages: Sequence[str]) -> Rejudged | None:
    """Judge all pages again, and write their verdicts into the records."""
    if judge.model is None:
        return None
    verdicts: list[tuple[int, float, bool]] = []
    parts: list[Floats] = []
    joined = left = 0
    for block in stored_pages(store):
        chances = judge.chances([(Bag.unpacked(page.terms), split(page.url).host) for page in block])
        assert chances is not None
        parts.append(chances)
        for page, chance in zip(block, chances.tolist(), strict=True):
            relevant = chance >= judge.threshold and _wanted(page, languages)
            joined += relevant and not page.relevant
            left += page.relevant and not relevant
            verdicts.append((page.id, chance, relevant))
    found = _told(judge, np.concatenate([np.zeros(0), *parts]), [own for _, _, own in verdicts], joined, left)
    write_verdicts(store, verdicts, judge.version, {FINAL_VERDICTS: asdict(found)})
    return found


def _wanted(page: StoredPage, languages: Sequence[str]) -> bool:
    return not languages or not page.language or page.language in languages


def _told(judge: LearnedJudge, chances: Floats, relevant: list[bool], joined: int, left: int) -> Rejudged:
    chosen = np.array(relevant, np.bool_)
    right = float(chances[chosen].sum())
    precision = right / max(1, int(np.count_nonzero(chosen)))
    recall = right / max(float(chances.sum()), 1e-9)
    size = float(max(judge.positive, _FEWEST_TOLD))
    return Rejudged(
        len(chances), int(np.count_nonzero(chosen)), joined, left, judge.version, judge.threshold, judge.positive,
        judge.pages, (precision, *wilson(precision, size)), (recall, *wilson(recall, size)),
    )  # fmt: skip
