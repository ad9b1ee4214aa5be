"""The tokens of a link: those of its URL, split at every character that is no letter or digit, and of its anchor."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
import xxhash
from numpy.typing import NDArray

__all__ = [
    "BUCKETS",
    "WIDTH",
    "link_tokens",
    "named_tokens",
    "named_url_tokens",
    "published_hashes",
    "url_hashes",
    "url_tokens",
]

WIDTH = 12
"""So many are kept of a link."""
BUCKETS = 1 << 18
_OF_ANCHOR, _OF_PATH = 5, 6
_MOST_KNOWN = 1 << 15  # 4 MB
_split = re.compile(r"[^\W_]+").findall


class _Hashes(dict[str, int]):
    """token -> hash; most tokens are met again and again. Never 0, not even in its bucket: that is where nothing is."""

    def __missing__(self, token: str) -> int:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        found = xxhash.xxh32_intdigest(token.encode())
        found = self[token] = found if found % BUCKETS else found + 1
        return found


_hash = _Hashes().__getitem__


def url_tokens(url: str) -> list[str]:
    """All tokens of a URL but its scheme, each once.

    >>> url_tokens("https://www.example.org/Ice_hockey/nhl-2024.html?page=2")
    ['www', 'example', 'org', 'ice', 'hockey', 'nhl', '2024', 'html', 'page', '2']
    """
    return list(dict.fromkeys(_split(url.partition("://")[2].lower())))


def url_hashes(url: str) -> NDArray[np.uint32]:
    """All tokens of a URL, hashed."""
    return np.array([_hash(token) for token in url_tokens(url)], np.uint32)


def published_hashes(url: str) -> NDArray[np.uint32]:
    """The tokens of a URL as Aggarwal, Al-Garawi and Yu (2001) split it, at dots and slashes, hashed.

    >>> len(published_hashes("https://www.example.org/Ice_hockey/nhl-2024.html?page=2"))
    6
    """
    return np.array([_hash(token) for token in _published(url)], np.uint32)


def _published(url: str) -> list[str]:
    tokens = url.partition("://")[2].lower().replace("/", ".").split(".")
    return list(dict.fromkeys(filter(None, tokens)))


def named_url_tokens(url: str) -> dict[int, str]:
    """What each hash of :func:`url_hashes` and :func:`published_hashes` stands for, for people to read."""
    return {_hash(token): token for token in (*_published(url), *url_tokens(url))}


def link_tokens(url: str, anchor: str) -> list[int]:
    """Hashes of the most telling tokens, padded with 0: the anchor's first, the path's last, then the host's."""
    hashes = list(map(_hash, _telling(url, anchor)[:WIDTH]))
    return hashes + [0] * (WIDTH - len(hashes))


def named_tokens(url: str, anchor: str) -> dict[int, str]:
    """What each hash of :func:`link_tokens` stands for, for people to read.

    >>> list(named_tokens("https://example.org/a", "Ice hockey").values())
    ['ice', 'hockey', 'a', 'example', 'org']
    """
    return {_hash(token): token for token in _telling(url, anchor)[:WIDTH]}


def _telling(url: str, anchor: str) -> list[str]:
    host, _, path = url.partition("://")[2].partition("/")
    of_anchor, of_path = _split(anchor.lower()), _split(path.lower())
    return list(dict.fromkeys((*of_anchor[:_OF_ANCHOR], *of_path[-_OF_PATH:], *_of_host(host))))


@lru_cache(1 << 12)
def _of_host(host: str) -> tuple[str, ...]:
    return tuple(_split(host.lower())[-3:])
