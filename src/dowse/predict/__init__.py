"""Predictors: what a URL may be worth before it is fetched, what it may cost, and what more of a crawl would bring.

::

    registry   strategies by name; ``forms`` sets up those of the papers
      orders       bfs, dfs, random
      site_first   one web site after the other
      best_first   best-first, best-n-first, shark-search
      gatherer     TH-Gatherer's strategies, by ``measures``; ``second_order`` is average-2 to the letter
      tunnel, mix  through poor pages to good ones: as published, and with learned weights
      learning/    the default: what pages turn out to be tells what their links promise
      traces/      what people's traces say of a page: the orders traces and combined, and learning with traces
    costs      what a page costs, by the site log
    forecaster what the next fetches may bring; ``calibration`` and ``backtest`` keep it honest

``memory``, ``rerank``, ``quantiles`` and ``regression`` serve the strategies. All strategies stand behind the port in
``model/strategy.py`` and pass one contract suite, ``dowse.testing``.
"""

from dowse.predict.costs import Costs, Exchanged, SiteLog
from dowse.predict.registry import (
    NEED_TRACES,
    STRATEGIES,
    block_rule,
    build_strategy,
    check_maximise,
    describe,
    parameter_value,
    parameters,
    split_strategy,
)

__all__ = [
    "NEED_TRACES",
    "STRATEGIES",
    "Costs",
    "Exchanged",
    "SiteLog",
    "block_rule",
    "build_strategy",
    "check_maximise",
    "describe",
    "parameter_value",
    "parameters",
    "split_strategy",
]
