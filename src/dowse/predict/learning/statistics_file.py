"""Reads statistics from a file (see :mod:`~.statistics_text`).

Whatever such a file may hold, reading it runs no code, takes bounded memory, and ends in a value or in a TopicError of
one line.
"""

from __future__ import annotations

import io
import zlib
from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from dowse.model.errors import TopicError
from dowse.model.files import open_plain
from dowse.predict.learning.events import Events
from dowse.predict.learning.json_stream import JsonStream, OtherKind, unpacked
from dowse.predict.learning.readers import Readers
from dowse.predict.learning.statistics import Crawled, Mix, Statistics, Sums
from dowse.predict.learning.statistics_text import FORMAT, VERSION

__all__ = ["read_statistics", "statistics_of_bytes"]

_LARGEST_FILE = 256_000_000  # once uncompressed
_MOST_KEYS, _MOST_HOSTS = 1 << 21, 1 << 20
_MOST_NAMES = 200_000  # each costs ten times what its row does
_MOST_FEATURES, _MOST_MIXES = 256, 16
_MOST_KINDS, _MOST_PEOPLE = 64, 64
_MOST_CRAWLS = 1 << 16
_LONGEST_KEY = 20  # digits
_LONGEST_NAME = 300
_LONGEST_ROW, _LONGEST_MIX = 4_000, 4_000_000  # characters
_TABLES = {"tokens": 2, "words": 2}
_GREATEST = 1e12  # of a number: so that no sum of them leaves the floats
_ROUNDING = 1e-6


def read_statistics(path: Path, *, plain: bool = False) -> Statistics:
    """Read a file; TopicError when there is none, or none that this version of Dowse can use. ``plain``: it stands in a
    crawl's folder, where links are not followed."""
    try:
        with open(open_plain(path) if plain else path, "rb") as stream:
            return _read(stream)
    except OSError as error:
        why = (error.strerror or "unreadable").lower()
        raise TopicError(f"cannot read the statistics: {why}", source=str(path)) from None
    except TopicError as error:
        raise TopicError(error.message, source=str(path)) from None


def statistics_of_bytes(data: bytes) -> Statistics:
    """The content of a file as a value. Raises TopicError."""
    return _read(io.BytesIO(data))


def _read(stream: BinaryIO) -> Statistics:
    try:
        return _statistics(JsonStream(unpacked(stream), _LARGEST_FILE))
    except zlib.error:
        raise TopicError("holds no statistics: its compression is damaged") from None
    except OtherKind:
        raise _foreign() from None
    except OverflowError:
        raise TopicError("is too large for statistics") from None
    except ValueError:
        raise TopicError("holds no statistics: it is not JSON, or was cut") from None


