"""The Allow and Disallow rules of one group of a robots.txt, made ready so that a look-up takes bounded time.

RFC 9309, section 2.2.2, in short: of the rules that match a path from its first octet, the one with the most octets
holds, Allow on a tie; what no rule matches is allowed. ``*`` stands for any octets, ``$`` at the end of a rule for the
end of the path. Three kinds of rules are looked up in three ways:

* *prefixes* (``/private``) stand sorted, each with the longest other one that it begins with: one binary search and a
  walk up from there, however many there are;
* *whole paths* (``/$``) stand in a dict;
* *wildcards* (``/*.gif$``, ``/a*b``) are tried one after the other, the longest first: the first that matches holds,
  unless a prefix or a whole path is longer. Their literals are looked for from left to right, each at its first place
  behind the one before, which finds a match where there is one: nothing is ever tried twice.

So only wildcards cost more the more there are, and there are limits to these: ``MOST_WILDCARDS`` rules, whose literals
behind a ``*`` (but for an end with ``$``, which is just compared) have ``MOST_SEARCHED`` octets in all. Beyond them, in
the order of the file, a Disallow is taken for what stands before its first ``*``, at its own length, and an Allow is
left out: more is kept out then, never less.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

__all__ = ["MOST_SEARCHED", "MOST_WILDCARDS", "PathRules", "octets", "path_rules"]

MOST_WILDCARDS = 2000
"""Rules with a ``*`` that are matched as they stand."""

MOST_SEARCHED = 8192
"""Octets that are searched for in a path at the most, a literal of less than ``_LEAST`` counting as so many."""

_LEAST = 8  # a literal of two octets is searched for as slowly as one of ten
_ESCAPE = re.compile("%([0-9A-Fa-f]{2})")
_OCTETS = {f"{n:02x}": chr(n) for n in range(256)} | {"2f": "\u012f", "3f": "\u013f"}

_Wildcard = tuple[str, tuple[str, ...], str | None]  # a prefix, literals in this order behind it, and the end ("$")
_Ranked = tuple[int, _Wildcard]


def octets(text: str) -> str:
    """A part of a rule or of a URL in the form in which both are compared: a character an octet, none of them escaped.

    As RFC 9309, section 2.2.2, has it, it makes no difference whether an octet is percent-encoded. But an encoded "/"
    or "?" does not delimit anything: either is a character of its own.

    >>> octets("/%62ar/ä") == octets("/bar/%c3%A4"), octets("/a%2Fb") == octets("/a/b")
    (True, False)
    """
    if not text.isascii():
        try:
            text = text.encode("utf-8", "surrogateescape").decode("latin-1")
        except UnicodeEncodeError:  # half of a surrogate pair
            text = text.encode("utf-8", "surrogatepass").decode("latin-1")
    return _ESCAPE.sub(_octet, text) if "%" in text else text


def _octet(escape: re.Match[str]) -> str:
    return _OCTETS[escape[1].lower()]


@dataclass(frozen=True, slots=True)
class PathRules:
    """Rules ready to be looked up. A rule's *rank* is twice its length in octets, and 1 more for an Allow: the rule of
    the highest rank holds."""

    prefixes: tuple[str, ...] = ()  # sorted
    above: tuple[int, ...] = ()  # for each prefix, where the longest other one is that it begins with; -1: nowhere
    ranks: tuple[int, ...] = ()  # for each prefix, the highest of its own and of those above
    whole: dict[str, int] = field(default_factory=dict)  # path -> rank
    wildcards: tuple[_Ranked, ...] = ()  # the highest rank first
    searched: int = 0  # octets that the wildcards search for, as the limit counts them
    steps: int = 0  # from a prefix up to the last one above it, at the most

    @property
    def count(self) -> int:
        return len(self.prefixes) + len(self.whole) + len(self.wildcards)

    def allow(self, path: str) -> bool:
        """May this path (with its query, in :func:`octets`) be fetched?"""
        at = bisect_right(self.prefixes, path) - 1
        while at >= 0 and not path.startswith(self.prefixes[at]):
            at = self.above[at]
        best = self.ranks[at] if at >= 0 else -1  # odd, as of an Allow
        if self.whole:
            best = max(best, self.whole.get(path, -1))
        for rank, (prefix, literals, end) in self.wildcards:
            if rank <= best:
                break
            if path.startswith(prefix) and _follow(path, len(prefix), literals, end):
                return rank % 2 == 1
        return best % 2 == 1

    def effort(self, length: int) -> int:
        """About how many microseconds a look-up takes at the most, for a URL of so many characters."""
        return 2 + (self.steps + 2 * len(self.wildcards)) // 10 + length * (90 + self.searched) // 1800


def _follow(path: str, at: int, literals: tuple[str, ...], end: str | None) -> bool:
    """Do these literals stand in this order behind a place in a path, the last one at its end?"""
    for literal in literals:
        at = path.find(literal, at)
        if at < 0:
            return False
        at += len(literal)
    return end is None or (len(path) - len(end) >= at and path.endswith(end))


def path_rules(rules: Iterable[tuple[bool, str]]) -> PathRules:
    """Make rules ready: for each, is it an Allow, and its path as the file has it."""
    prefixes: dict[str, int] = {}
    whole: dict[str, int] = {}
    wildcards: dict[_Wildcard, int] = {}
    for is_allow, value in rules:
        is_anchored = value.endswith("$")
        first, *others = map(octets, (value[:-1] if is_anchored else value).split("*"))
        if not first.startswith("/") and (first or not others):
            continue  # empty, or what no path begins with
        rank = 2 * (len(first) + sum(map(len, others)) + len(others) + is_anchored) + is_allow
        end = others.pop() if is_anchored and others else ""
        literals = tuple(filter(None, others))
        if literals or end:
            rule = first, literals, end or None
            wildcards[rule] = max(rank, wildcards.get(rule, 0))
        else:
            plain = whole if is_anchored and "*" not in value else prefixes
            plain[first] = max(rank, plain.get(first, 0))
    kept, searched = _within_limits(wildcards, prefixes)
    ordered = tuple(sorted(prefixes))
    above, ranks, steps = _ladder(ordered, prefixes)
    return PathRules(ordered, above, ranks, whole, kept, searched, steps)


def _within_limits(wildcards: dict[_Wildcard, int], prefixes: dict[str, int]) -> tuple[tuple[_Ranked, ...], int]:
    """The wildcards that are matched as they stand, and what they search for; others become prefixes or go."""
    kept: list[_Ranked] = []
    searched = 0
    for rule, rank in wildcards.items():
        prefix, literals, _ = rule
        more = sum(max(_LEAST, len(literal)) for literal in literals)
        if len(kept) < MOST_WILDCARDS and searched + more <= MOST_SEARCHED:
            kept.append((rank, rule))
            searched += more
        elif rank % 2 == 0:
            prefixes[prefix] = max(rank, prefixes.get(prefix, 0))
    kept.sort(key=lambda ranked: -ranked[0])
    return tuple(kept), searched


def _ladder(ordered: tuple[str, ...], own: dict[str, int]) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """For each prefix the one above it, and the highest rank from there on up; and the most steps to the top."""
    above: list[int] = []
    ranks: list[int] = []
    steps: list[int] = []
    for number, prefix in enumerate(ordered):
        at = number - 1
        while at >= 0 and not prefix.startswith(ordered[at]):
            at = above[at]
        above.append(at)
        ranks.append(max(own[prefix], ranks[at]) if at >= 0 else own[prefix])
        steps.append(steps[at] + 1 if at >= 0 else 1)
    return tuple(above), tuple(ranks), max(steps, default=0)
