"""The port every judge stands behind: is a page on the topic, how sure, and why.

A judge gives the verdict of a page that was read. How near lines, anchors and blocks are to the topic's words is
measured apart from it, whoever judges. Who judges may change while a crawl runs; the port is asked page by page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dowse.model.facts import PageFacts
from dowse.model.page import Bag, Reason, Verdict

__all__ = ["LEARNED", "Judge", "JudgedPage", "ReadPage", "Revised", "SeenPage", "TermCounts"]

LEARNED = "learned"
"""The method of a judge that learns from the crawl."""

Revised = tuple[NDArray[np.int64], NDArray[np.float64]]
"""Pages, and what each is worth by now."""

TermCounts = NDArray[np.int64] | NDArray[np.float64]
"""How often terms occur. A fraction: lines that a site repeats on its pages count for less."""


class ReadPage(Protocol):
    """A page that was read, as a judge sees it. What takes time is worked out when it is asked for."""

    @property
    def facts(self) -> PageFacts:
        """Its address, title, language and sizes, with its similarity to the topic and its ERID; its text and objects
        where the judge says that it needs them."""
        ...

    def terms(self) -> tuple[NDArray[np.uint64], TermCounts]:
        """The hash of each term that occurs, rising, and how often it does. A term is a stemmed word that is no stop
        word; ``dowse.model.words.word_hash`` hashes one."""
        ...

    def count(self, phrase: Sequence[str]) -> float:
        """How often terms of the topic stand in a row, on any line of the page, whatever its site repeats."""
        ...

    def similar_terms(self) -> tuple[Reason, ...]:
        """The terms that the page shares with the topic; they add up to ``facts.similarity``."""
        ...

    def keywords(self) -> tuple[Reason, ...]:
        """The topic's keywords that occur; they add up to ``facts.erid``."""
        ...


class Judge(Protocol):
    """Gives the verdict of a page. The same page gives the same verdict, whatever was judged before."""

    @property
    def name(self) -> str:
        """The ``method`` of its verdicts."""
        ...

    @property
    def threshold(self) -> float:
        """The score from which a page is relevant."""
        ...

    @property
    def needs_text(self) -> bool:
        """Does a verdict depend on :attr:`PageFacts.text`? To gather it takes time."""
        ...

    @property
    def needs_objects(self) -> bool:
        """Does a verdict depend on :attr:`PageFacts.objects`?"""
        ...

    @property
    def can_be_sent(self) -> bool:
        """May copies of it judge in worker processes? Not when it learns from pages, or holds what cannot be
        pickled."""
        ...

    def verdict(self, page: ReadPage) -> Verdict:
        """Judge a page: a score from 0 to 1, relevant when it is above 0 and reaches the threshold, with reasons that
        add up to the score. ``similarity`` and ``erid`` are filled in by who asks."""
        ...


@dataclass(frozen=True, slots=True)
class SeenPage:
    """A page as the engine has it, for a judge that learns: its terms, its URL, and the verdict of the judge that saw
    it first, in a worker."""

    bag: Bag
    url: str
    first_look: Verdict


class JudgedPage(NamedTuple):  # a tuple, since a crawl has very many
    """A page that was judged, as the records have it."""

    id: int
    similarity: float
    is_seed: bool = False
    url: str = ""