def _statistics(json_text: JsonStream) -> Statistics:
    """Tables are taken up row by row, everything else as it is found."""
    tables: dict[str, _Counted] = {}
    found: dict[str, Any] = {}
    hosts: dict[str, tuple[float, float]] | None = None
    mixes: dict[tuple[str, ...], Mix] | None = None
    counted = _Interest({}, {}, {})
    people: dict[str, Readers] = {}
    crawls: dict[str, Crawled] = {}
    for key in json_text.members():
        if found.get("format", FORMAT) != FORMAT:
            break  # somebody else's file: what it says is of no interest
        try:
            if key in _TABLES:
                tables[key] = _counted(json_text, key, _TABLES[key])
            elif key == "off":
                _pass_over(json_text)  # earlier versions kept words of pages off the topic
            elif key == "hosts":
                hosts = _hosts(json_text)
            elif key == "mix":
                mixes = _mixes(json_text)
            elif key == "interest":
                counted = _interest(json_text)
            elif key == "people":
                people = _people(json_text)
            elif key == "crawls":
                crawls = _crawls(json_text)
            elif len(found) < _MOST_KINDS:
                found[key] = json_text.value(_LONGEST_ROW)
            else:
                raise ValueError("too many parts")
        except OtherKind:
            raise _damage(key) from None
    else:
        json_text.end()
    _check_version(found)
    if hosts is None or mixes is None or len(tables) < len(_TABLES):
        missing = [name for name in _TABLES if name not in tables]
        raise _damage(*(missing or ["mix" if mixes is None else "hosts"])[:1])
    pages, value = _pair([found.get("pages"), found.get("value")], "pages")
    return Statistics(
        pages, value, tables["tokens"].sums, tables["words"].sums, hosts, mixes,
        {**counted.token_names, **tables["tokens"].names}, {**counted.word_names, **tables["words"].names},
        counted.events, people, crawls,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Interest:
    events: dict[str, Events]
    token_names: dict[int, str]
    word_names: dict[int, str]


def _interest(json_text: JsonStream) -> _Interest:
    found = _Interest({}, {}, {})
    for form in json_text.members():
        tables: dict[str, _Counted] = {}
        numbers: dict[str, Any] = {}
        for part in json_text.members():
            if part in _TABLES:
                tables[part] = _counted(json_text, f"interest.{part}")
            elif len(numbers) < _MOST_KINDS:
                numbers[part] = json_text.value(_LONGEST_ROW)
            else:
                raise _damage("interest")
        pairs = numbers.get("pairs")
        if len(tables) < len(_TABLES) or not isinstance(pairs, list) or len(pairs) != 4 or len(found.events) > 8:
            raise _damage("interest")
        f1, f2, f3, f4 = (_number(count, "interest") for count in pairs)
        pages, satisfying = _pair([numbers.get("pages"), numbers.get("satisfying")], "interest")
        found.events[_text(form, "interest")] = Events(
            pages, satisfying, tables["words"].sums, tables["tokens"].sums, (f1, f2, f3, f4)
        )
        found.token_names.update(tables["tokens"].names)
        found.word_names.update(tables["words"].names)
    return found


def _people(json_text: JsonStream) -> dict[str, Readers]:
    """Users by the mark of their key."""
    found: dict[str, Readers] = {}
    for key in json_text.members():
        users: Sums | None = None
        numbers: dict[str, Any] = {}
        for part in json_text.members():
            if part == "users":
                users = _counted(json_text, "people", bits=64).sums
            elif len(numbers) < _MOST_KINDS:
                numbers[part] = json_text.value(_LONGEST_ROW)
        if users is None or len(found) >= _MOST_PEOPLE:
            raise _damage("people")
        pages, satisfying = _pair([numbers.get("pages"), numbers.get("satisfying")], "people")
        if (users.sums[:, 0] > pages * (1 + _ROUNDING) + _ROUNDING).any():  # nobody went to more than all
            raise _damage("people")
        found[_text(key, "people")] = Readers(pages, satisfying, users)
    return found


def _crawls(json_text: JsonStream) -> dict[str, Crawled]:
    found: dict[str, Crawled] = {}
    for own in json_text.members():
        row = json_text.value(_LONGEST_ROW)
        if not isinstance(row, list) or len(row) != 2 or len(found) >= _MOST_CRAWLS:
            raise _damage("crawls")
        found[_text(own, "crawls")] = Crawled(_number(row[0], "crawls"), _text(row[1], "crawls"))
    return found


def _pass_over(json_text: JsonStream) -> None:
    for part in json_text.members():
        if part == "words":
            for _ in json_text.members():
                json_text.value(_LONGEST_ROW)
        else:
            json_text.value(_LONGEST_ROW)


def _check_version(found: dict[str, Any]) -> None:
    if found.get("format") != FORMAT:
        raise _foreign()
    version = _number(found.get("version"), "version", 1)
    if version > VERSION:
        raise TopicError(f"was made by a newer Dowse (format {version:g}, this one reads {VERSION}): upgrade Dowse")


@dataclass(frozen=True, slots=True)
class _Counted:
    sums: Sums
    names: dict[int, str]


def _counted(json_text: JsonStream, what: str, columns: int = 2, bits: int = 32) -> _Counted:
    keys, sums = array("I" if bits == 32 else "Q"), array("d")
    names: dict[int, str] = {}
    for key in json_text.members():
        row = json_text.value(_LONGEST_ROW)
        keys.append(_key(key, what, bits))
        if len(keys) > _MOST_KEYS or not isinstance(row, list) or len(row) not in (columns, columns + 1):
            raise _damage(what)
        sums.extend(_sums(row[:columns], what))
        if len(row) > columns and len(names) < _MOST_NAMES:
            names[keys[-1]] = _text(row[columns], what)
    hashes: NDArray[np.unsignedinteger] = np.frombuffer(keys, f"u{bits // 8}")
    if len(np.unique(hashes)) < len(hashes):
        raise TopicError(f"is damaged: a key of {what} stands there twice")
    return _Counted(Sums.of(hashes, np.frombuffer(sums).reshape(-1, columns)), names)


def _key(text: str, what: str, bits: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST_KEY and int(text) < 1 << bits):
        raise TopicError(f"is damaged: a key of {what} is no hash")
    return int(text)


def _sums(row: list[Any], what: str) -> list[float]:
    found = [_number(value, what) for value in row]
    if any(value > found[0] * (1 + _ROUNDING) + _ROUNDING for value in found):  # none is worth more than 1 a page
        raise _damage(what)
    return found


def _pair(found: Any, what: str) -> tuple[float, float]:
    if not isinstance(found, list) or len(found) != 2:
        raise _damage(what)
    pages, value = _sums(found, what)
    return pages, value


def _hosts(json_text: JsonStream) -> dict[str, tuple[float, float]]:
    found: dict[str, tuple[float, float]] = {}
    for host in json_text.members():
        found[_text(host, "hosts")] = _pair(json_text.value(_LONGEST_ROW), "hosts")
        if len(found) > _MOST_HOSTS:
            raise _damage("hosts")
    return found


def _mixes(json_text: JsonStream) -> dict[tuple[str, ...], Mix]:
    mixes: dict[tuple[str, ...], Mix] = {}
    for _ in json_text.items():
        names, mix = _mix(json_text.value(_LONGEST_MIX))
        mixes[names] = mix
        if len(mixes) > _MOST_MIXES:
            raise _damage("mix")
    return mixes


def _mix(parts: Any) -> tuple[tuple[str, ...], Mix]:
    names = parts.get("features") if isinstance(parts, dict) else None
    if not isinstance(names, list) or not 0 < len(names) <= _MOST_FEATURES:
        raise _damage("mix")
    size = len(names)
    rows = parts.get("products")
    if not isinstance(rows, list) or len(rows) != size:
        raise _damage("mix")
    products = np.array([_vector(row, size) for row in rows])
    if not np.allclose(products, products.T) or (np.diag(products) < 0).any():
        raise _damage("mix")
    mix = Mix(products, np.array(_vector(parts.get("targets"), size)), _number(parts.get("examples"), "mix"))
    return tuple(_text(name, "mix") for name in names), mix


def _vector(found: Any, size: int) -> list[float]:
    if not isinstance(found, list) or len(found) != size:
        raise _damage("mix")
    return [_number(value, "mix", -_GREATEST) for value in found]


def _text(found: Any, what: str) -> str:
    if not isinstance(found, str) or not 0 < len(found) <= _LONGEST_NAME:
        raise _damage(what)
    return found


def _number(found: Any, what: str, low: float = 0.0) -> float:
    if isinstance(found, bool) or not isinstance(found, int | float) or not low <= found <= _GREATEST:
        raise TopicError(f"is damaged: {what} holds something that is no number from {low:g} to {_GREATEST:g}")
    return float(found)


def _foreign() -> TopicError:
    return TopicError(f'holds no statistics: it does not say "format": "{FORMAT}"')


def _damage(what: str) -> TopicError:
    return TopicError(f"is damaged: {what} is missing or of the wrong kind")
