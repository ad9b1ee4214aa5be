"""The queue of each site: a short *front* in order, and a *rear* without any.

The front is a heap of keys, the best few that wait at the site. Everything from the site's *bound* on is in the rear, a
plain array of ids. Most URLs are found, ranked and ranked again long before their turn comes: they lie in the rear,
take four bytes there, and a new priority that does not bring them across the bound costs nothing at all. When the front
is empty, the best of the rear become the next front. A front is a fixed share of what waits, so the look at the whole
rear is paid for by that many leases.

What holds for each site:

* a waiting URL whose key is below the bound has that key in the front; any other waiting URL has its id in the rear;
* both may also hold what is no longer so (leased, or ranked anew): it is passed over when it surfaces, and thrown out
  before it outweighs the rest.
"""

from __future__ import annotations

from array import array
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from dowse.frontier.candidates import ID_BITS, ID_MASK, Candidates
from dowse.frontier.site import NO_BOUND, Site
from dowse.model.records import CandidateState

__all__ = ["Queues"]

_WAITING = int(CandidateState.WAITING)
_FRONT = 1  # keys in a front, at least: what is ranked again is far more often elsewhere, and costs next to nothing
_FRONT_MOST = 4  # times as many keys make a front too long
_FRONT_SHARE = 32  # of the rear, one in so many
_FEW = 24  # ids: up to so many are looked at one by one
_STALE_SLACK = 32
_LOWEST_ORDER = (1 << 64) - 1


