"""What the learned judge knows at a moment, and how it comes to know it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dowse.judge.learned.regression import Line, fit_line, held_out
from dowse.judge.learned.scale import Scale, off_topic, place, told_apart
from dowse.judge.learned.sites import Census, Sites
from dowse.judge.learned.texts import Floats, Text, Vectors, Weighing

__all__ = ["FEWEST_NEAR", "MOSTLY", "Known", "Model", "learned"]

_CLASS = 500.0  # how important the positives are in sum, and the others: against the length of the weights, squared
_WEAK = 3.0  # all pages that the query found are as important as so many yes, by the number of these
_COUNTER, _NO = 3.0, 10.0  # a counter-example, or a page to which the answer was no, is as important as so many others
_TRAINED_ON = 400  # pages of the background
_MOST_HELD_OUT = 8
FEWEST_NEAR = 3  # pages with a word of the query, or it has no model
_FIRST, _MOST_FIRST = 0.016, 16  # of the pages, those the query finds first: its first positives
_AWAY = 0.5  # of the way to the positives, from where on a page of the background seems to be one
MOSTLY = 0.6  # of the pages have even the rarest word of the query: none tells pages apart
_AFTER = 0.7  # of the way to the first positives a page must come to be among the second
_MOST_SECOND = 200
_FEW, _FEW_POWER = 0.19, 0.8
_ONE_MORE = 2.0  # how much one more positive adds: a page that is judged has it, one that was left out had not
_ONE_MORE_ASKED = -1.0  # the same where pages were chosen to be asked about: others of the topic lie lower than these
_BY_QUERY = 0.6  # where the line lies, when all that is known is a query
_QUERY = 0.1  # the query's own importance beside that of all positives
_ONE_DOMAIN = 0.25  # of the background: the most that the pages of one domain count for
_FEWEST_OFF = 5  # pages of the background
_IN_TURN = 2  # times the middle follows from answers and sites, and sites from the middle


@dataclass(frozen=True, slots=True)
class Known:
    """All that is known when a model is made."""

    positive: Sequence[Text]  # the examples
    negative: Sequence[Text]  # counter-examples
    background: Sequence[Text]  # a sample of the pages, as by lot
    near: Sequence[Text]  # pages that have the query's words, the nearest first
    of_near: Floats  # how near they are
    having: float  # the share of the background that has the rarest of the query's words
    order: NDArray[np.int32]  # of all terms, whenever they were met
    seeds: Sequence[Text] = ()  # pages where the crawl began, that have the query's words; without examples
    query: Text | None = None  # the query, as if it were a page
    yes: Sequence[Text] = ()  # pages of the crawl that somebody said to be on the topic
    no: Sequence[Text] = ()  # or off it
    trust: float = 1.0  # in what the query finds, by the answers


@dataclass(frozen=True, slots=True)
class Model:
    """The chance of a page to be on the topic."""

    weighing: Weighing
    line: Line
    scale: Scale
    sites: Sites
    of_background: Floats  # the chances of these pages, each as if its site were known without it

    def chances(self, texts: Sequence[Text]) -> Floats:
        vectors = Vectors(texts, self.weighing)
        return self.scale.chances(self.line.of(vectors), self.sites.of(vectors))

    def chance(self, text: Text) -> float:
        value = text.dot(self.weighing, self.line.weights) + self.line.bias
        return float(self.scale.chances(np.array([value]), self.sites.of_each(text).sum())[0])


def learned(known: Known) -> Generator[None, None, Model | None]:
    """Make a model, in pieces of some ten milliseconds; None when there is nothing to learn from.

    Positives against the background, both as important in sum: the line then orders pages as one that was told true
    negatives would, as long as few of the background are on the topic. A page that seems to be counts for less the
    second time (METHODS, section 7).
    """
    sure = [*known.positive, *known.yes]
    by_words = known.having <= MOSTLY and len(known.near) >= FEWEST_NEAR  # else no word tells pages apart
    weak = _found_first(known) if by_words else []
    some = _without(known.background[:_TRAINED_ON], [*weak, *sure])
    if len(known.background) < _FEWEST_OFF or not some or not (sure or len(weak) >= FEWEST_NEAR):
        return None
    # one that is told by its words knows these from pages that have them often: squared, it would know nothing else
    weighing = Weighing(_rarity([*known.background, *sure], len(known.order) + 1), squared=bool(sure))
    off = _Background(known.background, weighing)
    fit = _Fit(known, sure, weak, some, weighing)
    line = fit.line()
    yield
    values = line.of(fit.texts)[fit.of_background]
    found = yield from fit.held_out(line)
    line = fit.line(1 - place(found, values, _AWAY, fit.of_domains).chances(values), line)
    yield
    if weak:
        found = yield from fit.held_out(line)
        scale = place(found, fit.widened(line).of(off.texts), _AFTER, off.importance)
        fit, line = yield from _found_then(known, fit, line, scale, weighing)
    found = yield from fit.held_out(line)
    told = yield from fit.answered(line)
    wide = fit.widened(line)
    values = wide.of(off.texts)
    if sure:
        few = _of_few(found, wide, sure, weighing, off, asked=bool(known.yes))
        scale = place(few, values, importance=off.importance)
    else:
        scale = place(found, values, _BY_QUERY, off.importance)
    asked, before = [*known.yes, *known.no], scale
    census = Census(known.background, scale.chances(values), asked, fit.answers)
    for _ in range(_IN_TURN if asked else 0):
        scale = told_apart(before, told + scale.unit * census.of_asked(), fit.answers)
        census = Census(known.background, scale.chances(values), asked, fit.answers)
    yield
    sites = census.sites(len(wide.weights))
    return Model(weighing, wide, scale, sites, scale.chances(values, census.of_sample()))


def _found_first(known: Known) -> list[Text]:
    """The pages that have most of the query, and seeds."""
    best = np.argsort(-known.of_near, kind="stable").tolist()
    wanted = int(min(max(_FIRST * len(known.background), FEWEST_NEAR), _MOST_FIRST))
    return [*_without([known.near[at] for at in best[:wanted]], known.seeds), *known.seeds]


def _found_then(
    known: Known, fit: _Fit, line: Line, scale: Scale, weighing: Weighing
) -> Generator[None, None, tuple[_Fit, Line]]:
    """Pages with a word of the query that are like the first, each as far as it is, take the place of these."""
    of_near = fit.widened(line).of(Vectors(known.near, weighing))
    at_text = {id(text): at for at, text in enumerate(known.near)}
    for text, value in fit.left_out:  # by a line that did not know it
        if id(text) in at_text:
            of_near[at_text[id(text)]] = value
    chances = scale.chances(of_near)
    is_seed = {id(text) for text in known.seeds}
    chosen = [at for at in np.argsort(-chances, kind="stable").tolist() if chances[at] > 0.5][:_MOST_SECOND]
    chosen = [at for at in chosen if id(known.near[at]) not in is_seed]
    weak = [*known.seeds, *(known.near[at] for at in chosen)]
    if len(weak) < FEWEST_NEAR:
        return fit, line
    yield
    others = _without(fit.some, weak)
    left = 1 - scale.chances(fit.widened(line).of(Vectors(others, weighing)))
    again = _Fit(known, fit.sure, weak, others, weighing, np.concatenate((np.ones(len(known.seeds)), chances[chosen])))
    return again, again.line(left)


class _Background:
    """Pages of which nothing is known, and how important each is: where most are from one domain, they stand for that
    domain rather than for the web."""

    def __init__(self, texts: Sequence[Text], weighing: Weighing) -> None:
        self.texts = Vectors(texts, weighing)
        self.importance = _by_domain(texts)


def _by_domain(texts: Sequence[Text]) -> Floats:
    """How important each text is, when those of one domain (the widest that is not a last label) count for no more than
    a quarter of them all. All texts of one domain are equals."""
    widest = np.array([text.domains[0] if len(text.domains) else -1 for text in texts], np.int64)
    _, which, counts = np.unique(widest, return_inverse=True, return_counts=True)
    share = counts / max(len(texts), 1)
    return np.asarray(np.minimum(1.0, _ONE_DOMAIN / share)[which]) if len(counts) > 1 else np.ones(len(texts))


class _Fit:
    """Positives, counter-examples, background and the query, side by side, and lines between them."""

    def __init__(
        self, known: Known, sure: Sequence[Text], weak: Sequence[Text], some: Sequence[Text], weighing: Weighing,
        of_weak: Floats | None = None,
    ) -> None:  # fmt: skip
        query = [] if known.query is None else [known.query]
        on, against = [*sure, *weak], [*known.negative, *known.no]
        vectors = Vectors([*on, *against, *some, *query], weighing)
        vectors.from_only(on)  # a site that the crawl knows well must not speak for all that it does not know
        self.texts, self._numbers = vectors.compact(known.order)
        self.sure, self.some, self._texts = sure, some, on
        self._size = len(weighing.rarity)
        self._places = _spread(len(sure)) if sure else _spread(len(on))
        yes = range(len(known.positive), len(sure))
        no = range(len(on) + len(known.negative), len(on) + len(against))
        self._asked = [*yes, *no]
        self.answers = np.array([*(True for _ in yes), *(False for _ in no)], np.bool_)
        ends = np.cumsum([len(on), len(against), len(some)]).tolist()
        self._on, self.of_background, self._query = slice(0, ends[0]), slice(ends[1], ends[2]), slice(ends[2], None)
        self._positive = np.zeros(self.texts.count, np.bool_)
        self._positive[self._on] = self._positive[self._query] = True
        self.of_domains = _by_domain(some)
        self.own = np.ones(self.texts.count)
        of_weak = np.ones(len(weak)) if of_weak is None else of_weak
        if len(weak):
            together = _WEAK * known.trust / max(len(known.yes), 1)
            self.own[len(sure) : len(on)] = of_weak * (together / of_weak.sum() if sure else 1)
        self.own[ends[0] : ends[1]] = _COUNTER
        self.own[ends[1] - len(known.no) : ends[1]] = _NO
        self.left_out: list[tuple[Text, float]] = []

    def line(self, off: Floats | None = None, start: Line | None = None) -> Line:
        """A line; ``off`` says how far each page of the background is taken to be off the topic."""
        self.own[self.of_background] = self.of_domains if off is None else self.of_domains * off
        self.own[self._query] = _QUERY * self.own[self._on].sum()
        self._importance = _balanced(self._positive, self.own)
        return fit_line(self.texts, self._positive, self._importance, len(self._numbers), start)

    def held_out(self, line: Line) -> Generator[None, None, Floats]:
        """What the last line would say of some of the positives if it had not known them."""
        found = yield from held_out(self.texts, self._positive, self._importance, line, self._places)
        self.left_out = [(self._texts[at], value) for at, value in zip(self._places, found.tolist(), strict=True)]
        return found

    def answered(self, line: Line) -> Generator[None, None, Floats]:
        """The same of the pages that were answered."""
        if not self._asked:
            return np.zeros(0)
        found = yield from held_out(self.texts, self._positive, self._importance, line, self._asked)
        return found

    def widened(self, line: Line) -> Line:
        """The line over all terms."""
        weights = np.zeros(self._size)
        weights[self._numbers] = line.weights
        return Line(weights, line.bias)


def _spread(count: int) -> list[int]:
    """The places of no more than eight of so many."""
    return [int(at) for at in np.linspace(0, count - 1, min(count, _MOST_HELD_OUT)).astype(np.int64)]


def _of_few(
    values: Floats, line: Line, positive: Sequence[Text], weighing: Weighing, off: _Background, *, asked: bool
) -> Floats:
    """Held-out values, as if all the positives had been there: one more takes a page farther, and the less so the more
    there are. Of so few that one left out leaves hardly anything to go by, they are drawn to a part of the way to what
    the line says of them when it knows them."""
    known = float(line.of(Vectors(positive, weighing)).mean())
    usual = off_topic(line.of(off.texts), float(values.mean()), off.importance)
    count = len(positive)
    rest = count**-_FEW_POWER
    more = 1 + (_ONE_MORE_ASKED if asked else _ONE_MORE) * (count - 1) / count**2
    return np.asarray(usual + more * ((1 - rest) * (values - usual) + rest * _FEW * (known - usual)))


def _balanced(positive: NDArray[np.bool_], own: Floats) -> Floats:
    sums = np.where(positive, own[positive].sum(), own[~positive].sum())
    return np.asarray(_CLASS * own / np.maximum(sums, 1e-9))


def _rarity(texts: Sequence[Text], size: int) -> Floats:
    """The root of ``1 + log((n + 1) / (pages with the term + 1))``: the root, since with few examples a rare word that
    one of them has says less than its rarity would have it."""
    found = np.bincount(np.concatenate([text.terms for text in texts]), minlength=size)
    return np.asarray(np.sqrt(1 + np.log((len(texts) + 1) / (found + 1))))


def _without(texts: Sequence[Text], others: Sequence[Text]) -> list[Text]:
    gone = {id(text) for text in others}
    return [text for text in texts if id(text) not in gone]
