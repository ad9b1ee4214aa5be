"""What is not known of a crawl that was read from a database (``store/shared/read_back``), in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dowse.model.database_url import READ_FROM

__all__ = ["not_in_database"]

_SHOWN = 8


def not_in_database(settings: Mapping[str, Any]) -> str | None:
    """What is missing, and where it is; None of a crawl's own folder, which has everything."""
    found = settings.get(READ_FROM)
    if not isinstance(found, dict):
        return None
    places = [str(place) for place in found.get("archives") or ()]
    more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
    rest = "links, visits, URLs that wait, texts and archives"
    return f"{rest} are not in the database, but in {', '.join(places[:_SHOWN])}{more}"
