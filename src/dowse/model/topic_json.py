"""A topic as JSON and back, exactly: a crawl's folder keeps its settings this way."""

from __future__ import annotations

from dataclasses import asdict, fields, is_dataclass, replace
from typing import Any, get_args, get_origin, get_type_hints

from dowse.model.errors import TopicError
from dowse.model.topic import Expression, FunctionName, Topic

__all__ = ["function_name", "predicate_text", "topic_from_json", "topic_to_json"]


def topic_to_json(topic: Topic) -> dict[str, Any]:
    """Plain JSON values; :func:`topic_from_json` gives an equal topic back, but of a predicate that is a function only
    its name."""
    predicate = topic.predicate
    if callable(predicate):
        predicate = FunctionName(function_name(predicate))
    plain: dict[str, Any] = _plain(asdict(replace(topic, predicate=predicate)))
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
        topic: Topic = _revive(Topic, data)
        saved: Any = topic.predicate
        if isinstance(saved, dict):
            topic = replace(topic, predicate=_revive(FunctionName if "name" in saved else Expression, saved))
    except (TypeError, AttributeError, ValueError) as error:
        raise TopicError(f"these are not the settings of a crawl: {error}") from None
    return topic


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def _revive(hint: Any, value: Any) -> Any:
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        unknown = set(value) - {field.name for field in fields(hint)}
        if unknown:
            raise ValueError(f"unknown setting {min(unknown)!r}")
        make: Any = hint
        return make(**{name: _revive(hints[name], item) for name, item in value.items()})
    if get_origin(hint) is tuple:
        if not isinstance(value, list):
            raise TypeError(f"a list was expected, not {value!r}")
        return tuple(_revive(get_args(hint)[0], item) for item in value)
    return value
