"""All pages of a crawl judged again, with what is known at the end: from their stored terms, nothing is downloaded or
parsed. A page of which somebody has said whether it is on the topic has that for its verdict."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dowse.engine.assembly.answered import ELSEWHERE
from dowse.judge import LearnedJudge
from dowse.judge.learned.learned_judge import CHANCE
from dowse.judge.learned.texts import Floats
from dowse.judge.questions import Expected, Pages, expected
from dowse.model.judge import LEARNED
from dowse.model.page import Bag
from dowse.model.statistic_names import FINAL_VERDICTS, OTHER_VERDICTS
from dowse.model.unmet import BY_ANSWERS, BY_CHANCES, BY_WORDS, NONE_SO_LIKELY
from dowse.store import CrawlStore, damage_told
from dowse.store.final_verdicts import NewVerdict, StoredPage, first_verdicts, stored_pages, write_verdicts

__all__ = ["ANSWER", "Rejudged", "Terms", "own_terms", "rejudge", "rejudge_at_end"]

ANSWER = "your answer"
"""The reason of a verdict that somebody gave."""
_WORTH, _WORTH_OF_WORDS = 2.0, 1.0  # answers that the chances are worth: with examples, and from words alone
_OF_WORDS = 0.65  # from words alone, so much of the precision that the chances promise; on labelled corpora
_DRAWS = 4_000

Terms = Callable[[StoredPage], Bag | None]
"""The terms of a page; None: it has none that could be had."""


@dataclass(frozen=True, slots=True)
class Rejudged:
    """What came of it. Precision and recall are what somebody's answers say of them, where there are any: above all
    those about pages that were drawn by lot. Else it is what the chances promise: how many of the pages called relevant
    are, and how many of all that are were called so; each with an interval as wide as so many answers as that is
    ``worth`` make it."""

    pages: int
    relevant: int
    joined: int  # were not relevant before (or at first), and are now
    left: int
    model: int
    threshold: float
    positive: int  # examples it went by, answers among them
    made_of: int  # pages it learned from
    precision: tuple[float, float, float]  # expected, and the bounds of its interval
    recall: tuple[float, float, float]
    answers: int = 0  # somebody's, about pages of the crawl
    by_lot: int = 0  # of these, about pages that were drawn by lot
    worth: float = 0.0  # answers that the chances are taken to be worth; 0 where there are real ones
    asked: float | None = None  # the precision that somebody asked for
    unmet: str = ""  # why it is not promised, one of :mod:`dowse.model.unmet`; empty where it is
    method: str = LEARNED


def own_terms(folder: Path) -> Terms:
    """Gives the terms that the records in a folder have of a page."""

    def terms(page: StoredPage) -> Bag | None:
        with damage_told(folder):
            return None if page.terms is None else Bag.unpacked(page.terms)

    return terms


def rejudge_at_end(
    store: CrawlStore, judge: LearnedJudge, languages: Sequence[str], other: Mapping[str, Any] | None = None, *,
    since_first: bool = False,
) -> Rejudged | None:  # fmt: skip
    """Give all pages of a crawl that ends their final verdict; None when too little was learned to judge by: then
    only those that somebody answered have another. What the crawl itself goes by, if it is resumed, stays what it
    was."""
    if judge.pages > judge.made_of or judge.answers:
        deque(judge.learn(revise=False), maxlen=0)
        judge.version += len(judge.answers)  # each made another model: none has the number of one that knew fewer
    return rejudge(store, judge, languages, other=other, since_first=since_first)


def rejudge(
    store: CrawlStore, judge: LearnedJudge, languages: Sequence[str], *, terms: Terms | None = None,
    other: Mapping[str, Any] | None = None, since_first: bool = False,
) -> Rejudged | None:  # fmt: skip
    """Judge all pages again, and write their verdicts into the records. ``other``: what is told of a topic that is not
    the crawl's own. ``since_first``: pages are counted as joined or left by what they were first called."""
    if judge.model is None:
        _write_answers(store, judge.answers, other)
        return None
    terms = terms or own_terms(store.folder)
    verdicts: list[NewVerdict] = []
    chances: list[float] = []
    joined = left = 0
    answers = judge.answers
    for block in stored_pages(store):
        pages = [(page, bag) for page in block if (bag := terms(page)) is not None]
        found = judge.chances([(bag, page.url) for page, bag in pages])
        assert found is not None
        for (page, _), chance in zip(pages, found.tolist(), strict=True):
            one = _verdict(page, chance, judge.threshold, languages, answers.get(page.id))
            before = page.first_relevant if since_first else page.relevant
            joined += one.relevant and not before
            left += before and not one.relevant
            verdicts.append(one)
            chances.append(chance)
    result = _told(judge, verdicts, np.array(chances), joined, left)
    write_verdicts(store, verdicts, judge.version, {FINAL_VERDICTS: asdict(result), OTHER_VERDICTS: other})
    return result


