"""A topic as JSON and back, exactly: a crawl's folder keeps its settings this way."""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from math import inf
from typing import Any

from dowse.model.errors import TopicError
from dowse.model.proxy_login import without_login
from dowse.model.revive import revived
from dowse.model.topic import Expression, FunctionName, Topic

__all__ = ["function_name", "predicate_text", "topic_from_json", "topic_to_json"]

_GREATEST = 1e15


def topic_to_json(topic: Topic) -> dict[str, Any]:
    """Plain JSON values; :func:`topic_from_json` gives an equal topic back, but of a predicate that is a function only
    its name, and of a proxy not its login: this is written down where others may read it."""
    predicate = topic.predicate
    if callable(predicate):
        predicate = FunctionName(function_name(predicate))
    plain: dict[str, Any] = _plain(asdict(replace(topic, predicate=predicate)))
    if topic.network.proxy is not None:
        plain["network"]["proxy"] = without_login(topic.network.proxy)
    return plain


def function_name(function: Any) -> str:
    """``module.name`` of a function; of another callable, of its class."""
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}.{named.__qualname__}"


def predicate_text(topic: Topic) -> str:
    """The topic's predicate for a person to read, on one line; empty where there is none."""
    predicate = topic.predicate
    if predicate is None or isinstance(predicate, str):
        text = predicate or ""
    elif isinstance(predicate, Expression):
        text = predicate.text
    else:
        text = predicate.name if isinstance(predicate, FunctionName) else function_name(predicate)
    return " ".join(text.split())


def topic_from_json(data: dict[str, Any]) -> Topic:
    """Take up saved settings. A setting that is missing (saved by an older version) has its default."""
    try:
        if not isinstance(data, dict):
            raise TypeError("there is no table of them")
        saved = data.get("predicate")
        topic: Topic = revived(Topic, {key: value for key, value in data.items() if key != "predicate"})
        if isinstance(saved, dict):
            saved = revived(FunctionName if "name" in saved else Expression, saved)
        elif not isinstance(saved, str | None):
            raise TypeError("the predicate is of the wrong kind")
        _check_ranges(topic)
    except (TypeError, AttributeError, ValueError, RecursionError) as error:
        raise TopicError(f"these are not the settings of a crawl: {error}") from None
    return replace(topic, predicate=saved)


def _check_ranges(topic: Topic) -> None:
    """What a topic file cannot say, a stranger's settings must not: no limit, delay or budget is below 0."""
    parts = (
        topic.politeness, topic.limits, topic.network, topic.cost, topic.cache, topic.budget, topic.target, topic.scope,
        topic.scope.traps,
    )  # fmt: skip
    for part in parts:
        for field in fields(part):
            value = getattr(part, field.name)
            if isinstance(value, int | float) and not (0 <= value <= _GREATEST or value == inf):
                raise ValueError(f"{field.name} is not from 0 to {_GREATEST:g}")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
