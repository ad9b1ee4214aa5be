"""A topic as JSON and back, exactly: a crawl's folder keeps its settings this way."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from dowse.model.database_url import without_password
from dowse.model.errors import TopicError
from dowse.model.proxy_login import without_login
from dowse.model.revive import revived
from dowse.model.secret_fields import without_secrets
from dowse.model.topic import Expression, FunctionName, Topic
from dowse.model.topic_check import check_topic

__all__ = ["function_name", "predicate_text", "topic_from_json", "topic_name", "topic_to_json"]


def topic_to_json(topic: Topic) -> dict[str, Any]:
    """Plain JSON values; :func:`topic_from_json` gives an equal topic back, but of a predicate that is a function only
    its name, of a proxy not its login, of a database not its password, and no headers and cookies: this is written down
    where others may read it."""
    predicate = topic.predicate
    if callable(predicate):
        predicate = FunctionName(function_name(predicate))
    plain: dict[str, Any] = _plain(asdict(replace(topic, predicate=predicate)))
    plain["network"] = without_secrets(plain["network"])
    if topic.network.proxy is not None:
        plain["network"]["proxy"] = without_login(topic.network.proxy)
    for table, key in (("seeds", "database"), ("publish", "url")):
        if plain[table][key] is not None:
            plain[table][key] = without_password(plain[table][key])
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


def topic_name(topic: Topic) -> str:
    """What to call the topic, on one line: its name, or its query, or its predicate."""
    return " ".join((topic.name or topic.query or predicate_text(topic)).split())


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
        check_topic(topic)
    except (TopicError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise TopicError(f"these are not the settings of a crawl: {error}") from None
    return replace(topic, predicate=saved)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
