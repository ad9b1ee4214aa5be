"""From sitemaps to the pages they name: index files are walked, level by level."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice

from dowse.seeds.sitemaps import Sitemap

__all__ = ["Expansion", "expand"]

MAX_DEPTH = 3  # index files within index files
MAX_CHILDREN = 500  # sitemaps named by index files, over a whole expansion
MAX_TOTAL = 1_000_000  # pages of a whole expansion
_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Expansion:
    """Every page found by walking sitemaps, in order, each once, with its last change where that is told; problems are
    prefixed with the sitemap's address."""

    pages: dict[str, float | None] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    fetched: int = 0


async def expand(
    sources: Iterable[str],
    read: Callable[[str], Awaitable[Sitemap | str]],
    *,
    max_depth: int = MAX_DEPTH,
    max_children: int = MAX_CHILDREN,
    max_urls: int = MAX_TOTAL,
    concurrency: int = _AT_ONCE,
) -> Expansion:
    """Walk sitemaps and the index files among them, level by level; the result does not depend on timing.

    ``read`` brings a sitemap, or says why it could not or must not be had: robots, the address guard, the budget and
    where to read it are its business.
    """
    level = list(dict.fromkeys(sources))
    known = set(level)
    pages: dict[str, float | None] = {}
    problems: list[str] = []
    children = fetched = 0
    for depth in range(max_depth + 1):
        below: list[str] = []
        for start in range(0, len(level), concurrency):
            if len(pages) >= max_urls:
                break
            group = level[start : start + concurrency]
            for source, sitemap in zip(group, await asyncio.gather(*map(read, group)), strict=True):
                if isinstance(sitemap, str):
                    problems.append(f"{source}: {sitemap}")
                    continue
                fetched += 1
                problems += [f"{source}: {problem}" for problem in sitemap.problems]
                for url, changed in islice(sitemap.pages.items(), max_urls - len(pages)):
                    pages.setdefault(url, changed)
                new = [child for child in sitemap.children if child not in known]
                known.update(new)
                below += new
        if depth == max_depth and below:
            problems.append(f"{len(below)} sitemaps left out: index files nested deeper than {max_depth}")
            break
        if children + len(below) > max_children:
            problems.append(f"{children + len(below) - max_children} sitemaps left out beyond {max_children}")
            below = below[: max_children - children]
        children += len(below)
        level = below
    if len(pages) >= max_urls:
        problems.append(f"stopped at {max_urls} URLs")
    return Expansion(pages, tuple(problems), fetched)