class Queues:
    """Keeps the queues of all sites; their numbers are those of the sites."""

    def __init__(self, candidates: Candidates, sites: list[Site]) -> None:
        self._candidates = candidates
        self._sites = sites
        self._bounds = np.empty(0, np.uint64)  # the order of each site's bound

    def push(self, site: Site, key: int) -> None:
        """A URL waits at its site from now on."""
        if not site.front and site.bound == NO_BOUND:
            site.front = [key]  # most hosts have one URL: a list made so has no room to spare
        elif key < site.bound:
            heappush(site.front, key)
            if len(site.front) > site.front_most:
                self._shorten(site)
        elif site.rear is None:
            site.rear = array("i", [key & ID_MASK])
        else:
            site.rear.append(key & ID_MASK)

    def top(self, site: Site) -> int:
        """The best key that waits at a site, -1 when there is none."""
        front, state_at, order_at = site.front, self._candidates.state.item, self._candidates.order.item
        while True:
            while front:
                key = front[0]
                id_ = key & ID_MASK
                if state_at(id_) == _WAITING and order_at(id_) == key >> ID_BITS:
                    return key
                heappop(front)
            if not site.rear:
                return -1
            if len(site.rear) <= _FEW:
                self._fill_few(site, site.rear)
            else:
                self._fill(site, np.array(site.rear, np.int64))
            front = site.front

    def rerank(self, ids: NDArray[np.int64], before: NDArray[np.uint64], orders: NDArray[np.uint64]) -> list[Site]:
        """Waiting URLs have other orders than before; the sites that may be offered under a better key for that."""
        self._know(len(self._sites))
        numbers = self._candidates.site[ids]
        bounds = self._bounds[numbers]
        near = np.flatnonzero(np.minimum(before, orders) <= bounds)  # from rear to rear nothing changes
        sites, better, long = self._sites, [], []
        rows = (numbers[near], ids[near], before[near], orders[near], bounds[near])
        for number, id_, old, order, bound in zip(*(column.tolist() for column in rows), strict=True):
            site = sites[number]
            key = (order << ID_BITS) | id_
            # The order alone decides, but where it is the bound's own.
            if order < bound or (order == bound and key < site.bound):
                front = site.front
                heappush(front, key)
                if key < site.offer or site.offer < 0:
                    better.append(site)
                if len(front) > site.front_most:
                    long.append(site)
            elif old < bound or (old == bound and (old << ID_BITS) | id_ < site.bound):
                self._to_rear(site, [id_])
        for site in long:  # only now: if a bound moved before, what left the front but is not yet placed would be lost
            if len(site.front) > site.front_most:
                self._shorten(site)
        return better

    def waiting(self, site: Site) -> list[int]:
        """The ids of all that wait at a site, in order of discovery."""
        current = set(filter(self._candidates.is_current, site.front))
        ids = {key & ID_MASK for key in current}
        ids.update(id_ for id_ in site.rear or () if self._candidates.state.item(id_) == _WAITING)
        return sorted(ids)

    def clear(self, site: Site) -> None:
        """Forget what waits at a site."""
        site.front, site.rear = [], None
        self._set_bound(site, NO_BOUND)

    def build(self) -> None:
        """Make the queues from the candidates, which were just loaded; nothing was queued before."""
        columns, count = self._candidates, len(self._candidates)
        ids = np.flatnonzero(columns.state[:count] == _WAITING).astype(np.int32)
        if not ids.size:
            return
        ids = ids[np.lexsort((columns.order[ids], columns.site[ids]))]  # where both are equal, in order of discovery
        sites = columns.site[ids]
        starts = np.flatnonzero(np.concatenate(([True], sites[1:] != sites[:-1])))
        counts = np.diff(starts, append=len(ids))
        fronts = np.where(counts <= _FRONT_MOST * _FRONT, counts, np.maximum(_FRONT, counts // _FRONT_SHARE))
        places = np.arange(len(ids), dtype=np.int32) - np.repeat(starts.astype(np.int32), counts)
        in_front = places < np.repeat(fronts.astype(np.int32), counts)
        first, rest = ids[in_front], ids[~in_front]
        keys = [
            (order << ID_BITS) | id_ for order, id_ in zip(columns.order[first].tolist(), first.tolist(), strict=True)
        ]
        key_at = rest_at = 0
        numbers = sites[starts].tolist()
        for number, waiting, most in zip(numbers, counts.tolist(), fronts.tolist(), strict=True):
            site = self._sites[number]
            site.waiting = waiting
            site.front = keys[key_at : key_at + most]  # sorted, and so a heap
            key_at += most
            if waiting > most:
                site.front_most = _FRONT_MOST * most
                site.rear = array("i", rest[rest_at : rest_at + waiting - most].tobytes())
                rest_at += waiting - most
                self._set_bound(site, site.front[-1] + 1)

    @property
    def nbytes(self) -> int:
        """Bytes of the queues, without the sites that own them."""
        return sum(48 * len(site.front) + 4 * len(site.rear or ()) for site in self._sites)

    # -- within --------------------------------------------------------------------------------------------------

    def _fill(self, site: Site, ids: NDArray[np.int64]) -> None:
        """Make front and rear anew from these ids, of which some may no longer wait."""
        ids = ids[self._candidates.state[ids] == _WAITING]
        orders = self._candidates.order[ids]
        most = max(_FRONT, len(ids) // _FRONT_SHARE)
        site.front_most = _FRONT_MOST * most
        if len(ids) <= most:
            self._keep(site, ids, orders, ids[:0])
            return
        edge = np.partition(orders, most - 1)[most - 1]
        first = orders < edge
        level = np.flatnonzero(orders == edge)
        if len(level) > 1:  # those found first, of all that are at the edge
            level = level[np.argsort(ids[level], kind="stable")]
        first[level[: most - np.count_nonzero(first)]] = True
        self._keep(site, ids[first], orders[first], ids[~first])

    def _fill_few(self, site: Site, rear: array[int]) -> None:
        """Fill the front from a short rear: a plain loop beats the array machinery."""
        columns = self._candidates
        state_at, order_at = columns.state.item, columns.order.item
        keys = sorted({(order_at(id_) << ID_BITS) | id_ for id_ in rear if state_at(id_) == _WAITING})
        site.front, site.front_most = keys[:_FRONT], _FRONT_MOST * _FRONT
        site.rear = array("i", [key & ID_MASK for key in keys[_FRONT:]]) if len(keys) > _FRONT else None
        self._set_bound(site, keys[_FRONT - 1] + 1 if len(keys) > _FRONT else NO_BOUND)

    def _keep(self, site: Site, ids: NDArray[np.int64], orders: NDArray[np.uint64], rest: NDArray[np.int64]) -> None:
        site.front = sorted((order << ID_BITS) | id_ for order, id_ in zip(orders.tolist(), ids.tolist(), strict=True))
        site.rear = array("i", rest.astype(np.int32).tobytes()) if len(rest) else None
        self._set_bound(site, site.front[-1] + 1 if len(rest) else NO_BOUND)

    def _shorten(self, site: Site) -> None:
        """The front is too long: what no longer waits goes away; when that is not half of it, all but the best quarter
        goes to the rear."""
        state_at, order_at = self._candidates.state.item, self._candidates.order.item
        current = {
            key for key in site.front
            if order_at(key & ID_MASK) == key >> ID_BITS and state_at(key & ID_MASK) == _WAITING
        }  # fmt: skip
        keys = sorted(current)
        if len(keys) <= site.front_most // 2:
            site.front = keys
            return
        most = max(_FRONT, site.waiting // _FRONT_SHARE)
        site.front, site.front_most = keys[:most], _FRONT_MOST * most
        if len(keys) > most:
            self._to_rear(site, [key & ID_MASK for key in keys[most:]])
            self._set_bound(site, keys[most])

    def _to_rear(self, site: Site, ids: list[int]) -> None:
        rear = site.rear
        if rear is None:
            rear = site.rear = array("i")
        rear.extend(ids)
        if len(rear) > 2 * site.waiting + _STALE_SLACK:
            # Each waiting URL once. Nothing moves over the bound, so that this may happen at any time.
            kept = np.unique(np.array(rear, np.int32))
            site.rear = array("i", kept[self._candidates.state[kept] == _WAITING].tobytes())

    def _set_bound(self, site: Site, bound: int) -> None:
        site.bound = bound
        self._know(site.id + 1)
        self._bounds[site.id] = min(bound >> ID_BITS, _LOWEST_ORDER)

    def _know(self, sites: int) -> None:
        if sites > len(self._bounds):
            new = np.full(sites * 5 // 4 + 64, _LOWEST_ORDER, np.uint64)
            new[: len(self._bounds)] = self._bounds
            self._bounds = new
