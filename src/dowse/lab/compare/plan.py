"""What is compared: strategies on topics from sets of seeds, within a budget."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dowse.engine.assembly.learned import traces_for
from dowse.judge import check_weighting
from dowse.lab.compare.run_results import Kind
from dowse.lab.compare.shard_choice import sharing_of, without_sharing
from dowse.lab.corpus.topics import KINDS
from dowse.lab.people.own_log import OWN, PEOPLE, parse_cut
from dowse.model.errors import UserError
from dowse.model.topic import StrategyChoice
from dowse.model.topicfile import COST_FORMS, MAXIMISE
from dowse.model.traces import Traces
from dowse.predict import NEED_TRACES, build_strategy, check_maximise, split_strategy

__all__ = [
    "BASELINES", "DEFAULT", "ORACLES", "REFERENCES", "SPEEDS", "Plan", "budget_requests", "kind_of", "parse_strategy",
    "with_default", "with_references",
]  # fmt: skip

BASELINES = ("bfs", "random")
ORACLES = ("oracle-path", "oracle-greedy", "knapsack")
REFERENCES = (*BASELINES, *ORACLES)
"""Part of every comparison: crawls that know nothing, and orders that know every page beforehand."""

DEFAULT = StrategyChoice().name
"""The strategy of a crawl that names none: part of a comparison unless it is left out."""

SPEEDS = ("even", "uneven")
"""How quick sites are whose times were not recorded: all alike, or each in its own way."""

_UNASKED = (DEFAULT, "best-first")  # compared where no strategy is named

_PERCENT = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*%")
_REQUESTS = re.compile(r"([0-9]+)\s*r?")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is run on every topic of a comparison. Two equal plans on equal corpora give equal results."""

    strategies: tuple[str, ...]
    budget: str = "20%"  # of the corpus' pages, or a number of requests
    seeds_kind: str = "near"
    seed_sets: int = 3
    seeds: int = 3  # pages a set
    examples: int = 8
    min_pages: int = 40
    seed_number: int = 0
    query: bool = True  # the crawler is told the label's name, besides the examples
    inside: bool = False  # links that leave the frozen set are not followed
    weighting: str = "log"  # of the judge's terms
    by_query: bool = False  # the crawler is told the label's name alone: examples are seeds, and nothing else
    cost: str = "robust"  # the form of what efficiency divides by, and of what the figures of value charge
    speeds: str = "even"  # of sites whose times were not recorded; "uneven": each has its own
    traces_until: str = "50%"  # where the corpus' own traces, or simulated ones, are cut: what a crawl may know

    def __post_init__(self) -> None:
        if not self.strategies:
            raise UserError("there is nothing to compare: name a strategy")
        for text in self.strategies:
            if text not in REFERENCES:  # a wrong one is told now, not after an hour
                sharing_of(text)
                choice = parse_strategy(without_sharing(text))
                people = Traces.none() if choice.traces in PEOPLE else traces_for(choice)  # a corpus has those
                check_maximise(choice, build_strategy(choice, seed_number=0, traces=people))
        check_weighting(self.weighting)
        _parse_budget(self.budget)
        parse_cut(self.traces_until)
        if self.seeds_kind not in KINDS:
            raise UserError(f"seeds are {', '.join(KINDS[:-1])} or {KINDS[-1]}, not {self.seeds_kind!r}")
        _check_choice("cost", self.cost, COST_FORMS)
        _check_choice("speeds", self.speeds, SPEEDS)
        for name in ("seed_sets", "seeds", "min_pages"):
            if getattr(self, name) < 1:
                raise UserError(f"{name.replace('_', '-')} is at least 1")
        if self.examples < 0 or not (self.query or (self.examples and not self.by_query)):
            raise UserError("the crawler must be told something: give examples, or the label's name as its query")


def _check_choice(name: str, chosen: str, choices: Sequence[str]) -> None:
    if chosen not in choices:
        raise UserError(f"{name} is {' or '.join(choices)}, not {chosen!r}")


def with_default(named: Sequence[str] | None) -> tuple[str, ...]:
    """The strategies to compare: those that were named and the default one, once.

    >>> with_default(["dfs", "bfs"]), with_default(["learning", "dfs"]), with_default(None)
    (('dfs', 'bfs', 'learning'), ('learning', 'dfs'), ('learning', 'best-first'))
    """
    return tuple(dict.fromkeys((*named, DEFAULT))) if named else _UNASKED


def with_references(plan: Plan) -> Plan:
    """The plan with all references in front of its strategies."""
    return replace(plan, strategies=tuple(dict.fromkeys((*REFERENCES, *plan.strategies))))


def kind_of(strategy: str) -> Kind:
    """
    >>> kind_of("oracle-path"), kind_of("bfs"), kind_of("best-first")
    ('oracle', 'baseline', 'strategy')
    """
    return "oracle" if strategy in ORACLES else "baseline" if strategy in BASELINES else "strategy"


def parse_strategy(text: str) -> StrategyChoice:
    """A strategy with its parameters, as ``name`` or ``name:key=value,key=value``; ``maximise``, ``min_priority``
    and ``traces`` may be among them: a folder, ``own`` (the corpus' log, which those that need traces go by unless they
    are told otherwise) or ``simulated``.

    >>> parse_strategy("weighted:a=0.4,b=0.2")  # doctest: +NORMALIZE_WHITESPACE
    StrategyChoice(name='weighted', params={'a': 0.4, 'b': 0.2}, maximise='value', learn_from=(), traces='',
                   min_priority=None)
    """
    name, params = split_strategy(text)
    maximise, lowest = params.pop("maximise", "value"), params.pop("min_priority", None)
    if maximise not in MAXIMISE:
        raise UserError(f"{text!r}: maximise is {' or '.join(MAXIMISE)}")
    if lowest is not None and (isinstance(lowest, bool) or not isinstance(lowest, int | float)):
        raise UserError(f"{text!r}: min_priority is a number")
    traces = str(params.pop("traces", OWN if name in NEED_TRACES else ""))
    return StrategyChoice(name, params, maximise, traces=traces, min_priority=lowest)


def budget_requests(text: str, pages: int) -> int:
    """Requests of ``20%`` (of the corpus' pages) or ``900r``.

    >>> budget_requests("20%", 4604), budget_requests("900r", 4604)
    (921, 900)
    """
    amount, of_pages = _parse_budget(text)
    requests = round(amount / 100 * pages) if of_pages else int(amount)
    if requests < 1:
        raise UserError(f"{text!r} is no budget for the lab: of {pages:,} pages that is less than one request")
    return requests


def _parse_budget(text: str) -> tuple[float, bool]:
    """The number, and whether it is a percentage of the pages."""
    share, number = _PERCENT.fullmatch(text.strip()), _REQUESTS.fullmatch(text.strip())
    found = share or number
    if found is None or not 0 < float(found[1]) < math.inf:
        raise UserError(f"{text!r} is no budget for the lab: write 20% (of the pages) or 900r (requests), above 0")
    return float(found[1]), share is not None
