"""Which slot a URL falls into: by its registered domain, so that one shard asks all hosts of a domain, or by host."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from xxhash import xxh64_intdigest

from dowse.frontier.scope import registered_domain
from dowse.model.common_ground import SLOTS
from dowse.model.url import split

__all__ = ["SITES", "SPREADS", "Sites", "Spread", "even_owners", "slot_of"]

Spread = Literal["domain", "host"]
SPREADS: tuple[Spread, ...] = ("domain", "host")
Sites = Literal["stay", "move"]
"""Do slots stay with their shards, or go from those that have much to do to those that have little?"""
SITES: tuple[Sites, ...] = ("stay", "move")


def slot_of(url: str, by: Spread = "domain") -> int:
    """The slot of a canonical URL: ``xxhash64(registered domain) mod 1024`` (METHODS, section 6), or of its host.

    >>> slot_of("http://a.example.org/x") == slot_of("https://b.example.org/")
    True
    """
    return _of_host(split(url).host, by)


@lru_cache(maxsize=65_536)
def _of_host(host: str, by: Spread) -> int:
    return xxh64_intdigest((registered_domain(host) if by == "domain" else host).encode()) % SLOTS


def even_owners(shards: int) -> bytes:
    """The table of owners at the beginning: slots in turn, so that each shard has as many as the others."""
    return b"".join((slot % shards).to_bytes(2, "little") for slot in range(SLOTS))
