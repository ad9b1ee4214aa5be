"""Learning while crawling (METHODS, section 4): what pages turn out to be tells what their links promise."""

from dowse.predict.learning.interest import InterestRatios
from dowse.predict.learning.learner import Learner

__all__ = ["InterestRatios", "Learner"]
