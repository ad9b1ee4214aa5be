"""Objects as lines of JSON: one an object as a page states it, or one a distinct object."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dowse.model.errors import UserError
from dowse.model.normal.texts import storable
from dowse.model.objects import DistinctObject, FoundObject, Value
from dowse.model.shown import json_line

__all__ = ["distinct_line", "found_line", "read_found"]

_LONGEST = 1_000_000  # bytes of a line


def found_line(found: FoundObject) -> str:
    """One line, without its end.

    >>> found_line(FoundObject("Event", {"name": "Jazz"}, "https://e.org/", "json-ld"))
    '{"kind": "Event", "fields": {"name": "Jazz"}, "url": "https://e.org/", "source": "json-ld"}'
    """
    return json_line({"kind": found.kind, "fields": found.fields, "url": found.url, "source": found.source})


def distinct_line(one: DistinctObject) -> str:
    """One line, without its end."""
    return json_line({"kind": one.kind, "fields": one.fields, "sources": list(one.sources)})


def read_found(path: Path) -> Iterator[FoundObject]:
    """The objects of a file, line by line, as pages state them. UserError names the line that is none."""
    try:
        with path.open("rb") as stream:
            number = 0
            while line := stream.readline(_LONGEST + 1):
                number += 1
                if line.strip():
                    yield _read(line, path, number)
    except OSError as error:
        raise UserError(f"cannot read {path}: {(error.strerror or 'unreadable').lower()}") from None


def _read(line: bytes, path: Path, number: int) -> FoundObject:
    def wrong(why: str) -> UserError:
        return UserError(f"{path}:{number}: {why}")

    if len(line) > _LONGEST:
        raise wrong("a line has at most a million bytes")
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise wrong('no JSON: an object is a line such as {"kind": "Event", "fields": {...}, "url": "..."}') from None
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str) or not value["kind"]:
        raise wrong('an object needs a "kind", such as "Event"')
    if not isinstance(value.get("fields"), dict) or not isinstance(value.get("url"), str):
        raise wrong('an object needs "fields" with its values, and the "url" of its page')
    fields = {storable(name): kept for name, own in value["fields"].items() if (kept := _value(own)) is not None}
    source = value.get("source")
    return FoundObject(
        storable(value["kind"]), fields, storable(value["url"]), storable(source) if isinstance(source, str) else ""
    )


def _value(own: Any) -> Value | None:
    if isinstance(own, str):
        return storable(own)
    if isinstance(own, bool):
        return own
    if isinstance(own, (int, float)):
        try:
            number = float(own)
        except OverflowError:
            return None
        return number if math.isfinite(number) else None
    return None
