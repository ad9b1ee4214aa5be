"""The papers' strategies by name, with the parameters a user may set. Each has a paper form and a robust one."""

from __future__ import annotations

import difflib
from collections.abc import Callable

from dowse.model.block_rule import BlockRule
from dowse.model.errors import TopicError
from dowse.model.page import Counting
from dowse.model.strategy import Strategy
from dowse.model.traces import Traces
from dowse.predict.gatherer import ByMeasure, Hybrid
from dowse.predict.learning import InterestRatios, Learner, Statistics
from dowse.predict.learning.ratios import SIGNIFICANT
from dowse.predict.learning.reuse import REUSE
from dowse.predict.measures import Average, AverageTwo, LinkMeasure, Measure, Value, Weighted, as_judged, cosine
from dowse.predict.mix import ContextMix
from dowse.predict.second_order import SecondOrder, SecondOrderHybrid
from dowse.predict.traces.combined import Combined
from dowse.predict.traces.learner import AmongPeople, Shares
from dowse.predict.traces.people import People
from dowse.predict.traces.strategy import ByPeople
from dowse.predict.tunnel import BestBlock, BestContext

__all__ = [
    "average",
    "average_2",
    "combined",
    "hybrid",
    "learning",
    "link",
    "similar_link",
    "traces",
    "tunnel",
    "weighted",
    "weighted_link",
]

_KAPPA = 0.5
_ALPHA = 0.7
_PEOPLE = 10.0


def average(form: str = "robust", kappa: float = _KAPPA, menus: bool | None = None) -> Strategy:
    """What the pages that link to a URL are worth on average."""
    value, counting = _texts(form, menus)
    return ByMeasure("average", Average(value), kappa if _robust(form) else 0.0, counting)


def average_2(a: float = 0.5, form: str = "robust", kappa: float = _KAPPA, menus: bool | None = None) -> Strategy:
    """What the pages that link to a URL are worth on average, and those that link to these."""
    value, counting = _texts(form, menus)
    if not _robust(form):
        return SecondOrder(a, counting)
    return ByMeasure("average-2", AverageTwo(a, value), kappa, counting)


def weighted(
    a: float = 0.5, b: float = 0.3, form: str = "robust", kappa: float = _KAPPA, menus: bool | None = None
) -> Strategy:
    """The pages that link to a URL, the paragraphs around the links and their anchors, weighted."""
    value, counting = _texts(form, menus)
    return ByMeasure("weighted", Weighted(a, b, value), kappa if _robust(form) else 0.0, counting)


def link(form: str = "robust") -> Strategy:
    """The number of links to a URL."""
    return ByMeasure("link", LinkMeasure("link", robust=_robust(form)))


def weighted_link(form: str = "robust") -> Strategy:
    """Links to a URL, each as a share of the links on its page."""
    return ByMeasure("weighted-link", LinkMeasure("weighted-link", robust=_robust(form)))


def similar_link(form: str = "robust", menus: bool | None = None) -> Strategy:
    """Links to a URL, each as a share of the links on its page, times what the page is worth."""
    measure, (_, counting) = LinkMeasure("similar-link", robust=_robust(form)), _texts(form, menus)
    return ByMeasure("similar-link", measure, counting=counting)


def hybrid(
    predictor: str = "weighted", link: str = "similar-link", alpha: float | None = None, a: float = 0.5, b: float = 0.3,
    form: str = "robust", menus: bool | None = None,
) -> Strategy:  # fmt: skip
    """A predictor (average, average-2, weighted) and a link measure (link, weighted-link, similar-link) together."""
    robust, (value, counting) = _robust(form), _texts(form, menus)
    if alpha is None:
        alpha = _ALPHA if robust else 0.5  # the paper's
    predictors: dict[str, Callable[[], Measure]] = {
        "average": lambda: Average(value), "average-2": lambda: AverageTwo(a, value),
        "weighted": lambda: Weighted(a, b, value),
    }  # fmt: skip
    if predictor not in predictors:
        near = difflib.get_close_matches(predictor, predictors, 1)
        hint = f": did you mean {near[0]}?" if near else ""
        raise TopicError(f"{predictor!r} is no predictor, there are {', '.join(predictors)}{hint}")
    links = LinkMeasure(link, robust=robust)
    if predictor == "average-2" and not robust:
        return SecondOrderHybrid(links, alpha, a, counting)
    return Hybrid(predictors[predictor](), links, alpha, robust=robust, counting=counting)


