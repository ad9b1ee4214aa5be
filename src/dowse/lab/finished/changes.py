"""What a collection has gained, what has changed in it and what is gone since a time, with what changed pages say now
and said before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any

from dowse.lab.finished.page_texts import archived_response
from dowse.parse import Repeats, own_lines
from dowse.store import CrawlReader, VisitedPage
from dowse.store.read_visits import Place, changed_since, gone_since, new_since, repeats_of, versions

__all__ = ["Changes", "Edited", "changes_since", "marked"]


@dataclass(frozen=True, slots=True)
class Edited:
    """A page that changed: the lines that came and went, without those that its site repeats. None: a version of it is
    not in the archive."""

    page: VisitedPage
    lines: tuple[str, ...] | None  # each with "+ ", "- " or "  " in front; "..." for what is left out


@dataclass(frozen=True, slots=True)
class Changes:
    """All that changed since ``since`` (UTC, seconds since 1970), in order of time."""

    since: float
    new: tuple[VisitedPage, ...]
    changed: tuple[Edited, ...]
    gone: tuple[VisitedPage, ...]

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "new": [asdict(page) for page in self.new],
            "changed": [
                {
                    **asdict(one.page),
                    "added": None if one.lines is None else [line[2:] for line in one.lines if line.startswith("+ ")],
                    "removed": None if one.lines is None else [line[2:] for line in one.lines if line.startswith("- ")],
                }
                for one in self.changed
            ],
            "gone": [asdict(page) for page in self.gone],
        }


def changes_since(crawl: CrawlReader, since: float, *, every: bool = False) -> Changes:
    """What changed since then among the relevant pages, or among ``every`` one. What is new is not told again as
    changed."""
    new = new_since(crawl, since, every=every)
    known = {page.id for page in new}
    places = versions(crawl, since)

    @lru_cache(1)  # pages of a site mostly come one after the other
    def repeated(site: int) -> bytes:
        repeats = Repeats()
        repeats.load_all({site: repeats_of(crawl, site) or b""})
        return repeats.known(site)

    changed = [
        Edited(page, _difference(crawl, page, places.get(page.id), repeated(page.site)))
        for page in changed_since(crawl, since, every=every)
        if page.id not in known
    ]
    return Changes(since, tuple(new), tuple(changed), tuple(gone_since(crawl, since, every=every)))


def _difference(
    crawl: CrawlReader, page: VisitedPage, places: tuple[Place, Place] | None, repeats: bytes
) -> tuple[str, ...] | None:  # fmt: skip
    if places is None:
        return None
    before, after = (_lines(crawl, page.url, place, repeats) for place in places)
    return None if before is None or after is None else tuple(marked(before, after))


def _lines(crawl: CrawlReader, url: str, place: Place, repeats: bytes) -> list[str] | None:
    response = archived_response(crawl.folder, url, place.file, place.offset)
    if response is None:
        return None
    return own_lines(response.body, url, response.header("Content-Type") or "", repeats)


def marked(before: list[str], after: list[str]) -> Iterator[str]:
    """What came (``+``) and went (``-``), in order, with ``...`` between places.

    >>> list(marked(["a", "b", "c", "d"], ["a", "x", "c", "d", "e"]))
    ['- b', '+ x', '...', '+ e']
    """
    first = True
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        if not first:
            yield "..."
        first = False
        yield from (f"- {line}" for line in before[a:b])
        yield from (f"+ {line}" for line in after[c:d])
