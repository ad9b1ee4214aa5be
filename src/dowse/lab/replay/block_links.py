"""Which links of a corpus stand in a content block that is on the topic."""

from __future__ import annotations

import numpy as np

from dowse.lab.corpus import Corpus
from dowse.lab.replay.corpus_web import CorpusWeb, KnownPages
from dowse.model.page import Context

__all__ = ["BlockLinks"]


class BlockLinks:
    """For one topic, whatever the strategy: blocks are cut as published, and their text counts in full."""

    def __init__(self, corpus: Corpus, web: CorpusWeb, pages: KnownPages, threshold: float) -> None:
        self._ends = corpus.ends
        self._web = web
        self._pages = pages
        self._threshold = threshold
        self._gray: dict[int, frozenset[int]] = {}  # page -> where links in such blocks lead

    def is_gray(self, source: int, target: int) -> bool:
        """Does a link from one page to another (or to what redirects there) stand in such a block?"""
        if source not in self._gray:
            links = self._pages.digest(source).links
            numbers = self._web.numbers(links.fingerprints)
            near = (numbers >= 0) & (np.nan_to_num(links.similarity[:, Context.BLOCK]) >= self._threshold)
            self._gray[source] = frozenset(self._ends[numbers[near]].tolist())
        return target in self._gray[source]
