"""Predictors: what a URL may be worth before it is fetched, and what it may cost. One module an idea; all strategies
pass one contract suite."""

from dowse.predict.cost import Costs
from dowse.predict.registry import (
    STRATEGIES,
    build_strategy,
    check_maximise,
    describe,
    parameter_value,
    parameters,
)
from dowse.predict.sitelog import Exchanged, SiteLog

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
]
