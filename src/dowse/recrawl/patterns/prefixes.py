"""URL patterns in paper form: common prefixes (Zhou et al., section 2.2; METHODS, section 5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from os.path import commonprefix

from dowse.model.url import split
from dowse.recrawl.patterns.pattern import REST, escaped

__all__ = ["prefix_patterns"]

_ENDS = "/?&=-"


def prefix_patterns(urls: Iterable[str]) -> list[str]:
    """For each URL the longest prefix ending in ``/ ? & = -`` that it shares with another one of its host; a URL that
    shares none is its own pattern.

    >>> prefix_patterns(["http://a.example/e?id=1", "http://a.example/e?id=2", "http://b.example/only"])
    ['http://a.example/e?id={*}', 'http://b.example/only']
    """
    by_host: dict[str, list[str]] = defaultdict(list)
    for url in dict.fromkeys(urls):
        by_host[split(url).host].append(url)
    found: dict[str, None] = {}
    for host in by_host.values():
        host.sort()  # of all others, a neighbour in order shares the longest prefix
        shared = [_cut(commonprefix(pair)) for pair in pairwise(host)]  # noqa: RUF071 -- letters are what is asked for
        for url, before, behind in zip(host, ["", *shared], [*shared, ""], strict=True):
            prefix = max(before, behind, key=len)
            found[escaped(prefix) + REST if prefix else escaped(url)] = None
    return sorted(found)


def _cut(prefix: str) -> str:
    """Up to its last delimiter. One that does not reach beyond the host's name is none."""
    end = max(map(prefix.rfind, _ENDS)) + 1
    return prefix[:end] if prefix.find("/", 8) >= 0 and end > prefix.find("/", 8) else ""
