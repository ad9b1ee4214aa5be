"""Listing pages of real conferences, as they were on any day, rendered to sites: one a topic, and one for all.

The file holds every version of some hundred listings (``{"time", "page": "conferences/YEAR/TOPIC.json", "items"}``). A
topic's site has a page a year with links to a page for each conference; the site for all has them by country, stated in
the listings themselves.
"""

from __future__ import annotations

import json
import lzma
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from dowse.loopback.listings.site import ListedPage, Stated, slug
from dowse.model.errors import UserError

__all__ = ["Conferences"]

_START = date(2018, 1, 1)
_ALL = "all.conferences.test"
_PAGE = 25


class Conferences:
    """Days count from the first of January 2018."""

    def __init__(self, file: Path) -> None:
        self._versions: dict[tuple[str, str], list[tuple[str, list[dict[str, Any]]]]] = defaultdict(list)
        try:
            with lzma.open(file, "rt", encoding="utf-8") as stream:
                for line in stream:
                    told = json.loads(line)
                    _, year, name = told["page"].split("/")
                    self._versions[name.removesuffix(".json"), year].append((told["time"], told["items"] or []))
        except (OSError, ValueError, KeyError, lzma.LZMAError) as error:
            raise UserError(f"cannot read the conferences in {file}: {error}") from None
        for versions in self._versions.values():
            versions.sort(key=lambda version: version[0])
        self._topics = sorted({topic for topic, _ in self._versions})
        self.hosts = [_ALL, *(f"{slug(topic)}.conferences.test" for topic in self._topics)]

    @staticmethod
    def day_of(day: date) -> int:
        return (day - _START).days

    def pages(self, host: str, today: int) -> Mapping[str, ListedPage]:
        """The pages of a site on a day, by path."""
        if host == _ALL:
            return _for_all(self._known(today))
        topic = self._topics[self.hosts.index(host) - 1]
        return _of_topic({year: items for (own, year), items in self._known(today).items() if own == topic})

    @lru_cache(maxsize=4)  # noqa: B019 -- a few days of one web
    def _known(self, today: int) -> dict[tuple[str, str], list[dict[str, Any]]]:
        """The version of each listing that was there at the end of a day."""
        moment = f"{(_START + timedelta(days=today)).isoformat()}T24"
        found = {}
        for key, versions in self._versions.items():
            place = bisect_right([when for when, _ in versions], moment)
            if place and versions[place - 1][1]:
                found[key] = versions[place - 1][1]
        return found

    def facts(self, today: int) -> set[tuple[str, str, str]]:
        """Name, day and place of all that any listing has."""
        return {(one.name, one.date, one.place) for items in self._known(today).values() for one in map(_stated, items)}


def _stated(item: dict[str, Any]) -> Stated:
    place = ", ".join(str(item[name]) for name in ("city", "country") if item.get(name))
    return Stated(str(item.get("name", "")), str(item.get("startDate", "")), place or "Online")


def _of_topic(by_year: dict[str, list[dict[str, Any]]]) -> dict[str, ListedPage]:
    pages: dict[str, ListedPage] = {"/": ListedPage("Conferences")}
    for year, items in sorted(by_year.items()):
        pages["/"].links.append((f"/{year}", year))
        listing = pages[f"/{year}"] = ListedPage(year)
        for item in items:
            one = _stated(item)
            path = f"/{year}/{slug(one.name)}-{slug(one.place)}"
            listing.links.append((path, one.name))
            pages[path] = ListedPage(one.name, [("/", "Home"), (f"/{year}", year)], [one], "json-ld")
    for name in ("about", "contact", "newsletter"):
        pages["/"].links.append((f"/{name}", name))
        pages[f"/{name}"] = ListedPage(name, [("/", "Home")])
    return pages


def _for_all(known: dict[tuple[str, str], list[dict[str, Any]]]) -> dict[str, ListedPage]:
    """By year and country, with all that is known of each; every third conference is missing."""
    by_country: dict[tuple[str, str], list[Stated]] = defaultdict(list)
    seen: set[Stated] = set()
    for (_, year), items in sorted(known.items()):
        for item in items:
            one = _stated(item)
            if one not in seen and len(one.name) % 3:
                by_country[year, slug(str(item.get("country") or "online"))].append(one)
            seen.add(one)
    pages: dict[str, ListedPage] = {"/": ListedPage("All conferences")}
    for (year, country), stated in sorted(by_country.items()):
        start = f"/{year}/country/{country}"
        pages["/"].links.append((start, f"{country} {year}"))
        for number in range(0, len(stated), _PAGE):
            path = f"{start}?page={number // _PAGE + 1}" if number else start
            page = pages[path] = ListedPage(country, [("/", "Home")], stated[number : number + _PAGE], "json-ld")
            if number + _PAGE < len(stated):
                page.links.append((f"{start}?page={number // _PAGE + 2}", "next"))
    return pages
