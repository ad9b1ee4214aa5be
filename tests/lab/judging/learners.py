"""A judge that learns from unlabelled pages, for the tests: what it says follows from what it is given."""

from __future__ import annotations

import numpy as np

from dowse.lab.corpus import Corpus
from dowse.lab.judging.port import Background, Scores, Told


class Doubter:
    """Doubts every page that was fetched and not given as an example, the sooner fetched the more."""

    name = "doubter"
    learns = True

    def __init__(self, corpus: Corpus) -> None:
        self._size = len(corpus)

    def scores(self, told: Told, background: Background) -> Scores:
        chances = np.full(self._size, 0.9)
        chances[background.pages] = np.linspace(0.1, 0.4, len(background.pages))
        return Scores(chances, 0.5)