def _write_answers(store: CrawlStore, answers: Mapping[int, bool], other: Mapping[str, Any] | None) -> None:
    """They hold without a model, too; other pages have the verdicts of the crawl itself."""
    if not answers:
        return
    if store.statistics().get(OTHER_VERDICTS) is not None:
        first_verdicts(store, {FINAL_VERDICTS: None, OTHER_VERDICTS: None})
    verdicts = [_answered(id_, answer) for id_, answer in sorted(answers.items()) if id_ < ELSEWHERE]
    write_verdicts(store, verdicts, 0, {OTHER_VERDICTS: other})


def _answered(page: int, answer: bool) -> NewVerdict:
    return NewVerdict(page, float(answer), answer, [(ANSWER, float(answer), 1.0)])


def _verdict(
    page: StoredPage, chance: float, threshold: float, languages: Sequence[str], answer: bool | None
) -> NewVerdict:
    if answer is not None:
        return _answered(page.id, answer)
    wanted = not languages or not page.language or page.language in languages
    return NewVerdict(page.id, chance, chance >= threshold and wanted, [(CHANCE, chance, 1.0)])


def _told(
    judge: LearnedJudge, verdicts: Sequence[NewVerdict], chances: Floats, joined: int, left: int
) -> Rejudged:  # fmt: skip
    chosen = np.array([one.relevant for one in verdicts], np.bool_)
    figures = _by_chances(judge, chances, chosen)
    if judge.answers:
        pages = Pages(np.array([one.id for one in verdicts], np.int64), chances, chosen, judge.threshold)
        figures = expected(pages, judge.answers, judge.by_lot, judge.unknowing())
    worth = 0.0 if judge.answers else _WORTH if judge.positive else _WORTH_OF_WORDS
    return Rejudged(
        len(chances), int(np.count_nonzero(chosen)), joined, left, judge.version, judge.threshold, judge.positive,
        judge.pages, figures.precision, figures.recall, len(judge.answers), len(judge.by_lot), worth, judge.precision,
        _unmet(judge, figures, chosen),
    )  # fmt: skip


def _unmet(judge: LearnedJudge, figures: Expected, chosen: Any) -> str:
    """Why the precision that was asked for is not to be expected."""
    if judge.precision is None:
        return ""
    if not chosen.any():
        return NONE_SO_LIKELY
    if figures.precision[0] >= judge.precision:
        return ""
    return BY_ANSWERS if judge.by_lot else BY_CHANCES if judge.positive else BY_WORDS


def _by_chances(judge: LearnedJudge, chances: Floats, chosen: Any) -> Expected:
    right = float(chances[chosen].sum())
    precision = right / max(1, int(np.count_nonzero(chosen)))
    recall = right / max(float(chances.sum()), 1e-9)
    if not judge.positive:
        return Expected(_believed(_OF_WORDS * precision, _WORTH_OF_WORDS), _believed(recall, _WORTH_OF_WORDS))
    return Expected(_believed(precision, _WORTH), _believed(recall, _WORTH))


def _believed(share: float, worth: float) -> tuple[float, float, float]:
    """A share, and the interval that holds nine in ten of what it may be when what says so is worth so many answers."""
    sure = min(max(share, 1e-3), 1 - 1e-3)
    drawn = np.random.default_rng(0).beta(worth * sure, worth * (1 - sure), _DRAWS)
    low, high = np.percentile(drawn, (5.0, 95.0)).tolist()
    return share, min(low, share), max(high, share)
