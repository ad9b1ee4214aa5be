"""Learning while crawling (METHODS, section 4): what pages turn out to be tells what their links promise.

``learner`` is the strategy, ``interest`` the one that was published. What a page is worth, the judge says. Evidence:
``siblings`` and ``link_tokens``, turned into numbers by ``features`` and kept by ``notes``;
``columns`` puts further evidence beside it. ``answers`` has the chance
that a URL answers. ``ratios``, ``book`` and ``occurrences`` count for the published strategy. ``statistics`` (with
``sums`` and ``events``) is what a later crawl can start from: ``reuse`` makes it, ``strength`` reads it,
``statistics_text``, ``statistics_file`` and ``json_stream`` store it.
"""

from dowse.predict.learning.interest import KIND_OF_RATIOS, InterestRatios
from dowse.predict.learning.learner import KIND, Learner
from dowse.predict.learning.statistics import Crawled, KeepsStatistics, Statistics
from dowse.predict.learning.statistics_file import read_statistics
from dowse.predict.learning.statistics_text import statistics_bytes

__all__ = [
    "KIND", "KIND_OF_RATIOS", "Crawled", "InterestRatios", "KeepsStatistics", "Learner", "Statistics",
    "read_statistics", "statistics_bytes",
]  # fmt: skip
