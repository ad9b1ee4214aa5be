"""Results of several engines and queries, merged: one row a canonical URL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import fsum

from dowse.model.found import Find, FoundRow, SiteCount

__all__ = ["K", "Ranking", "count_sites", "merge"]

K = 60
"""The constant of reciprocal rank fusion: Cormack, Clarke and Büttcher (SIGIR 2009) use 60."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What one engine found for one query: canonical URLs, each once, the best first."""

    finds: Mapping[str, Find]


def merge(rankings: Iterable[Ranking]) -> list[FoundRow]:
    """One row a URL, by the sum of ``1 / (K + rank)`` over the rankings it is in; of equals, the one that was found
    first. Title and snippet are those of its best rank that has a title, else any: what cites it has none."""
    finds: dict[str, list[Find]] = {}
    for ranking in rankings:
        for url, find in ranking.finds.items():
            finds.setdefault(url, []).append(find)
    rows = [_row(url, found) for url, found in finds.items()]
    rows.sort(key=lambda row: -row.score)  # a stable sort: the order of finding stays
    for place, row in enumerate(rows):
        row.id = place
    return rows


def _row(url: str, finds: Sequence[Find]) -> FoundRow:
    ranked = sorted(finds, key=lambda find: find.rank)
    telling = [find for find in ranked if find.title] or [find for find in ranked if find.snippet] or ranked
    told = telling[0]
    score = fsum(1.0 / (K + find.rank) for find in finds)  # whatever their order: equals are equal
    return FoundRow(0, url, told.title, told.snippet, score, finds=[asdict(find) for find in finds])


def count_sites(rows: Iterable[FoundRow], site_of: Callable[[str], str]) -> list[SiteCount]:
    """The sites of what was found: those first that most queries found, then by score. ``site_of`` tells that of a
    URL."""
    counts: dict[str, SiteCount] = {}
    queries: dict[str, set[str]] = {}
    best: dict[str, float] = {}
    for row in rows:
        site = site_of(row.url)
        count = counts.setdefault(site, SiteCount(site))
        count.pages += 1
        count.score += row.score
        for find in row.found_by():
            queries.setdefault(site, set()).add(find.query)
            if find.engine not in count.engines:
                count.engines.append(find.engine)
        if row.score > best.get(site, 0.0):
            best[site], count.example = row.score, row.url
    for site, count in counts.items():
        count.queries = len(queries.get(site, ()))
    return sorted(counts.values(), key=lambda count: (-count.queries, -count.score, count.site))
