"""Which of the objects that pages state are one and the same (METHODS, section 5.2).

Two are the same when they are of one kind, on the same day, at the same place, and their names have a token-set ratio
of at least 0.9. What follows from this goes on: if A is B and B is C, then A is C. An object that lacks its day or
its place says less, so it must have an equal name, and there must be just one it can be:

1. Those with day and place are clustered by similar names, within their kind, day and place.
2. Then come those that lack something, with the fewest gaps first. One joins the cluster that has its very name
   and contradicts neither its day nor its place. Where none does, or several do, it is one of its own, for the
   next to join. So a series of concerts does not become one concert because some page leaves out the day.

An object without a name is the same as one with the same fields.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from dowse.model.objects import DistinctObject, FoundObject, Value
from dowse.recrawl.objects.identity import Identity, identity
from dowse.recrawl.objects.names import SIMILAR, similar_names

__all__ = ["distinct"]


@dataclass(slots=True)
class _Cluster:
    day: str
    place: str
    members: list[int] = field(default_factory=list)

    def can_be(self, own: Identity) -> bool:
        """Does neither day nor place speak against it?"""
        return self.day in ("", own.day or self.day) and self.place in ("", own.place or self.place)

    def take(self, own: Identity, member: int) -> None:
        self.day, self.place = self.day or own.day, self.place or own.place
        self.members.append(member)


def distinct(objects: Iterable[FoundObject], similar: float = SIMILAR) -> list[DistinctObject]:
    """The distinct objects, in the order in which they were first stated. ``similar``: the least token-set ratio of
    names that are one. UserError without the extra ``objects``."""
    found = list(objects)
    told = [identity(one) for one in found]
    clusters = [*_whole(told, similar), *_nameless(found, told)]
    clusters += _lacking(told, clusters)
    members = sorted(sorted(cluster.members) for cluster in clusters)
    return [_merged([found[place] for place in places]) for places in members]


def _whole(told: Sequence[Identity], similar: float) -> list[_Cluster]:
    """Those that lack nothing: by kind, day and place, then by similar names."""
    blocks: dict[tuple[str, str, str], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for member, own in enumerate(told):
        if own.name and own.day and own.place:
            blocks[own.kind, own.day, own.place][own.name].append(member)
    return [
        _Cluster(day, place, [member for name in group for member in names[name]])
        for (_, day, place), names in blocks.items()
        for group in similar_names(list(names), similar)
    ]


def _nameless(found: Sequence[FoundObject], told: Sequence[Identity]) -> list[_Cluster]:
    same: dict[tuple[str, frozenset[tuple[str, Value]]], list[int]] = defaultdict(list)
    for member, own in enumerate(told):
        if not own.name:
            same[own.kind, frozenset(found[member].fields.items())].append(member)
    return [_Cluster(told[members[0]].day, told[members[0]].place, members) for members in same.values()]


class _Namesakes:
    """The clusters that have one name, by their day and by their place."""

    def __init__(self) -> None:
        self._all: dict[int, _Cluster] = {}
        self._by_day: dict[str, dict[int, _Cluster]] = defaultdict(dict)
        self._by_place: dict[str, dict[int, _Cluster]] = defaultdict(dict)

    def add(self, cluster: _Cluster) -> None:
        for ours in (self._all, self._by_day[cluster.day], self._by_place[cluster.place]):
            ours[id(cluster)] = cluster

    def remove(self, cluster: _Cluster) -> None:
        for ours in (self._all, self._by_day[cluster.day], self._by_place[cluster.place]):
            del ours[id(cluster)]

    def only_one_for(self, own: Identity) -> _Cluster | None:
        """The one that it can be; None where there is none, or more than one."""
        if own.day:
            near = chain(self._by_day[own.day].values(), self._by_day[""].values())
        elif own.place:
            near = chain(self._by_place[own.place].values(), self._by_place[""].values())
        else:
            near = chain(self._all.values())
        fit = list(islice((cluster for cluster in near if cluster.can_be(own)), 2))
        return fit[0] if len(fit) == 1 else None


def _lacking(told: Sequence[Identity], clusters: Sequence[_Cluster]) -> list[_Cluster]:
    """Add those that lack something to the clusters, or to new ones, which are returned."""
    named: dict[tuple[str, str], _Namesakes] = defaultdict(_Namesakes)
    for cluster in clusters:
        for key in dict.fromkeys((told[member].kind, told[member].name) for member in cluster.members):
            if key[1]:
                named[key].add(cluster)
    waiting: dict[Identity, list[int]] = defaultdict(list)
    for member, own in enumerate(told):
        if own.name and not (own.day and own.place):
            waiting[own].append(member)
    new = []
    for own in sorted(waiting, key=lambda one: ((not one.day) + (not one.place), one)):
        known = named[own.kind, own.name]
        fit = known.only_one_for(own)
        if fit is None:
            fit = _Cluster(own.day, own.place)
            new.append(fit)
        else:
            known.remove(fit)
        for member in waiting[own]:
            fit.take(own, member)
        known.add(fit)
    return new


def _merged(stated: Sequence[FoundObject]) -> DistinctObject:
    """What most say; of what as many say, what was said first."""
    values: dict[str, Counter[tuple[type, Value]]] = defaultdict(Counter)
    for one in stated:
        for name, value in one.fields.items():
            values[name][type(value), value] += 1
    fields = {name: said.most_common(1)[0][0][1] for name, said in values.items()}
    kind = Counter(one.kind for one in stated).most_common(1)[0][0]
    return DistinctObject(kind, fields, tuple(dict.fromkeys(one.url for one in stated)))