def tunnel(form: str = "robust", trust: float = 40.0, alpha: float = 0.5, k: int = 1) -> Strategy:
    """What the link stands in, from its anchor over its content block to its site, in a mix learned while crawling."""
    rule = BlockRule(alpha, k)
    if form == "max":
        return BestContext(rule)
    return ContextMix(trust, rule) if _robust(form, "max") else BestBlock(rule)


def learning(
    before: Statistics | None = None, traces: Traces | None = None, form: str = "robust", combine: str = "learned",
    trust: float = 20.0, content: float = 1.0, url: float = 1.0, links: float = 1.0, siblings: float = 1.0,
    exact: bool = False, reuse: float = REUSE, t: float = SIGNIFICANT,
) -> Strategy:  # fmt: skip
    """What pages, words, URLs and siblings seen so far tell of a link, in a mix learned while crawling."""
    robust = _robust(form)
    if combine not in ("learned", "logs"):
        raise TopicError(f"combine is {combine!r}: write learned or logs")
    weights = (content, url, links, siblings)
    if robust and combine == "learned":
        if before is not None and before.events and not before.mixes:
            raise TopicError("what it is to start from was counted with form=paper or combine=logs: choose that form")
        if traces is None:
            return Learner(trust, weights, exact=exact, before=before, reuse=reuse)
        people = _people(traces, before, reuse, True, SIGNIFICANT)
        learner = Learner(trust, weights, exact=exact, before=before, reuse=reuse, further=Shares(people))
        return AmongPeople(people, learner)
    if traces is not None:
        raise TopicError("form=paper and combine=logs go by links alone: choose the strategy combined to go by both")
    return InterestRatios(weights, robust=robust, exact=exact, significance=t, before=before, reuse=reuse)


def traces(
    traces: Traces | None = None, before: Statistics | None = None, form: str = "robust", t: float = SIGNIFICANT,
    reuse: float = REUSE,
) -> Strategy:  # fmt: skip
    """What people went to who also went to pages on the topic, from access logs (--traces)."""
    return ByPeople(_people(traces, before, reuse, _robust(form), t))


def combined(
    traces: Traces | None = None, before: Statistics | None = None, form: str = "robust", content: float = 1.0,
    url: float = 1.0, links: float = 1.0, siblings: float = 1.0, people: float | None = None, exact: bool = False,
    t: float = SIGNIFICANT, reuse: float = REUSE,
) -> Strategy:  # fmt: skip
    """What people went to and what pages link to, in one frontier, by interest ratios of both (--traces)."""
    robust = _robust(form)
    by_people = _people(traces, before, reuse, robust, t)
    if before is not None and not before.events and before.people:
        before = None  # of a crawl that went by people alone
    linkage = InterestRatios(
        (content, url, links, siblings), robust=robust, exact=exact, significance=t, before=before, reuse=reuse
    )  # fmt: skip
    if people is None:
        people = _PEOPLE if robust else 1.0  # the paper's
    return Combined(by_people, linkage, robust=robust, weight=people)


def _people(traces: Traces | None, before: Statistics | None, reuse: float, robust: bool, t: float) -> People:
    return People(
        Traces.none() if traces is None else traces, robust=robust, significance=t, before=before, reuse=reuse
    )  # fmt: skip


def _texts(form: str, menus: bool | None) -> tuple[Value, Counting]:
    """What a page is worth, and how texts are measured (METHODS, section 1): the paper counts every word alike, and
    takes the mean over the links of a page to one target; ``menus`` says otherwise of repeated text."""
    robust = _robust(form)
    return as_judged if robust else cosine, Counting(menus=not robust if menus is None else menus, mean=not robust)


def _robust(form: str, *others: str) -> bool:
    """Is it the robust form, and not the paper's? ``others`` are those that the strategy has besides."""
    if form not in ("robust", "paper"):
        raise TopicError(f"form is {form!r}: write {', '.join(('robust', *others))} or paper")
    return form == "robust"
