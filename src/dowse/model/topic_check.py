"""The rules of topic files, for topics that were made in Python or laid together from flags: one set for all.

Each value goes through the reader that the topic file has for its key (``model.topic_keys``). What a file may write in
other words (``"30m"``, ``"20MB"``) a topic holds as a number. Whether files are there is found out by whoever opens
them: a crawl that is resumed does without some.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dowse.model.budget import Budget
from dowse.model.document_kinds import kind_of
from dowse.model.errors import TopicError
from dowse.model.topic import (
    Cache,
    Cost,
    Example,
    Find,
    JudgeSettings,
    Keyword,
    Limits,
    Network,
    Politeness,
    Publish,
    Scope,
    Seeds,
    StrategyChoice,
    Target,
    Topic,
    Traps,
)
from dowse.model.topic_fields import Fault, keywords, shown, text
from dowse.model.topic_keys import Keys, topic_keys

__all__ = ["at_odds", "check_topic"]

_PARTS: dict[str, type] = {
    "seeds": Seeds, "find": Find, "scope": Scope, "scope.traps": Traps, "judge": JudgeSettings,
    "strategy": StrategyChoice, "cost": Cost, "budget": Budget, "target": Target, "politeness": Politeness,
    "limits": Limits, "network": Network, "cache": Cache,
    "publish": Publish,
}  # fmt: skip
_ELSEWHERE = ("keywords", "predicate")  # are no plain values in Python: keywords are checked below, a predicate is read


def check_topic(topic: Topic) -> None:
    """Raise a TopicError that names the field which no topic file could have set so, or which is of another type."""
    tables = topic_keys(None)
    _check_fields(topic, "", {key: own for key, own in tables[""].items() if key not in _ELSEWHERE})
    _check_keywords(topic.keywords)
    _check_examples(topic.examples)
    for name, kind in _PARTS.items():
        part: Any = topic
        for attribute in name.split("."):
            part = getattr(part, attribute)
        if not isinstance(part, kind):
            raise TopicError(f"must be a {kind.__name__}, not {shown(part)}", key=name)
        _check_fields(part, name, tables[name])
    _check_params(topic.strategy.params)
    for (table, key), message in at_odds(topic):
        raise TopicError(message, key=f"{table}.{tables[table][key][0]}")


def at_odds(topic: Topic) -> Iterator[tuple[tuple[str, str], str]]:
    """Keys whose values do not go together, and why."""
    if topic.politeness.delay_s > topic.politeness.max_delay_s:
        yield ("politeness", "delay"), f"is longer than max_delay ({topic.politeness.max_delay_s:g}s)"
    if topic.cost.min_s > topic.cost.max_s:
        yield ("cost", "min"), f"is longer than max ({topic.cost.max_s:g}s)"
    document = next((name for name in topic.scope.content_types or () if kind_of(name.lower())), None)
    if document is not None and not topic.scope.documents:
        yield ("scope", "content_types"), f"has {document}, and documents = false: leave one of them out"


def _check_fields(part: Any, table: str, keys: Keys) -> None:
    for attribute, read in keys.values():
        value = getattr(part, attribute)
        if value is None and type(part)().__getattribute__(attribute) is None:
            continue
        try:
            found = read(list(value) if isinstance(value, tuple) else value)
            if isinstance(value, str) and not isinstance(found, str):
                raise Fault(f"must be a number, not {shown(value)}")
        except Fault as fault:
            raise TopicError(fault.message, key=".".join(filter(None, (table, attribute)))) from None


def _check_keywords(found: Any) -> None:
    for keyword in _all_of(Keyword, found, "keywords"):
        try:
            own = {text(keyword.text): keyword.weight}
            keywords({text(keyword.language): own} if keyword.language else own)
        except Fault as fault:
            raise TopicError(fault.message, key="keywords") from None


def _check_examples(found: Any) -> None:
    for example in _all_of(Example, found, "examples"):
        if not isinstance(example.source, str):
            raise TopicError(f"source must be a string, not {shown(example.source)}", key="examples")
        if not isinstance(example.positive, bool):  # "no" would count as an example of the topic
            raise TopicError(f"positive must be true or false, not {shown(example.positive)}", key="examples")


def _all_of(kind: type, found: Any, key: str) -> list[Any]:
    if not isinstance(found, (tuple, list)):
        raise TopicError(f"must be a tuple of {kind.__name__}, not {shown(found)}", key=key)
    for value in found:
        if not isinstance(value, kind):
            raise TopicError(f"must be a tuple of {kind.__name__}, and holds {shown(value)}", key=key)
    return list(found)


def _check_params(params: Any) -> None:
    if not isinstance(params, dict):
        raise TopicError(f"must be a dict, not {shown(params)}", key="strategy.params")
    for name, value in params.items():
        if not isinstance(name, str) or not isinstance(value, (str, int, float)):
            raise TopicError(
                f"must be a number, a string or a boolean, not {shown(value)}", key=f"strategy.params.{name}"
            )
