"""Nothing counts twice: statistics that are to be added up must be of different crawls."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path

from dowse.model.errors import TopicError
from dowse.model.shown import shown
from dowse.predict.learning import Statistics

__all__ = ["check_apart"]

_NAMED = 60  # characters of a crawl's name


def check_apart(read: Sequence[tuple[Path, Statistics]]) -> None:
    """TopicError when one crawl has a part in two of them: as it was, as it went on, or together with others."""
    known: dict[Hashable, tuple[Path, Statistics]] = {}
    for place, found in read:
        for mark in (("place", place.resolve()), *_marks(found)):
            before = known.setdefault(mark, (place, found))
            if before[1] is not found:
                raise TopicError(_told(before, (place, found)))


def _marks(found: Statistics) -> Iterator[Hashable]:
    """What tells where pages come from: the crawls, or, in files of earlier versions, the figures alone."""
    yield from (("crawl", own) for own in found.crawls)
    if found.pages and not found.crawls:
        people = tuple((key, float(own.users.sums.sum())) for key, own in sorted(found.people.items()))
        yield "figures", found.pages, found.value, tuple(sorted(found.hosts.items())) or people


def _told(one: tuple[Path, Statistics], other: tuple[Path, Statistics]) -> str:
    (place, found), (again, more) = one, other
    if place.resolve() == again.resolve():
        return f"{again} is named twice, and its pages would count twice: name it once"
    shared = sorted(found.crawls.keys() & more.crawls.keys(), key=lambda own: -more.crawls[own].pages)
    if not shared:
        return f"{again} and {place} are the same crawl: its pages would count twice"
    names = f"the crawl {shown(more.crawls[shared[0]].name)[:_NAMED]!r}"
    if len(shared) > 1:
        names += f" and {len(shared) - 1} more"
    told = f"{again} and {place} both have the pages of {names}, which would count twice: "
    if found.crawls.keys() == more.crawls.keys():
        return f"{told}leave out {again if more.pages <= found.pages else place}"
    for small, large in ((other, one), (one, other)):
        if small[1].crawls.keys() < large[1].crawls.keys():
            return f"{told}leave out {small[0]}"
    return f"{told}nothing takes them apart again, so merge what they were made of"
