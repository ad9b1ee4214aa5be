"""Strategies by name, with the parameters each takes."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from typing import Any

from dowse.model.block_rule import BlockRule
from dowse.model.errors import TopicError
from dowse.model.plugins import Plugin, find_plugins, first_sentence, missing_members
from dowse.model.strategy import CutsPages, Strategy, Subject
from dowse.model.topic import StrategyChoice
from dowse.model.traces import Traces
from dowse.predict import forms
from dowse.predict.best_first import BestFirst, BestNFirst, SharkSearch
from dowse.predict.learning.statistics import Statistics
from dowse.predict.orders import BreadthFirst, DepthFirst, RandomOrder
from dowse.predict.site_first import SiteFirst
from dowse.predict.tunnel import BlackTunnel

__all__ = [
    "NEED_TRACES", "STRATEGIES", "block_rule", "build_strategy", "check_maximise", "describe", "parameter_value",
    "parameters", "split_strategy",
]  # fmt: skip

STRATEGIES: dict[str, Callable[..., Strategy]] = {
    "best-first": BestFirst,
    "bfs": BreadthFirst,
    "dfs": DepthFirst,
    "random": RandomOrder,
    "site-first": SiteFirst,
    "average": forms.average,
    "average-2": forms.average_2,
    "weighted": forms.weighted,
    "link": forms.link,
    "weighted-link": forms.weighted_link,
    "similar-link": forms.similar_link,
    "hybrid": forms.hybrid,
    "tunnel": forms.tunnel,
    "black-tunnel": BlackTunnel,
    "learning": forms.learning,
    "traces": forms.traces,
    "combined": forms.combined,
    "best-n-first": BestNFirst,
    "shark-search": SharkSearch,
}


NEED_TRACES = frozenset(("traces", "combined"))
"""Those that can do nothing without access logs."""


def _truth(value: Any) -> bool:
    if value not in (0, 1):  # as truth values are, too
        raise ValueError
    return bool(value)


_KINDS: dict[str, Callable[[Any], Any]] = {"int": int, "float": float, "str": str, "bool": _truth}
_TAKES = {"int": "a whole number", "float": "a number", "str": "a word", "bool": "true or false"}
_GIVEN = ("seed_number", "subject", "before", "traces")  # come from the topic, not from the strategy's parameters
_CANNOT_REUSE = (
    "strategy {} keeps no statistics, so it cannot start from those of another crawl: choose learning, or leave out"
    " learn_from"
)
_NO_PEOPLE = "strategy {} does not go by people's traces: choose learning, combined or traces, or leave them out"


def _factory(name: str) -> Callable[..., Strategy]:
    """What makes a strategy: Dowse's own, or an installed package's. Raises TopicError."""
    if name in STRATEGIES:
        return STRATEGIES[name]
    added = find_plugins("strategy")
    if name in added:
        return _Added(added[name])
    known = [*STRATEGIES, *added]
    near = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]}? " if near else ""
    raise TopicError(f"no strategy is called {name!r}; {hint}there are {', '.join(sorted(known))}")


class _Added:
    """Makes a strategy that a package adds, and sees to it that it is one."""

    def __init__(self, plugin: Plugin) -> None:
        self._plugin = plugin
        self.made_by = plugin.load()
        try:
            self.__signature__ = inspect.signature(self.made_by)
        except (TypeError, ValueError) as error:
            raise plugin.fault(error) from None

    def __call__(self, **arguments: Any) -> Strategy:
        made: Strategy = self._plugin.make(**arguments)
        missing = missing_members(made, Strategy)
        if missing:
            raise self._plugin.fault(TypeError(f"it has no {', '.join(missing)}"))
        return made


def _parameters(factory: Callable[..., Strategy]) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(factory).parameters)


def build_strategy(
    choice: StrategyChoice, *, seed_number: int, subject: Subject | None = None, before: Statistics | None = None,
    traces: Traces | None = None,
) -> Strategy:  # fmt: skip
    """Make the chosen strategy, which is told of the ``subject`` if it learns from words, and of what was learned
    ``before`` it and of people's ``traces`` if it can use these. TopicError for an unknown name, parameter or a value
    of the wrong type."""
    factory = _factory(choice.name)
    takes = _parameters(factory)
    if choice.learn_from and "before" not in takes:
        raise TopicError(_CANNOT_REUSE.format(choice.name))
    if choice.traces and "traces" not in takes:
        raise TopicError(_NO_PEOPLE.format(choice.name))
    given = {"seed_number": seed_number, "subject": subject or Subject(), "before": before, "traces": traces}
    arguments: dict[str, Any] = {name: value for name, value in given.items() if name in takes}
    open_to_user = [name for name in takes if name not in _GIVEN]
    for name, value in choice.params.items():
        if name not in open_to_user:
            known = ", ".join(open_to_user) or "no parameters"
            raise TopicError(f"strategy {choice.name} has no parameter {name!r}; it takes {known}")
        kind = _kind(takes[name])
        try:
            if isinstance(value, bool) and kind != "bool":
                raise TypeError
            arguments[name] = _KINDS[kind](value)
            if kind == "int" and arguments[name] != float(value):
                raise ValueError
        except (TypeError, ValueError, KeyError, OverflowError):
            takes_what = _TAKES.get(kind, f"a {kind}")
            raise TopicError(
                f"parameter {name!r} of strategy {choice.name} takes {takes_what}, not {value!r}"
            ) from None
    return factory(**arguments)


def _kind(parameter: inspect.Parameter) -> str:
    """A parameter's type, by its default. What depends on another parameter has none: it is a number unless its
    annotation says that it is a switch."""
    if parameter.default is not None:
        return type(parameter.default).__name__
    return "bool" if str(parameter.annotation).startswith("bool") else "float"


def block_rule(strategy: Strategy | StrategyChoice) -> BlockRule:
    """How pages are cut into blocks for a strategy, or for one that was chosen: by the rule as published, unless the
    strategy has its own. So it is for a choice that cannot be made here, whose package is missing."""
    if isinstance(strategy, StrategyChoice):
        try:
            strategy = build_strategy(strategy, seed_number=0)
        except TopicError:
            return BlockRule()
    return strategy.block_rule if isinstance(strategy, CutsPages) else BlockRule()


def check_maximise(choice: StrategyChoice, strategy: Strategy) -> None:
    """TopicError when what is to be maximised does not go with the strategy."""
    if choice.maximise == "efficiency" and not strategy.predicts_value:
        raise TopicError(
            f"strategy {strategy.name} is an order, and has no value that could be set against a cost: to maximise"
            " efficiency choose one that predicts, such as hybrid or best-first"
        )


def parameter_value(text: str) -> Any:
    """A parameter as a user writes it: a truth value, a number, or a word.

    >>> parameter_value("true"), parameter_value("3"), parameter_value("0.5"), parameter_value("link")
    (True, 3, 0.5, 'link')
    """
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def split_strategy(text: str) -> tuple[str, dict[str, Any]]:
    """A strategy's name and parameters, as ``name`` or ``name:key=value,key=value``. Raises TopicError.

    >>> split_strategy("weighted:a=0.4,b=0.2")
    ('weighted', {'a': 0.4, 'b': 0.2})
    """
    name, _, rest = text.partition(":")
    params: dict[str, Any] = {}
    for entry in filter(None, rest.split(",")):
        key, separator, value = entry.partition("=")
        if not separator or not key:
            raise TopicError(f"{text!r} is no strategy: write NAME or NAME:KEY=VALUE,KEY=VALUE")
        params[key.strip()] = parameter_value(value.strip())
    return name.strip(), params


def describe(name: str) -> str:
    """One sentence on a strategy, for help texts."""
    factory = _factory(name)
    return first_sentence(factory.made_by if isinstance(factory, _Added) else factory)


def parameters(name: str) -> dict[str, Any]:
    """The parameters a user may set, with their defaults."""
    return {key: parameter.default for key, parameter in _parameters(_factory(name)).items() if key not in _GIVEN}
