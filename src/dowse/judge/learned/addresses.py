"""Where a page is from, as terms beside those of its text: the domains it lies in, and the words of its path.

What a page says is not all that tells whether it is like the examples: the pages of one university say much the same as
those of another, and a site about databases has pages that hardly name them. Examples from all over the web have hardly
a domain in common, and then this says hardly anything. The words of a path tell what kind a page is, where those of one
kind say different things: ``/courses/``, ``/people/``.
"""

from __future__ import annotations

import numpy as np
import xxhash
from numpy.typing import NDArray

from dowse.model.url import path_words, split

__all__ = ["address_words", "domain_terms", "domains", "host_of", "word_terms"]

_MOST = 4
_MOST_WORDS = 12
_MARK = "://"


def host_of(url: str) -> str:
    """The host of a canonical URL; a host that stands alone is one.

    >>> host_of("https://www.example.edu:8080/courses/"), host_of("www.example.edu")
    ('www.example.edu', 'www.example.edu')
    """
    return split(url).host if _MARK in url else url


def address_words(url: str) -> list[str]:
    """The words of a canonical URL's path, each once; none where a host stands alone.

    >>> address_words("https://www.example.edu/~jones/courses/CS-101/index.html"), address_words("www.example.edu")
    (['jones', 'courses', 'cs', 'index'], [])
    """
    return list(dict.fromkeys(path_words(url).lower().split()))[:_MOST_WORDS] if _MARK in url else []


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
    return _hashed([f".{domain}" for domain in domains(host)])


def word_terms(url: str) -> NDArray[np.uint32]:
    """The words of a URL's path, hashed like terms, and not those of the same words in a text."""
    return _hashed([f"/{word}" for word in address_words(url)])


def _hashed(names: list[str]) -> NDArray[np.uint32]:
    return np.array([xxhash.xxh32_intdigest(name.encode()) for name in names], np.uint32)
