"""Where a page is from, among the terms of its text.

What a page says is not all that tells whether it is like the examples: the pages of one university say much the same as
those of another. So the domains that examples are from count as terms, of the examples and of the pages in them.
Examples from all over the web have hardly one in common, and then this says hardly anything.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import xxhash

from dowse.model.page import Bag

__all__ = ["Origins", "domains"]

_COUNT = 6.0  # as if the text had each so often
_MOST = 4


def domains(host: str) -> list[str]:
    """The host and the domains it lies in, the widest first, but for the last label alone; no more than four.

    >>> domains("www.cs.example.edu")
    ['example.edu', 'cs.example.edu', 'www.cs.example.edu']
    >>> domains("192.0.2.1"), domains("[2001:db8::1]"), domains("localhost")
    (['192.0.2.1'], ['[2001:db8::1]'], ['localhost'])
    """
    labels = host.lower().split(".")
    if len(labels) < 2 or labels[-1].isdecimal():  # a name that ends in a number is an address
        return [host.lower()]
    return [".".join(labels[first:]) for first in range(len(labels) - 2, -1, -1)][:_MOST]


class Origins:
    """The domains that examples are from, as terms."""

    def __init__(self, hosts: Iterable[str]) -> None:
        found = {domain for host in hosts if host for domain in domains(host)}
        # a word has no dot before it: so these are the terms of no word, but by chance
        self._terms = {domain: xxhash.xxh32_intdigest(f".{domain}".encode()) for domain in found}
        self.terms = np.array(sorted(self._terms.values()), np.uint32)

    def beside(self, bag: Bag, host: str) -> Bag:
        """The terms of a page, with those of its host behind them. A page without words has none by its host alone."""
        terms = [self._terms[domain] for domain in domains(host) if domain in self._terms] if self._terms else []
        if not terms or not len(bag.terms):
            return bag
        more = np.array(terms, np.uint32)
        return Bag(np.append(bag.terms, more), np.append(bag.counts, np.full(len(more), _COUNT, np.float32)))
