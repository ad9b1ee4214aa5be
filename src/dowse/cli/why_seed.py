"""Where a seed came from, in lines: given by its URL, in a list, in a sitemap, or found by search engines."""

from __future__ import annotations

from dowse.model.found import FoundRow
from dowse.model.topicfile import topic_from_json
from dowse.model.url import canonical
from dowse.store import CrawlReader

__all__ = ["seed_lines"]

_MOST = 8  # finds that are told
_LONGEST = 160


def seed_lines(crawl: CrawlReader, url: str) -> list[str]:
    """Lines for ``dowse why``."""
    found = crawl.found(url)
    seeds = topic_from_json(crawl.topic()).seeds
    given = {canonical(text if "://" in text else f"https://{text}") for text in seeds.urls}
    if url in given:
        return ["found: it is a seed, given by its URL", *_by_engines(found)]
    if found:
        return ["found: it is a seed, found by search engines", *_by_engines(found)]
    if url in (crawl.settings().get("seeds") or ()):
        return [f"found: it is a seed, listed in {', '.join(seeds.files)}" if seeds.files else "found: it is a seed"]
    return ["found: it is a seed, listed in a sitemap"]


def _by_engines(found: list[FoundRow]) -> list[str]:
    finds = [find for row in found for find in row.found_by()]
    lines = []
    for find in finds[:_MOST]:
        said = ": ".join(filter(None, (find.title, find.snippet)))
        cut = said if len(said) <= _LONGEST else f"{said[:_LONGEST]}..."
        told = f", as {cut!r}" if cut else ""
        lines.append(f"    by {find.engine}, rank {find.rank} for {find.query!r}, at {find.at}{told}")
    if len(finds) > _MOST:
        lines.append(f"    and {len(finds) - _MOST} more times")
    return lines + [f"    title and snippet have a similarity of {row.nearness:.3f} to the topic" for row in found]
