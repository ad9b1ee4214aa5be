"""Learning while crawling (METHODS, section 4): what pages turn out to be tells what their links promise.

``learner`` is the strategy, ``interest`` the one that was published. What a page is worth, the judge says. Evidence:
``siblings`` and ``link_tokens``, turned into columns by ``features`` and kept by ``notes``. ``answers`` has the chance
that a URL answers. ``ratios`` and ``book`` count for the published strategy. ``statistics`` is what a later crawl can
start from: ``reuse`` makes it, ``strength`` reads it, ``statistics_file`` and ``json_stream`` store it.
"""

from dowse.predict.learning.interest import InterestRatios
from dowse.predict.learning.learner import KIND, Learner
from dowse.predict.learning.statistics import Statistics
from dowse.predict.learning.statistics_file import read_statistics, statistics_bytes

__all__ = ["KIND", "InterestRatios", "Learner", "Statistics", "read_statistics", "statistics_bytes"]
