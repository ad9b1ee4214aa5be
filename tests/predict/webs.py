"""Random webs, and the crawl of one as a strategy sees it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

from dowse.model.page import Context
from dowse.model.strategy import LinkView, SourcePage, Strategy

PAGES = 24
NAN = float("nan")
scores = st.floats(0, 1, width=32)


@dataclass(slots=True)
class Link:
    """All links of a page to one target."""

    target: int
    count: int
    similarity: list[float]  # of each Context

    @property
    def anchor(self) -> float:
        return self.similarity[Context.ANCHOR]

    @property
    def paragraph(self) -> float:
        return self.similarity[Context.PARAGRAPH]


def simple_link(target: int, count: int, anchor: float, paragraph: float) -> Link:
    return Link(target, count, [anchor, paragraph, *[NAN] * (len(Context) - 2)])


@dataclass(slots=True)
class Page:
    id: int
    score: float
    n_links: int
    links: list[Link] = field(default_factory=list)
    similarity: float = 0.25  # its cosine, which a judge may think little of
    to_itself: bool = False


@st.composite
def crawls(draw: st.DrawFn) -> list[Page]:
    """Pages of a small web in the order in which they are fetched; some are never fetched."""
    order = draw(st.permutations(range(PAGES)))[: draw(st.integers(1, PAGES - 4))]
    crawl = []
    for id_ in order:
        targets = draw(
            st.lists(st.sampled_from([other for other in range(PAGES) if other != id_]), unique=True, max_size=8)
        )
        links = [
            Link(target, draw(st.integers(1, 3)), [draw(scores | st.just(NAN)) for _ in Context]) for target in targets
        ]
        refused = draw(st.integers(0, 5))  # links that lead nowhere count as links all the same
        n_links = sum(link.count for link in links) + refused
        crawl.append(Page(id_, draw(scores), n_links, links, draw(scores), draw(st.booleans())))
    return crawl


def tell(strategy: Strategy, crawl: list[Page]) -> Iterator[tuple[list[Page], dict[int, float]]]:
    """Tell a strategy of each page; the pages so far, and the priorities of all that waits and was mentioned."""
    known: dict[int, float] = {}
    fetched: list[Page] = []
    for ordinal, page in enumerate(crawl):
        done = {other.id for other in fetched}
        open_ = [link for link in page.links if link.target not in done]
        known.pop(page.id, None)
        ids = np.array([link.target for link in open_], np.int64)
        view = LinkView(
            ids=ids, sites=np.zeros_like(ids), depths=np.ones_like(ids),
            counts=np.array([link.count for link in open_], np.float32),
            similarity=np.array([link.similarity for link in open_], np.float32).reshape(-1, len(Context)),
            current=np.array([known.get(link.target, np.nan) for link in open_]),
            others=np.array([link.target for link in page.links if link.target in done], np.int64),
            to_itself=page.to_itself,
        )  # fmt: skip
        source = SourcePage(
            page.id, 0, 0, ordinal, page.score, page.score > 0.5, page.n_links, similarity=page.similarity
        )
        known.update(zip(ids.tolist(), strategy.rank(source, view).tolist(), strict=True))
        revised = strategy.revise(lambda ids: np.isin(ids, list(known)))
        if revised is not None:
            known.update(zip(*(column.tolist() for column in revised), strict=True))
        fetched.append(page)
        yield fetched, dict(known)
