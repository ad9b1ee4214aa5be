"""What the words of a page, those of its address, and the domains it is from add to the log odds that a model gives it.

A model's value is a sum over terms and domains, and its log odds are that value on a scale, and what the page's site
adds. So each part has its share, and the shares add up: ``base + sum of terms + sum of domains = log(chance / (1 -
chance))``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dowse.judge.learned.addresses import address_words, domains, host_of
from dowse.judge.learned.learned_judge import LearnedJudge
from dowse.judge.learned.model import Model
from dowse.judge.learned.texts import Floats, Text
from dowse.model.page import Bag

__all__ = ["Contributions", "Explained", "contributions", "explained"]


@dataclass(frozen=True, slots=True)
class Contributions:
    """The parts of a page's log odds. ``of_terms`` and ``of_domains`` are in the order of the text's own."""

    of_terms: Floats
    of_domains: Floats
    base: float  # of a page that says nothing

    @property
    def log_odds(self) -> float:
        """Their sum: from 0 on a page is more likely on the topic than not."""
        return self.base + float(self.of_terms.sum()) + float(self.of_domains.sum())


class Explained(NamedTuple):
    """The contributions, and what the parts are: the page's terms by their hashes, behind them the words of its
    address; and its domains."""

    parts: Contributions
    terms: NDArray[np.uint32]
    address: list[str]
    domains: list[str]


def contributions(model: Model, text: Text) -> Contributions:
    """What each term and each domain of a text adds to its log odds by this model."""
    weights, unit = model.line.weights, model.scale.unit
    own = text.weighed(model.weighing)
    length = max(float(np.linalg.norm(own)), 1e-12)
    # a domain weighs the same in every text: so it has what a text of nothing else would
    alone = [Text(text.terms[:0], text.weights[:0], one[None]).dot(model.weighing, weights) for one in text.domains]
    return Contributions(
        np.asarray(own * weights.take(text.terms, mode="clip") / length / unit, np.float64),
        np.array(alone, np.float64) / unit + model.sites.of_each(text),
        (model.line.bias - model.scale.middle) / unit,
    )


def explained(judge: LearnedJudge, bag: Bag, url: str) -> Explained | None:
    """What a page with these terms from this URL (or host) has its chance from; None while there is no model."""
    if judge.model is None:
        return None
    text = judge._words.text(bag, url)
    parts = contributions(judge.model, text)
    if not len(text.domains):
        return Explained(parts, bag.terms, [], [])
    return Explained(parts, bag.terms, address_words(url), domains(host_of(url)))
