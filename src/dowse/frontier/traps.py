"""Rules against sites without end, for URLs that are new to the crawl.

A calendar links every month to the next, a shop every choice of facets to every other, a wildcard domain every name
to more names: each URL is new, none is bad in itself. What gives them away is growth, counted here per domain, per site
and per *pattern* (what is left of a URL when numbers and parameter values are taken out):

* ``domain-cap``: a registered domain may bring ``max_hosts_per_domain`` sites;
* ``host-cap``: a site may bring ``max_per_host`` URLs;
* ``pattern-cap``: and ``max_per_pattern`` of one pattern;
* ``pattern-run``: a chain of pages of one pattern, each found on the one before, may go on for ``max_pattern_run``
  links without a relevant page. A relevant page starts the count afresh, so an archive worth reading is read to its
  end while an empty calendar is left after a screenful of months;
* ``fruitless-pattern``, ``fruitless-host``: what stays without a relevant page is given less and less, see
  :mod:`dowse.frontier.fruitless`.

A URL refused by ``pattern-run`` may be admitted later from another page; the counts only ever grow with admissions.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from dowse.frontier.fruitless import Fruitless
from dowse.frontier.scope import registered_domain
from dowse.frontier.table import Table
from dowse.model.topic import Traps

__all__ = ["Admission", "GrowthRules"]

_NUMBER = re.compile(r"[0-9]+")
_NUMBER_OUTSIDE_ESCAPES = re.compile(r"(?<!%)(?<!%[0-9A-Fa-f])[0-9]+")
_ZEROS = str.maketrans("123456789", "000000000")
_VALUE = re.compile(r"=[^&]*")
_FEW_PARAMETERS = 4
_MOST_FORESEEN = 50_000
_LOOKED_AT = 256  # characters of a path, and of a query


class Admission(NamedTuple):  # a tuple, since one is made for every new URL
    """``rule`` is what refuses the URL, or None; ``run`` is to be kept with it for its own links."""

    rule: str | None
    pattern: int
    run: int


def skeleton(url: str) -> str:
    """A canonical URL without what varies: numbers become 0, parameters their sorted names, once each.

    Beyond four names only their being many counts: a shop with 20 facets has a million sets of names. So does, beyond
    256 characters of path or query, their being long: a page may have 5,000 links of 2,000 characters.

    >>> skeleton("https://example.org/cal/2024-05/?view=day&from=3")
    'https://example.org/cal/0-0/?from&view'
    """
    slash = url.find("/", 8)
    mark = url.find("?", slash)
    if mark < 0:
        path, names = url[slash : slash + _LOOKED_AT], ""
    else:
        path, names = url[slash : min(mark, slash + _LOOKED_AT)], _names_in(url, mark)
    # the bytes of an escaped letter are no number: /wiki/%E5%A4%AA
    path = _NUMBER.sub("0", path) if "%" not in path else _NUMBER_OUTSIDE_ESCAPES.sub("0", path)
    return url[:slash] + path + names


def _names_in(url: str, mark: int) -> str:
    """Of the query that begins there."""
    return _names(_VALUE.sub("", url[mark + 1 : mark + 1 + _LOOKED_AT]))


@lru_cache(maxsize=4096)  # a site's pages have the same few
def _names(parameters: str) -> str:
    """The names of parameters, as they are in a skeleton."""
    keys = set(parameters.split("&"))
    names = "?" + "&".join(sorted(keys)) if len(keys) <= _FEW_PARAMETERS else "?*"
    return names if "%" in names else _NUMBER.sub("0", names)


def skeletons(urls: list[str]) -> list[str]:
    """The :func:`skeleton` of each of at least one URL; those without escapes are searched for numbers in one go."""
    slashes = [url.index("/", 8) for url in urls]
    paths = [url[slash : slash + _LOOKED_AT] for url, slash in zip(urls, slashes, strict=True)]
    text = "\n".join(paths).translate(_ZEROS)
    while "00" in text:
        text = text.replace("00", "0")
    plain = text.split("\n")
    found = []
    for url, slash, path, bones in zip(urls, slashes, paths, plain, strict=True):
        if "%" in path:
            found.append(skeleton(url))
            continue
        mark = url.find("?", slash)
        if mark >= 0:
            bones = bones.partition("?")[0] + _names_in(url, mark)
        found.append(url[:slash] + bones)
    return found


class GrowthRules:
    """Counts what a crawl takes up. Not thread-safe; lives beside the frontier, and has its ``hash_seed``."""

    def __init__(self, traps: Traps, hash_seed: int = 0) -> None:
        self._hash_seed = hash_seed
        self._max_per_host = traps.max_per_host or 1 << 62
        self._max_hosts = traps.max_hosts_per_domain or 1 << 62
        self._max_per_pattern = traps.max_per_pattern or 1 << 62
        self._max_run = traps.max_pattern_run or 1 << 62
        self._per_site: dict[int, int] = {}
        self._per_pattern = Table()
        self._per_domain: dict[str, int] = {}
        self.fruitless = Fruitless(self._max_run, hash_seed)
        self._foreseen: dict[str, tuple[int, bool]] = {}  # URL -> its pattern, and whether it is alone in it

    def foresee(self, urls: list[str]) -> None:
        """Work out now what takes most of the time when URLs are admitted. Changes no answer."""
        if len(self._foreseen) > _MOST_FORESEEN:  # of pages that were not taken up in the end
            self._foreseen.clear()
        for url in urls:
            self._foreseen[url] = self._kind(url)
            _domain(url)

    def pattern(self, url: str) -> int:
        """The pattern of a page that was judged before, as :meth:`judged` gives it."""
        return self._kind(url)[0]

    def judged(self, site: int, url: str, relevant: bool) -> int:
        """A page was judged; its pattern, a 64-bit hash of its URL's :func:`skeleton`."""
        kind, alone = self._kind(url)
        self.fruitless.judged(site, 0 if alone else kind, relevant)
        return kind

    def admit(
        self, site: int, url: str, parent_pattern: int | None, parent_run: int, parent_relevant: bool
    ) -> Admission:
        """Count a URL the crawl has not taken up before, or say which rule is against it (then it is not counted)."""
        foreseen = self._foreseen.pop(url, None)
        kind, alone = self._kind(url) if foreseen is None else foreseen
        run = 0
        if kind == parent_pattern:
            run = 1 if parent_relevant else parent_run + 1
            if run > self._max_run:
                return Admission("pattern-run", kind, run)
        taken = self._per_site.get(site, 0)
        rule = self.fruitless.rule_against(site, 0 if alone else kind, url, only_site=self._is_only(site))
        if rule is not None:
            return Admission(rule, kind, run)
        if taken >= self._max_per_host:
            return Admission("host-cap", kind, run)
        if not taken and self.is_full(url):
            return Admission("domain-cap", kind, run)
        if not alone:
            if self._per_pattern.get(kind) >= self._max_per_pattern:
                return Admission("pattern-cap", kind, run)
            self._per_pattern.count(kind)
        self._take(site, url, 1)
        return Admission(None, kind, run)

    def rule_by_now(self, site: int, url: str) -> str | None:
        """The rule by which a URL that waits would be left out by now: many of a place may have come in before the
        first of them was judged."""
        kind, alone = self._kind(url)
        only_site = self._is_only(site)
        return self.fruitless.rule_against(site, 0 if alone else kind, url, only_site=only_site, waits=True)

    def _is_only(self, site: int) -> bool:
        return len(self._per_site) == 1 and site in self._per_site

    def is_full(self, url: str) -> bool:
        """Has the domain of this URL brought all the sites it may?"""
        return self._per_domain.get(_domain(url), 0) >= self._max_hosts

    def count(self, site: int, url: str) -> None:
        """Count a URL that is taken up whatever the rules say: a seed."""
        self._take(site, url, 1)
        bones = skeleton(url)
        if bones != url:
            self._per_pattern.count(self._hash(bones))

    def count_all(self, sites: NDArray[np.int64], urls: list[str]) -> None:
        """:meth:`count` URLs from before a stop, thousands at once."""
        found = np.unique(sites, return_index=True, return_counts=True)
        for site, row, times in zip(*(column.tolist() for column in found), strict=True):
            self._take(site, urls[row], times)
        bones = zip(urls, skeletons(urls), strict=True)
        self._per_pattern.count_all(np.array([self._hash(bone) for url, bone in bones if bone != url], np.uint64))

    def _kind(self, url: str) -> tuple[int, bool]:
        """Its pattern; a URL with nothing that varies is alone in it, and need not be counted."""
        bones = skeleton(url)
        return self._hash(bones), bones == url

    def _hash(self, bones: str) -> int:
        return xxhash.xxh3_64_intdigest(bones.encode(), self._hash_seed)

    def _take(self, site: int, url: str, times: int) -> None:
        taken = self._per_site.get(site, 0)
        self._per_site[site] = taken + times
        if not taken:
            domain = _domain(url)
            self._per_domain[domain] = self._per_domain.get(domain, 0) + 1


def _domain(url: str) -> str:
    return _domain_of(url[: url.index("/", 8)])


@lru_cache(1 << 13)  # of a new site it is asked several times
def _domain_of(origin: str) -> str:
    host = origin.rpartition("//")[2]
    return registered_domain(host if host.endswith("]") else host.partition(":")[0])
