"""Lines that a site repeats on its pages: menus, footers, side bars. They say little about the page they stand on.

Lines are counted by site and told apart by a hash of their words, so that a menu is known although one of its entries
changes from page to page. A line is taken for repeated when three pages of late have had it. Counts are halved every
sixteen pages of the site, and what falls to nothing is forgotten: so a line must be on about a fifth of the pages to
stay known, and a site takes ten kilobytes, or some tens where pages have hundreds of lines, however large it is. The
sites that had a page last are remembered.
"""

from __future__ import annotations

import struct
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dowse.compiled import core

__all__ = ["MOST_LINES", "Repeats", "distinct_lines", "is_repeated"]

Hashes = NDArray[np.uint64]

MOST_LINES = 512  # of a page: what repeats stands at its beginning or its end
_REPEATED = 3  # pages
_HALVED_AFTER = 16  # pages
_MOST_KNOWN = 1_024  # repeated lines of a site
_MOST_SITES = 1_024
_HEAD = struct.Struct("<QB")
_ROW = np.dtype([("line", "<u8"), ("count", "u1")])


def _none() -> Hashes:
    return np.zeros(0, np.uint64)


@dataclass(slots=True)
class _Site:
    pages: int = 0  # since counts were halved
    lines: Hashes = field(default_factory=_none)  # rising
    counts: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))
    known: bytes = b""
    last: int = 0  # the number of its last page among those of all sites


class Repeats:
    """What the pages of each site had in common so far."""

    def __init__(self, most_sites: int = _MOST_SITES) -> None:
        self._most = most_sites
        self._learned = 0  # pages in all
        self._sites: OrderedDict[int, _Site] = OrderedDict()

    def known(self, site: int) -> bytes:
        """The hashes of the site's repeated lines, eight bytes each, rising."""
        found = self._sites.get(site)
        return b"" if found is None else found.known

    def learn(self, site: int, lines: Hashes) -> int | None:
        """A page of the site has these lines (distinct, rising). Returns a site that is forgotten for it, if any."""
        found = self._sites.get(site)
        if found is None:
            found = self._sites[site] = _Site()
        self._sites.move_to_end(site)
        self._learned += 1
        found.last = self._learned
        _count(found, lines)
        forgotten = None
        if len(self._sites) > self._most:
            forgotten, _ = self._sites.popitem(last=False)
        return forgotten

    def state(self, site: int) -> bytes:
        """What is remembered of a site, to be taken up with :meth:`load_all`."""
        found = self._sites.get(site)
        if found is None:
            return b""
        rows = np.empty(len(found.lines), _ROW)
        rows["line"], rows["count"] = found.lines, found.counts
        return _HEAD.pack(found.last, found.pages) + rows.tobytes()

    def load_all(self, states: Mapping[int, bytes]) -> None:
        """Take up each site's :meth:`state`; nothing comes of an empty one."""
        loaded = [(*_HEAD.unpack_from(state), site, state) for site, state in states.items() if state]
        for last, pages, site, state in sorted(loaded):
            rows = np.frombuffer(state, _ROW, offset=_HEAD.size)
            found = _Site(pages, rows["line"].astype(np.uint64), rows["count"].copy(), last=last)
            _choose(found)
            self._sites[site] = found
            self._learned = last


def _count(site: _Site, lines: Hashes) -> None:
    site.pages += 1
    halve = site.pages == _HALVED_AFTER
    if halve:
        site.pages = 0
    if core is None:
        _count_plainly(site, lines, halve)
        return
    merged, counts, known = core.count_lines(site.lines, site.counts, lines, halve, _REPEATED, _MOST_KNOWN)
    site.lines, site.counts = np.frombuffer(merged, np.uint64), np.frombuffer(counts, np.uint8)
    if known is None:
        _choose(site)
    else:
        site.known = known


def _count_plainly(site: _Site, lines: Hashes, halve: bool) -> None:
    place = site.lines.searchsorted(lines)
    if len(site.lines):
        old = site.lines.take(place, mode="clip") == lines
        seen = place[old]
        counts = site.counts[seen]
        site.counts[seen] = counts + (counts < 255)
        place, lines = place[~old], lines[~old]
    if len(lines):
        _insert(site, place, lines)
    if halve:
        kept = site.counts > 1
        site.lines, site.counts = site.lines[kept], site.counts[kept] >> np.uint8(1)
    _choose(site)


def _insert(site: _Site, place: NDArray[np.intp], lines: Hashes) -> None:
    """Take up lines where they belong. As numpy's own ``insert`` does, for both columns at once."""
    at = place + np.arange(len(lines))
    kept = np.ones(len(site.lines) + len(lines), np.bool_)
    kept[at] = False
    merged, counts = np.empty(len(kept), np.uint64), np.ones(len(kept), np.uint8)
    merged[at], merged[kept], counts[kept] = lines, site.lines, site.counts
    site.lines, site.counts = merged, counts


def _choose(site: _Site) -> None:
    often = np.flatnonzero(site.counts >= _REPEATED)
    if len(often) > _MOST_KNOWN:
        often = np.sort(often[np.argsort(-site.counts[often].astype(np.int64), kind="stable")[:_MOST_KNOWN]])
    site.known = site.lines[often].astype("<u8").tobytes()


def distinct_lines(hashes: Hashes) -> Hashes:
    """The lines of a page that are counted, given the hash of each of its lines in order (0: it has no word)."""
    told = hashes[hashes != 0]
    if len(told) > MOST_LINES:
        told = np.concatenate((told[: MOST_LINES // 2], told[-MOST_LINES // 2 :]))
    told.sort()
    new = np.ones(len(told), np.bool_)
    np.not_equal(told[1:], told[:-1], out=new[1:])
    found: Hashes = told[new]
    return found


def is_repeated(lines: Hashes, known: bytes) -> NDArray[np.bool_]:
    """Which lines are among those that are known to repeat."""
    among = np.frombuffer(known, "<u8")
    if not len(among):
        return np.zeros(len(lines), np.bool_)
    found: NDArray[np.bool_] = among.take(among.searchsorted(lines), mode="clip") == lines
    return found
