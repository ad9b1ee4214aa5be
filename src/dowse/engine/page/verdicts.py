"""The verdict that counts: a worker's, or that of the judge that learns from the crawl."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dowse.engine.life import Life
from dowse.engine.page.vagueness import VagueWords, vague_cause
from dowse.frontier import Lease, Site
from dowse.judge.learned.learned_judge import CHANCE, LearnedJudge
from dowse.judge.learned.texts import Floats
from dowse.model.judge import LEARNED, JudgedPage, SeenPage
from dowse.model.page import USUAL_TERMS, Bag, Digest, Verdict
from dowse.model.records import VerdictRow
from dowse.model.revive import revived
from dowse.model.statistic_names import JUDGE_STATE

__all__ = ["JudgedPast", "Verdicts", "restore_judge", "wanted_pages", "worth"]

_MOST_MODELS = 2**31
_MOST_LATEST = 8_192  # pages that may be judged again while the crawl runs
_STEEPNESS = 4.4  # of a score that is no chance: half the threshold is worth 0.1
_STEEPEST = 30.0
_CATEGORY = "category("
_SOFT = 0.45  # of the log odds: to go by chances as they are costs two points of the oracle's area


class KeptTerms(Protocol):
    """Has the terms of pages that were judged."""

    def details(self, candidates: Sequence[int]) -> Iterable[tuple[int, bytes]]:
        """The terms of pages, packed."""
        ...


class JudgedPast(KeptTerms, Protocol):
    """What the records tell of pages that were judged."""

    def statistics(self) -> dict[str, Any]: ...

    def judged(self) -> list[JudgedPage]:
        """The pages, in the order they were judged."""
        ...


@dataclass(slots=True)
class _Latest:
    """A page of this run as it is judged by now."""

    site: Site
    relevant: bool


class Verdicts:
    """Has pages judged by what the crawl has learned so far, where its judge learns."""

    def __init__(self, judge: LearnedJudge | None, life: Life) -> None:
        self._judge = judge
        self._life = life
        self._learning = False
        self._vague = VagueWords()
        self._latest: dict[int, _Latest] = {}  # pages of this run

    def of(self, digest: Digest, url: str) -> Verdict:
        """The verdict of a page."""
        if self._judge is None or digest.bag is None:
            return digest.verdict
        return self._judge.verdict(SeenPage(digest.bag.most(USUAL_TERMS), url, digest.verdict))

    def keep(self, lease: Lease, digest: Digest, *, relevant: bool, wanted: bool) -> None:
        """A page that was judged is there to be learned from, and to be judged again where its language is ``wanted``.
        Its terms are written down, for a resume and for whoever judges it again."""
        if digest.bag is None:
            return
        page, bag = lease.candidate, digest.bag.most(USUAL_TERMS)
        self._life.journal.terms(page, bag)
        if self._judge is not None:
            self._judge.add(page, bag, lease.url, digest.verdict.similarity, is_seed=not lease.depth)
            if wanted:
                self._latest[page] = _Latest(lease.site, relevant)

    async def learn_if_due(self) -> None:
        """Learn from what was kept, others having their turns in between."""
        judge = self._judge
        if judge is None or self._learning or not judge.is_due:
            return
        self._learning = True
        try:
            learning = judge.learn()
            while True:
                try:
                    next(learning)
                except StopIteration as end:
                    ids, chances = end.value
                    self._life.worth.revalue(ids, softened(chances))
                    self._judge_again(judge, ids, chances)
                    break
                await asyncio.sleep(0)
            self._life.journal.statistic(JUDGE_STATE, [judge.made_of, judge.version])
            cause = vague_cause(judge)
            if self._vague.new(cause):
                self._life.journal.event("vague words", cause)
        finally:
            self._learning = False

    def _judge_again(self, judge: LearnedJudge, ids: NDArray[np.int64], chances: Floats) -> None:
        """Give the latest pages of this run the verdicts of the new model, where these are others."""
        answers = judge.answers
        for page, chance in zip(ids.tolist(), chances.tolist(), strict=True):
            one, relevant = self._latest.get(page), chance >= judge.threshold
            if one is not None and relevant != one.relevant and page not in answers:
                one.relevant = relevant
                row = VerdictRow(chance, relevant, judge.version, [(CHANCE, chance, 1.0)])
                self._life.judged_again(page, one.site, row)
        for page in list(islice(self._latest, max(0, len(self._latest) - _MOST_LATEST))):
            del self._latest[page]


def worth(verdict: Verdict) -> float:
    """What a page is worth to who learns from it, from 0 to 1, and a half where the verdict is doubtful: its chance, or
    how far its score lies from the threshold."""
    if verdict.method == LEARNED:
        return float(softened(np.float64(verdict.score)))
    unit = max(verdict.threshold / _STEEPNESS, 1e-6)
    steps = (verdict.score - verdict.threshold) / unit
    return 1 / (1 + math.exp(-min(max(steps, -_STEEPEST), _STEEPEST)))


def categories(verdict: Verdict) -> tuple[str, ...]:
    """The tests for categories that a page passes, as its predicate has them."""
    return tuple(part.text for part in verdict.parts if part.held and part.text.startswith(_CATEGORY))


def softened(chances: Any) -> Any:
    """A chance drawn to even odds: between two pages off the topic, too, one is more like it than the other."""
    odds = np.clip(chances / np.maximum(1 - chances, 1e-9), 1e-9, 1e9) ** _SOFT
    return odds / (1 + odds)


def restore_judge(judge: LearnedJudge, past: JudgedPast) -> None:
    """Let the judge know what it knew when the records were last written. ValueError when they cannot be true."""
    made_of, version = revived(tuple[int, ...], past.statistics().get(JUDGE_STATE, [0, 0]))
    if made_of < 0 or not 0 <= version < _MOST_MODELS:
        raise ValueError(f"no judge was made of {made_of} pages as model {version}")
    judged = past.judged()
    judge.restore(judged, wanted_pages(judge, past, judged, made_of), made_of, version)


def wanted_pages(
    judge: LearnedJudge, past: KeptTerms, judged: Sequence[JudgedPage], made_of: int
) -> dict[int, tuple[Bag, str]]:  # fmt: skip
    """Terms and URL of the pages that the judge must see again, for a model that was made of the first so many."""
    urls = {page.id: page.url for page in judged}
    found = past.details(judge.wanted(judged, made_of))
    return {id_: (Bag.unpacked(data), urls[id_]) for id_, data in found}
