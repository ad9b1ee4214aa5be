"""Predictors: what a URL may be worth before it is fetched. One module an idea; all pass one contract suite."""

from dowse.predict.registry import STRATEGIES, build_strategy, describe, parameter_value

__all__ = ["STRATEGIES", "build_strategy", "describe", "parameter_value"]
