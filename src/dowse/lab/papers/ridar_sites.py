"""The ERID paper's tables come in pairs, one for each of two web sites: which two these are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dowse.frontier.site_line import web_site_name
from dowse.model.errors import UserError

__all__ = ["RIDAR", "chosen_site", "pick"]

RIDAR = {
    "ridar-1": "Connection, download and processing time, site with the most pages",
    "ridar-2": "The same, site with the second most pages",
    "ridar-3": "Accepted and refused pages against the labels, first site",
    "ridar-4": "The same, second site",
}
_MOST_NAMED = 6


def chosen_site(counts: Mapping[str, int], place: int, named: str | None) -> str:
    """The site that is ``named``, else that with the most pages, the second most, ..."""
    return pick(sorted(counts, key=lambda site: (-counts[site], site)), place, named)


def pick(sites: Sequence[str], place: int, named: str | None) -> str:
    """The site that is ``named``, else that at a place of the list. UserError when there is none."""
    if named is not None:
        wanted = web_site_name(f"//{named.rpartition('//')[2].rstrip('/').lower()}")
        if wanted not in sites:
            some = ", ".join(sites[:_MOST_NAMED]) + (", ..." if len(sites) > _MOST_NAMED else "")
            raise UserError(f"there are no such pages of {named}: there are {some or 'none at all'}")
        return wanted
    if place >= len(sites):
        raise UserError(f"it has pages of {len(sites)} site{'' if len(sites) == 1 else 's'} only: name one with --site")
    return sites[place]
