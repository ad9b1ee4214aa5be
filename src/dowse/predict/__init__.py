"""Predictors: what a URL may be worth before it is fetched, and what it may cost. One module an idea; all strategies
pass one contract suite."""

from dowse.predict.costs import Costs, Exchanged, SiteLog
from dowse.predict.registry import (
    STRATEGIES,
    build_strategy,
    check_maximise,
    describe,
    parameter_value,
    parameters,
    split_strategy,
)

__all__ = [
    "STRATEGIES",
    "Costs",
    "Exchanged",
    "SiteLog",
    "build_strategy",
    "check_maximise",
    "describe",
    "parameter_value",
    "parameters",
    "split_strategy",
]
