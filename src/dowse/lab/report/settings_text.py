"""The settings of a crawl as lines a person can read: near TOML, long values cut, passwords left out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from dowse.lab.html_markup import clip

__all__ = ["subject_of", "toml_like"]

_ITEMS = 12
_CHARS = 160
_LINES = 400
_CREDENTIALS = re.compile(r"(?<=://)[^/?#\s]*@")  # of a proxy, say


def subject_of(topic: Mapping[str, Any]) -> str:
    """What a crawl looks for, from the topic of its settings: the query, else the predicate, else nothing.

    >>> subject_of({"query": "solar"}), subject_of({"query": "", "predicate": {"text": 'word("solar")'}})
    ('solar', 'word("solar")')
    """
    predicate = topic.get("predicate") or ""
    if isinstance(predicate, dict):  # as a file or a flag had it, or the name of a function
        predicate = predicate.get("text") or predicate.get("name") or ""
    return str(topic.get("query") or "") or " ".join(str(predicate).split())


def toml_like(settings: Mapping[str, Any]) -> list[list[str]]:
    """The lines of each table, the top level first; None and what is empty is left out.

    >>> toml_like({"query": "solar", "scope": {"reach": "any", "traps": {"session_ids": True}}, "out": None})
    [['query = "solar"'], ['[scope]', 'reach = "any"'], ['[scope.traps]', 'session_ids = true']]
    """
    tables: list[list[str]] = []
    _collect("", settings, tables)
    kept: list[list[str]] = []
    lines = 0
    for table in tables:
        lines += len(table)
        if lines > _LINES:
            return [*kept, ["…"]]
        kept.append(table)
    return kept


def _collect(name: str, values: Mapping[str, Any], tables: list[list[str]]) -> None:
    lines = [
        f"{clip(str(key), 60)} = {_value(value)}"
        for key, value in values.items()
        if not isinstance(value, dict) and value is not None and value != []
    ]
    if lines:
        tables.append([f"[{clip(name, 80)}]", *lines] if name else lines)
    for key, value in values.items():
        if isinstance(value, dict):
            _collect(f"{name}.{key}" if name else str(key), value, tables)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(clip(_CREDENTIALS.sub("…@", value), _CHARS), ensure_ascii=False)
    if isinstance(value, (list, tuple)):
        shown = [_value(item) for item in value[:_ITEMS]]
        more = [f"… {len(value) - _ITEMS:,} more"] if len(value) > _ITEMS else []
        return f"[{', '.join(shown + more)}]"
    if isinstance(value, dict):
        pairs = (f"{clip(str(key), 60)} = {_value(part)}" for key, part in value.items() if part is not None)
        return f"{{ {', '.join(pairs)} }}"
    return json.dumps(value)
