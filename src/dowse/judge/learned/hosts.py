"""Where a page is from, as terms beside those of its text.

What a page says is not all that tells whether it is like the examples: the pages of one university say much the same as
those of another, and a site about databases has pages that hardly name them. Examples from all over the web have hardly
a domain in common, and then this says hardly anything.
"""

from __future__ import annotations

import numpy as np
import xxhash
from numpy.typing import NDArray

__all__ = ["domain_terms", "domains"]

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


def domain_terms(host: str) -> NDArray[np.uint32]:
    """The domains of a host, hashed like terms. A word has no dot before it: so these are the terms of no word, but by
    chance."""
    return np.array([xxhash.xxh32_intdigest(f".{domain}".encode()) for domain in domains(host)], np.uint32)
