"""The links between the pages of a corpus.

A link leads from a page to each distinct page of the corpus that it links to; one that leads to a recorded redirect
ends where that ends. Links that a crawler may not follow (nofollow) are none, and neither are a page's links to itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dowse.lab.corpus.index import Index
from dowse.lab.corpus.page_arrays import Pages
from dowse.lab.measure.link_graph import LinkGraph

__all__ = ["build_graph", "redirect_ends"]

_REDIRECT_DOUBLINGS = 4  # 16 redirects in a row, more than any crawl follows


def build_graph(index: Index, pages: Pages) -> tuple[LinkGraph, NDArray[np.int64]]:
    """The graph of a corpus, the targets of each page in ascending order; and how many distinct links of each page lead
    to what is no page of the corpus."""
    size = len(index)
    sources = np.repeat(np.arange(size, dtype=np.int64), np.diff(pages.columns["row_ends"], prepend=0))
    targets = pages.columns["targets"].astype(np.int64)
    for name in ("refresh", "feed"):
        leading = np.flatnonzero(pages.columns[name] >= 0)
        sources = np.concatenate((sources, leading))
        targets = np.concatenate((targets, pages.columns[name][leading]))
    ends = np.concatenate((redirect_ends(index), np.arange(size, len(pages.fingerprints))))
    targets = ends[targets]
    keys = np.unique(sources[targets != sources] * len(ends) + targets[targets != sources])
    sources, targets = keys // max(1, len(ends)), keys % max(1, len(ends))
    known = np.zeros(len(ends), bool)
    known[:size] = pages.is_page()
    inside = known[targets]
    return LinkGraph.of(size, sources[inside], targets[inside]), np.bincount(sources[~inside], minlength=size)


def redirect_ends(index: Index) -> NDArray[np.int64]:
    """Where each address of the corpus leads in the end, as far as it is recorded."""
    ends = np.arange(len(index), dtype=np.int64)
    leading = [(row, location) for row, location in enumerate(index.locations) if location]
    numbers = {url: row for row, url in enumerate(index.urls)} if leading else {}
    for row, location in leading:
        ends[row] = numbers.get(location, row)
    for _ in range(_REDIRECT_DOUBLINGS):
        ends = ends[ends]
    return ends
