"""Statistics as text: open data, JSON, perhaps compressed; ``docs/learning.md`` describes it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping

from dowse.predict.learning.events import Events
from dowse.predict.learning.readers import Readers
from dowse.predict.learning.statistics import Statistics, Sums

__all__ = ["FORMAT", "VERSION", "statistics_bytes"]

FORMAT = "dowse statistics"
VERSION = 3
"""Of files with people; those with events are of version 2 and others of version 1, which earlier versions read."""


def statistics_bytes(statistics: Statistics, *, compressed: bool = False) -> bytes:
    """The content of a file."""
    head = {
        "format": FORMAT, "version": _version(statistics), "pages": statistics.pages,
        "value": statistics.value,
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
    ]
    if statistics.events:
        forms = (f'"{form}": {_events(events, statistics)}' for form, events in sorted(statistics.events.items()))
        lines.append(f'"interest": {{{", ".join(forms)}}}')
    if statistics.crawls:
        told = {own: [crawl.pages, crawl.name] for own, crawl in sorted(statistics.crawls.items())}
        lines.append(f'"crawls": {json.dumps(told, ensure_ascii=False)}')
    if statistics.people:
        keys = (f"{json.dumps(key)}: {_readers(readers)}" for key, readers in sorted(statistics.people.items()))
        lines.append(f'"people": {{{", ".join(keys)}}}')
    data = ("{\n" + ",\n".join(lines) + "\n}\n").encode("utf-8", "surrogatepass")
    return gzip.compress(data, mtime=0) if compressed else data


def _version(statistics: Statistics) -> int:
    return VERSION if statistics.people else 2 if statistics.events else 1


def _readers(readers: Readers) -> str:
    head = json.dumps({"pages": readers.pages, "satisfying": readers.satisfying})
    return f'{head[:-1]}, "users": {_table(readers.users, {})}}}'


def _events(events: Events, statistics: Statistics) -> str:
    head = json.dumps({"pages": events.pages, "satisfying": events.satisfying, "pairs": events.pairs})
    tokens, words = _table(events.tokens, statistics.token_names), _table(events.words, statistics.word_names)
    return f'{head[:-1]}, "tokens": {tokens}, "words": {words}}}'


def _table(counted: Sums, names: Mapping[int, str]) -> str:
    """An object, a line a key."""
    return "{\n" + ",\n".join(_rows(counted, names)) + "\n}"


def _rows(counted: Sums, names: Mapping[int, str]) -> Iterator[str]:
    for key, sums in zip(counted.keys.tolist(), counted.sums.tolist(), strict=True):
        told = [*sums, names[key]] if key in names else sums
        yield f'"{key}": {json.dumps(told, ensure_ascii=False)}'
