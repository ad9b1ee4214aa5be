"""JSON-LD: scripts of JSON, read as items. Contexts are not looked up: schema.org's names are what they are."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from dowse.model.normal.texts import storable
from dowse.parse.objects.items import MOST_TEXT, Item, bare

__all__ = ["json_ld_items"]

_MOST_SCRIPTS = 100
_LONGEST_SCRIPT = 1_000_000  # characters
_MOST_VALUES = 100_000  # looked at in one script
_BEFORE = ("<!--", "//<![CDATA[", "/*<![CDATA[*/", "<![CDATA[")
_BEHIND = ("-->", "//]]>", "/*]]>*/", "]]>", ";")
_Waiting = tuple[Any, Item | None, str]  # a value, the item it tells of, and how
_WRAPPED = ("@value", "@list", "@set")


def json_ld_items(scripts: Sequence[str]) -> list[Item]:
    """Every item with a type, however deep, in document order; and those without that are mentioned by their ids. What
    is too long, or no JSON, is passed over."""
    found: list[Item] = []
    room = MOST_TEXT
    for script in scripts[:_MOST_SCRIPTS]:
        room -= len(script)
        if room < 0:
            break
        if len(script) <= _LONGEST_SCRIPT:
            found += _items(script)
    return found


def _items(script: str) -> list[Item]:
    try:
        whole = json.loads(_unwrapped(script), strict=False, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return []
    found: list[Item] = []
    waiting: list[_Waiting] = [(whole, None, "")]
    looked = 0
    while waiting and looked < _MOST_VALUES:
        looked += 1
        value, owner, name = waiting.pop()
        if isinstance(value, list):
            waiting += [(one, owner, name) for one in reversed(value[:_MOST_VALUES])]
        elif isinstance(value, dict):
            wrapped = next((value[key] for key in _WRAPPED if key in value), None)
            if wrapped is not None:
                waiting.append((wrapped, owner, name))
            else:
                waiting += _read(value, owner, name, found)
        elif owner is not None and value is not None and (kept := _scalar(value)) is not None:
            owner.add(name, kept)
    return found


def _read(value: dict[str, Any], owner: Item | None, name: str, found: list[Item]) -> list[_Waiting]:
    """Make an item of an object, and give what it is told by, last first."""
    named = value.get("@type")
    own_id = value.get("@id")
    item = Item("json-ld", id=storable(own_id) if isinstance(own_id, str) else "")
    item.typed([storable(one) for one in (named if isinstance(named, list) else [named]) if isinstance(one, str)])
    if item.types or item.id:
        found.append(item)
    if owner is not None:
        owner.add(name, item)
    below: list[_Waiting] = []
    for key, inner in value.items():
        if not key.startswith("@"):
            below.append((inner, item if item.types or item.id or owner is not None else None, bare(key)))
        elif isinstance(inner, (dict, list)) and key != "@context":
            below.append((inner, None, ""))
    below.reverse()
    return below


def _scalar(value: Any) -> str | float | bool | None:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, bool):
        return value
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _unwrapped(script: str) -> str:
    """Without the marks by which old browsers and XML parsers were kept from reading it."""
    script = script.strip()
    for mark in _BEFORE:
        script = script.removeprefix(mark).lstrip()
    for mark in _BEHIND:
        script = script.removesuffix(mark).rstrip()
    return script
