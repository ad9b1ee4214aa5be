"""Learning while crawling (METHODS, section 4): what pages turn out to be tells what their links promise."""

from dowse.predict.learning.interest import InterestRatios
from dowse.predict.learning.learner import Learner
from dowse.predict.learning.statistics import Statistics
from dowse.predict.learning.statistics_file import read_statistics, statistics_bytes

__all__ = ["InterestRatios", "Learner", "Statistics", "read_statistics", "statistics_bytes"]
