"""TH-Gatherer's formulas written out, over what a crawl has read so far (the paper's sections 2.2 and 3.1; METHODS,
section 1). Nothing here is shared with the code under test; nothing is fast."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from dowse.model.page import Outcome
from tests.predict.written_webs import QUERY, Anchor, Chosen, Paragraph, WrittenPage, WrittenWeb

A, B, ALPHA, KAPPA = 0.5, 0.3, 0.5, 0.5


def v_sim(text: Iterable[str]) -> float:
    """The cosine of two vectors of term counts; a zero vector gives 0."""
    h, q = Counter(text), Counter(QUERY)
    norms = math.sqrt(sum(n * n for n in h.values()) * sum(n * n for n in q.values()))
    return sum(h[word] * q[word] for word in q) / norms if norms else 0.0


def mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return math.fsum(found) / len(found) if found else None


@dataclass(frozen=True, slots=True)
class LinkTo:
    """The links of one page to one target, each in its paragraph."""

    page: WrittenPage
    target: str
    each: list[tuple[Paragraph, Anchor]]

    @property
    def count(self) -> int:
        return len(self.each)

    def paragraphs(self) -> list[float]:
        return [v_sim(paragraph.text) for paragraph, _ in self.each if paragraph.text]

    def anchors(self) -> list[float]:
        return [v_sim(anchor.words) for _, anchor in self.each if anchor.words]


@dataclass(slots=True)
class ReadSoFar:
    """The pages that a crawl has fetched, and who links to whom."""

    web: WrittenWeb
    links: list[LinkTo] = field(default_factory=list)
    fetched: set[str] = field(default_factory=set)
    seeds: set[str] = field(default_factory=set)  # and what their redirects led to
    known: set[str] = field(default_factory=set)
    foreseen: dict[str, float] = field(default_factory=dict)  # page -> what ``average`` gave when it was fetched

    def __post_init__(self) -> None:
        self.seeds |= set(self.web.seeds)
        self.known |= self.seeds

    def take(self, chosen: Chosen) -> None:
        """A URL was asked for: its links are known from now on; what linked to a URL that redirects links to the URL
        that takes its place, where that is new."""
        if chosen.outcome is Outcome.REDIRECTED:
            if chosen.target not in self.known:
                self.links += [LinkTo(link.page, chosen.target, link.each) for link in self.to(chosen.url)]
                self.known.add(chosen.target)
                if chosen.url in self.seeds:
                    self.seeds.add(chosen.target)
        elif chosen.outcome is Outcome.FETCHED:
            page = self.web.pages[chosen.url]
            foreseen = None if chosen.url in self.seeds else average(self, chosen.url)
            if foreseen is not None:
                self.foreseen[chosen.url] = foreseen
            self.fetched.add(chosen.url)
            each: dict[str, list[tuple[Paragraph, Anchor]]] = {}
            for paragraph in page.paragraphs:
                for anchor in paragraph.links:
                    each.setdefault(anchor.target, []).append((paragraph, anchor))
            self.links += [LinkTo(page, target, found) for target, found in each.items()]
            self.known |= set(each)

    def to(self, h: str) -> list[LinkTo]:
        return [link for link in self.links if link.target == h]


# -- paper form --------------------------------------------------------------------------------------------------------


def average(read: ReadSoFar, h: str) -> float | None:
    """The mean of V_sim(p) over P(h)."""
    return mean(v_sim(link.page.text) for link in read.to(h))


def average_2(read: ReadSoFar, h: str) -> float:
    """P' = the fetched pages that link to a page of P(h), each once."""
    first = {link.page.url for link in read.to(h)}
    behind = {link.page.url: link.page for link in read.links if link.target in first}
    own, second = average(read, h), mean(v_sim(page.text) for page in behind.values())
    assert own is not None
    return own if second is None else A * own + (1 - A) * second


def weighted(read: ReadSoFar, h: str) -> float:
    """Of several links of one page the mean counts; a part that nothing was seen of drops out."""
    paragraphs = [mean(link.paragraphs()) for link in read.to(h)]
    titles = [mean(link.anchors()) for link in read.to(h)]
    return together(average(read, h), paragraphs, titles)


def together(pages: float | None, paragraphs: list[float | None], titles: list[float | None]) -> float:
    seen = (mean(value for value in part if value is not None) for part in (paragraphs, titles))
    parts = [(weight, part) for weight, part in zip((A, B, 1 - A - B), (pages, *seen), strict=True) if part is not None]
    return sum(weight * part for weight, part in parts) / sum(weight for weight, _ in parts)


def v_link(read: ReadSoFar, h: str) -> float:
    return sum(link.count for link in read.to(h))


def v_w_link(read: ReadSoFar, h: str) -> float:
    return sum(link.count / link.page.n_links for link in read.to(h))


def v_s_w_link(read: ReadSoFar, h: str) -> float:
    return sum(v_sim(link.page.text) * link.count / link.page.n_links for link in read.to(h))


Formula = Callable[[ReadSoFar, str], float]
PREDICTORS: dict[str, Formula] = {
    "average": lambda read, h: average(read, h) or 0.0, "average-2": average_2, "weighted": weighted,
}  # fmt: skip
LINK_MEASURES: dict[str, Formula] = {"link": v_link, "weighted-link": v_w_link, "similar-link": v_s_w_link}


def hybrid(predictor: str, link: str) -> Formula:
    return lambda read, h: ALPHA * PREDICTORS[predictor](read, h) + (1 - ALPHA) * LINK_MEASURES[link](read, h)


# -- robust form -------------------------------------------------------------------------------------------------------


def shrunk(value: float, read: ReadSoFar, h: str) -> float:
    """As if ``kappa`` more pages linked to h that are worth nothing."""
    pages = len(read.to(h))
    return value * pages / (pages + KAPPA)


def robust_average(read: ReadSoFar, h: str) -> float:
    return shrunk(average(read, h) or 0.0, read, h)


def robust_average_2(read: ReadSoFar, h: str) -> float:
    """In place of P', what ``average`` gave for each page of P(h) when it was fetched; of a seed it gave nothing."""
    own = average(read, h)
    assert own is not None
    second = mean(read.foreseen[link.page.url] for link in read.to(h) if link.page.url in read.foreseen)
    return shrunk(own if second is None else A * own + (1 - A) * second, read, h)


def robust_weighted(read: ReadSoFar, h: str) -> float:
    """Of several links of one page the best counts."""
    paragraphs = [max(link.paragraphs(), default=None) for link in read.to(h)]
    titles = [max(link.anchors(), default=None) for link in read.to(h)]
    return shrunk(together(average(read, h), paragraphs, titles), read, h)


def one_vote(read: ReadSoFar, h: str) -> float:
    return sum(v_sim(link.page.text) / link.page.n_links for link in read.to(h))
