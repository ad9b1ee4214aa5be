"""Statistics as a file: open data, JSON, perhaps compressed; ``docs/learning.md`` describes it.

Whatever such a file may hold, reading it runs no code, takes bounded memory, and ends in a value or in a TopicError of
one line.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dowse.model.errors import TopicError
from dowse.model.files import read_limited
from dowse.predict.learning.statistics import Mix, Statistics, Sums

__all__ = ["FORMAT", "VERSION", "read_statistics", "statistics_bytes", "statistics_of_bytes"]

FORMAT = "dowse statistics"
VERSION = 1
_LARGEST_FILE = 256_000_000  # once uncompressed
_MOST_KEYS = 1 << 21
_MOST_FEATURES = 256
_LONGEST_NAME = 300
_GREATEST = 1e12  # of a number: so that no sum of them leaves the floats
_ROUNDING = 1e-6
_GZIP = b"\x1f\x8b"


def statistics_bytes(statistics: Statistics, *, compressed: bool = False) -> bytes:
    """The content of a file."""
    head = {
        "format": FORMAT, "version": VERSION, "pages": statistics.pages, "value": statistics.value,
        "hosts": {host: list(sums) for host, sums in sorted(statistics.hosts.items())},
        "mix": [
            {"features": list(names), "examples": mix.examples, "targets": mix.targets.tolist(),
             "products": mix.products.tolist()}
            for names, mix in sorted(statistics.mixes.items())
        ],
    }  # fmt: skip
    lines = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
    lines += [
        f'"tokens": {_table(statistics.tokens, statistics.token_names)}',
        f'"words": {_table(statistics.words, statistics.word_names)}',
        f'"off": {{"pages": {json.dumps(statistics.off_pages)}, "words": {_table(statistics.off_words, {})}}}',
    ]
    data = ("{\n" + ",\n".join(lines) + "\n}\n").encode("utf-8", "surrogatepass")
    return gzip.compress(data, mtime=0) if compressed else data


def _table(counted: Sums, names: Mapping[int, str]) -> str:
    """An object, a line a key."""
    return "{\n" + ",\n".join(_rows(counted, names)) + "\n}"


def _rows(counted: Sums, names: Mapping[int, str]) -> Iterator[str]:
    for key, sums in zip(counted.keys.tolist(), counted.sums.tolist(), strict=True):
        told = [*sums, names[key]] if key in names else sums
        yield f'"{key}": {json.dumps(told, ensure_ascii=False)}'


def read_statistics(path: Path) -> Statistics:
    """Read a file; TopicError when there is none, or none that this version of Dowse can use."""
    data = read_limited(path, _LARGEST_FILE, "statistics")
    try:
        return statistics_of_bytes(data)
    except TopicError as error:
        raise TopicError(error.message, source=str(path)) from None


def statistics_of_bytes(data: bytes) -> Statistics:
    """The content of a file as a value. Raises TopicError."""
    data = _plain(data)
    if len(data) > _LARGEST_FILE:
        raise TopicError("is too large for statistics")
    try:
        whole = json.loads(data, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise TopicError("holds no statistics: it is not JSON, or was cut") from None
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        raise TopicError(f'holds no statistics: it does not say "format": "{FORMAT}"')
    version = _number(whole.get("version"), "version", 1)
    if version > VERSION:
        raise TopicError(f"was made by a newer Dowse (format {version:g}, this one reads {VERSION}): upgrade Dowse")
    off = _object(whole.get("off"), "off")
    tokens, token_names = _counted(whole.get("tokens"), "tokens")
    words, word_names = _counted(whole.get("words"), "words")
    off_words, _ = _counted(off.get("words"), "off.words", 3)
    pages, value = _pair([whole.get("pages"), whole.get("value")], "pages")
    return Statistics(
        pages, value, tokens, words, _hosts(whole.get("hosts")), _number(off.get("pages"), "off.pages"), off_words,
        _mixes(whole.get("mix")), token_names, word_names,
    )  # fmt: skip


def _plain(data: bytes) -> bytes:
    if not data.startswith(_GZIP):
        return data
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data, _LARGEST_FILE + 1)
    except zlib.error:
        raise TopicError("holds no statistics: its compression is damaged") from None


def _refuse(name: str) -> float:
    raise ValueError(name)  # NaN and the infinities, which JSON does not know


def _counted(found: Any, what: str, columns: int = 2) -> tuple[Sums, dict[int, str]]:
    rows = _object(found, what)
    keys = np.fromiter((_key(key, what) for key in rows), np.uint32, len(rows))
    sums = np.zeros((len(rows), columns))
    names = {}
    for place, row in enumerate(rows.values()):
        if not isinstance(row, list) or len(row) not in (columns, columns + 1):
            raise _damage(what)
        sums[place] = _sums(row[:columns], what)
        if len(row) > columns:
            names[int(keys[place])] = _text(row[columns], what)
    if len(np.unique(keys)) < len(keys):
        raise TopicError(f"is damaged: a key of {what} stands there twice")
    return Sums.of(keys, sums), names


def _key(text: str, what: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and int(text) < 1 << 32):
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


def _hosts(found: Any) -> dict[str, tuple[float, float]]:
    return {_text(host, "hosts"): _pair(sums, "hosts") for host, sums in _object(found, "hosts").items()}


def _mixes(found: Any) -> dict[tuple[str, ...], Mix]:
    if not isinstance(found, list) or len(found) > _MOST_FEATURES:
        raise _damage("mix")
    mixes = {}
    for one in found:
        parts = _object(one, "mix")
        names = parts.get("features")
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
        mixes[tuple(_text(name, "mix") for name in names)] = mix
    return mixes


def _vector(found: Any, size: int) -> list[float]:
    if not isinstance(found, list) or len(found) != size:
        raise _damage("mix")
    return [_number(value, "mix", -_GREATEST) for value in found]


def _object(found: Any, what: str) -> dict[str, Any]:
    if not isinstance(found, dict) or len(found) > _MOST_KEYS:
        raise _damage(what)
    return found


def _text(found: Any, what: str) -> str:
    if not isinstance(found, str) or not 0 < len(found) <= _LONGEST_NAME:
        raise _damage(what)
    return found


def _number(found: Any, what: str, low: float = 0.0) -> float:
    if isinstance(found, bool) or not isinstance(found, int | float) or not low <= found <= _GREATEST:
        raise TopicError(f"is damaged: {what} holds something that is no number from {low:g} to {_GREATEST:g}")
    return float(found)


def _damage(what: str) -> TopicError:
    return TopicError(f"is damaged: {what} is missing or of the wrong kind")
