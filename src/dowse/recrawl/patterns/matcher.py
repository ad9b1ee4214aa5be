"""Which of many patterns a URL belongs to: the most specific one that matches it, found without trying all."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from dowse.recrawl.patterns.pattern import REST, Pattern

__all__ = ["Matcher"]


class Matcher:
    """The index of a URL's pattern among ``patterns``; -1 where none matches.

    A pattern without wildcards is looked up, a plain prefix by its length, longest first. Others are tried in one
    regular expression for all of a host that begin with the same segment.
    """

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self.patterns: Sequence[Pattern] = tuple(patterns)
        self._exact: dict[str, int] = {}
        self._hosts: dict[str, _Host] = {}
        ours: dict[str, list[int]] = defaultdict(list)
        for number in sorted(range(len(self.patterns)), key=lambda n: self.patterns[n].order):
            pattern = self.patterns[number]
            if pattern.wildcards:
                ours[pattern.origin].append(number)
            else:
                self._exact.setdefault(pattern.head, number)
        for origin, numbers in ours.items():
            self._hosts[origin] = _Host(self.patterns, numbers)

    def match(self, url: str) -> int:
        """Of a canonical URL."""
        found = self._exact.get(url)
        if found is not None:
            return found
        host = self._hosts.get(url[: url.index("/", 8)])
        return -1 if host is None else host.match(url)


class _Host:
    """The patterns with wildcards of one host, the most specific first."""

    def __init__(self, patterns: Sequence[Pattern], numbers: Sequence[int]) -> None:
        self._patterns = patterns
        ends = [number for number in numbers if REST in patterns[number].wildcards]
        plain = all(len(patterns[number].wildcards) == 1 for number in ends)
        self._prefixes = {patterns[number].head: number for number in reversed(ends)} if plain else {}
        self._lengths = sorted({len(head) for head in self._prefixes}, reverse=True)
        self._rest = [] if plain else ends
        self._by_segment: dict[str, list[int]] = defaultdict(list)
        self._anywhere: list[int] = []  # those with a wildcard in the first segment
        self._start = patterns[numbers[0]].origin
        for number in numbers:
            if REST in patterns[number].wildcards:
                continue
            segment = self._segment(patterns[number].head, whole=False)
            (self._anywhere if segment is None else self._by_segment[segment]).append(number)
        self._tries: dict[str, Callable[[str], int]] = {}
        self._elsewhere = self._regex(self._anywhere)

    def match(self, url: str) -> int:
        if self._by_segment or self._anywhere:
            segment = self._segment(url, whole=True)
            found = self._tried(segment)(url) if segment in self._by_segment else self._elsewhere(url)
            if found >= 0:
                return found
        for length in self._lengths:
            number = self._prefixes.get(url[:length])
            if number is not None:
                return number
        return self._regex(self._rest)(url) if self._rest else -1

    def _segment(self, url: str, *, whole: bool) -> str | None:
        """The first segment of its path, to its end: None where ``url`` is a head that ends before."""
        start = len(self._start) + 1
        for at in range(start, len(url)):
            if url[at] in "/?":
                return url[start:at]
        return url[start:] if whole else None

    def _tried(self, segment: str | None) -> Callable[[str], int]:
        key = segment or ""
        known = self._tries.get(key)
        if known is None:
            numbers = sorted([*self._by_segment[key], *self._anywhere], key=lambda n: self._patterns[n].order)
            known = self._tries[key] = self._regex(numbers)
        return known

    def _regex(self, numbers: Sequence[int]) -> Callable[[str], int]:
        """The first of these that matches."""
        if not numbers:
            return lambda url: -1
        matches = re.compile("|".join(f"({self._patterns[number].regex})" for number in numbers), re.DOTALL).fullmatch

        def first(url: str) -> int:
            found = matches(url)
            return numbers[(found.lastindex or 1) - 1] if found is not None else -1

        return first
