"""The papers' strategies by name, with the parameters a user may set. Each has a paper form and a robust one."""

from __future__ import annotations

import difflib
from collections.abc import Callable

from dowse.model.errors import TopicError
from dowse.model.strategy import Strategy
from dowse.predict.gatherer import ByMeasure, Hybrid
from dowse.predict.learning import InterestRatios, Learner, Statistics
from dowse.predict.learning.reuse import REUSE
from dowse.predict.measures import Average, AverageTwo, LinkMeasure, Measure, Weighted
from dowse.predict.mix import ContextMix
from dowse.predict.second_order import SecondOrder
from dowse.predict.tunnel import BestBlock

__all__ = ["average", "average_2", "hybrid", "learning", "link", "similar_link", "tunnel", "weighted", "weighted_link"]

_KAPPA = 0.5
_ALPHA = 0.7


def average(form: str = "robust", kappa: float = _KAPPA) -> Strategy:
    """What the pages that link to a URL are worth on average."""
    return ByMeasure("average", Average(), kappa if _robust(form) else 0.0)


def average_2(a: float = 0.5, form: str = "robust", kappa: float = _KAPPA) -> Strategy:
    """What the pages that link to a URL are worth on average, and those that link to these."""
    return ByMeasure("average-2", AverageTwo(a), kappa) if _robust(form) else SecondOrder(a)


def weighted(a: float = 0.5, b: float = 0.3, form: str = "robust", kappa: float = _KAPPA) -> Strategy:
    """The pages that link to a URL, the paragraphs around the links and their anchors, weighted."""
    return ByMeasure("weighted", Weighted(a, b), kappa if _robust(form) else 0.0)


def link(form: str = "robust") -> Strategy:
    """The number of links to a URL."""
    return ByMeasure("link", LinkMeasure("link", robust=_robust(form)))


def weighted_link(form: str = "robust") -> Strategy:
    """Links to a URL, each as a share of the links on its page."""
    return ByMeasure("weighted-link", LinkMeasure("weighted-link", robust=_robust(form)))


def similar_link(form: str = "robust") -> Strategy:
    """Links to a URL, each as a share of the links on its page, times what the page is worth."""
    return ByMeasure("similar-link", LinkMeasure("similar-link", robust=_robust(form)))


def hybrid(
    predictor: str = "weighted", link: str = "similar-link", alpha: float | None = None, a: float = 0.5, b: float = 0.3,
    form: str = "robust",
) -> Strategy:  # fmt: skip
    """A predictor (average, average-2, weighted) and a link measure (link, weighted-link, similar-link) together."""
    robust = _robust(form)
    if alpha is None:
        alpha = _ALPHA if robust else 0.5  # the paper's
    predictors: dict[str, Callable[[], Measure]] = {
        "average": Average, "average-2": lambda: AverageTwo(a), "weighted": lambda: Weighted(a, b),
    }  # fmt: skip
    if predictor not in predictors:
        near = difflib.get_close_matches(predictor, predictors, 1)
        hint = f": did you mean {near[0]}?" if near else ""
        raise TopicError(f"{predictor!r} is no predictor, there are {', '.join(predictors)}{hint}")
    return Hybrid(predictors[predictor](), LinkMeasure(link, robust=robust), alpha, robust=robust)


def tunnel(form: str = "robust", trust: float = 40.0) -> Strategy:
    """What the link stands in, from its anchor over its content block to its site, in a mix learned while crawling."""
    return ContextMix(trust) if _robust(form) else BestBlock()


def learning(
    before: Statistics | None = None, form: str = "robust", combine: str = "learned",
    trust: float = 20.0, content: float = 1.0, url: float = 1.0, links: float = 1.0, siblings: float = 1.0,
    exact: bool = False, reuse: float = REUSE,
) -> Strategy:  # fmt: skip
    """What pages, words, URLs and siblings seen so far tell of a link, in a mix learned while crawling."""
    robust = _robust(form)
    if combine not in ("learned", "logs"):
        raise TopicError(f"combine is {combine!r}: write learned or logs")
    weights = (content, url, links, siblings)
    if robust and combine == "learned":
        return Learner(trust, weights, exact=exact, before=before, reuse=reuse)
    if before is not None:
        raise TopicError("only the learned mix starts from statistics: leave out learn_from, or form and combine")
    return InterestRatios(weights, robust=robust, exact=exact)


def _robust(form: str) -> bool:
    if form not in ("robust", "paper"):
        raise TopicError(f"form is {form!r}: write robust or paper")
    return form == "robust"
