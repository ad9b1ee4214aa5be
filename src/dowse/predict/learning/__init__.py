"""Learning while crawling (METHODS, section 4): what pages turn out to be tells what their links promise.

``learner`` is the strategy, ``interest`` the one that was published. Evidence: what the judge says pages are worth,
``siblings``, ``link_tokens``, and ``answers`` (what URLs asked for in vain tell), turned into columns by ``features`` and
kept by ``notes``; ``ratios`` and ``book`` count for the published one. ``statistics`` is what a later crawl can start from: ``reuse`` makes it,
``strength`` reads it, ``statistics_file`` and ``json_stream`` store it.
"""

from dowse.predict.learning.interest import InterestRatios
from dowse.predict.learning.learner import KIND, Learner
from dowse.predict.learning.statistics import Statistics
from dowse.predict.learning.statistics_file import read_statistics, statistics_bytes

__all__ = ["KIND", "InterestRatios", "Learner", "Statistics", "read_statistics", "statistics_bytes"]
