"""A topic as JSON and back, exactly: a crawl's folder keeps its settings this way."""

from __future__ import annotations

from dataclasses import asdict, fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

from dowse.model.errors import TopicError
from dowse.model.topic import Topic

__all__ = ["topic_from_json", "topic_to_json"]


def topic_to_json(topic: Topic) -> dict[str, Any]:
    """Plain JSON values; :func:`topic_from_json` gives an equal topic back."""
    plain: dict[str, Any] = _plain(asdict(topic))
    return plain


def topic_from_json(data: dict[str, Any]) -> Topic:
    """Take up saved settings. A setting that is missing (saved by an older version) has its default."""
    try:
        topic: Topic = _revive(Topic, data)
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
