"""Nothing counts twice: statistics that are to be added up must be of different crawls.

A shard of a crawl is known by the crawl's name, a stroke and its number: two shards are apart, the crawl and a shard of
it are not.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path

from dowse.model.errors import TopicError
from dowse.model.shown import shown
from dowse.predict.learning import Statistics

__all__ = ["check_apart"]

_NAMED = 60  # characters of a crawl's name
_PART = "/"


def check_apart(read: Sequence[tuple[Path, Statistics]]) -> None:
    """TopicError when one crawl has a part in two of them: as it was, as it went on, or together with others."""
    known: dict[Hashable, tuple[Path, Statistics]] = {}
    for one in read:
        place, found = one
        for mark in (("place", place.resolve()), *_figures(found)):
            _check(known.setdefault(mark, one), one)
        for own in found.crawls:
            whole = own.partition(_PART)[0]
            _check(known.setdefault(("crawl", own), one), one)
            _check(known.get(("crawl", whole), one), one)
            if own == whole:
                _check(known.get(("a shard of", whole), one), one)
            else:
                known.setdefault(("a shard of", whole), one)


def _check(before: tuple[Path, Statistics], one: tuple[Path, Statistics]) -> None:
    if before[1] is not one[1]:
        raise TopicError(_told(before, one))


def _figures(found: Statistics) -> Iterator[Hashable]:
    """In files of earlier versions, which name no crawls, the figures alone tell."""
    if found.pages and not found.crawls:
        people = tuple((key, float(own.users.sums.sum())) for key, own in sorted(found.people.items()))
        yield "figures", found.pages, found.value, tuple(sorted(found.hosts.items())) or people


def _is_part(own: str, of: str) -> bool:
    """Is it the same crawl, or a shard of it?"""
    return own == of or own.startswith(of + _PART)


def _told(one: tuple[Path, Statistics], other: tuple[Path, Statistics]) -> str:
    (place, found), (again, more) = one, other
    if place.resolve() == again.resolve():
        return f"{again} is named twice, and its pages would count twice: name it once"
    shared = [own for own in more.crawls if any(_is_part(own, had) or _is_part(had, own) for had in found.crawls)]
    shared.sort(key=lambda own: (-more.crawls[own].pages, own))
    if not shared:
        return f"{again} and {place} are the same crawl: its pages would count twice"
    names = f"the crawl {shown(more.crawls[shared[0]].name)[:_NAMED]!r}"
    if len(shared) > 1:
        names += f" and {len(shared) - 1} more"
    told = f"{again} and {place} both have the pages of {names}, which would count twice: "
    if found.crawls.keys() == more.crawls.keys():
        return f"{told}leave out {again if more.pages <= found.pages else place}"
    for small, large in ((other, one), (one, other)):
        if all(any(_is_part(own, had) for had in large[1].crawls) for own in small[1].crawls):
            return f"{told}leave out {small[0]}"
    return f"{told}nothing takes them apart again, so merge what they were made of"
