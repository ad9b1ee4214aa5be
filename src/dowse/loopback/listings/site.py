"""The pages of one site on one day: their addresses, links, and what they state."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random

import xxhash

from dowse.loopback.listings.traits import ADDRESSES, WORDS, Traits
from dowse.loopback.listings.truth import CATEGORIES, CITIES, FIRST_DAY, Event, words

__all__ = ["ListedPage", "Stated", "site_pages"]

_NOT_WORD = re.compile(r"[^a-z0-9]+")
_RECENT = 6  # on a front page


@dataclass(frozen=True, slots=True)
class Stated:
    """An event as a site has it."""

    name: str
    date: str
    place: str

    @property
    def fields(self) -> dict[str, str]:
        return {"name": self.name, "startDate": self.date, "location": self.place}


@dataclass(slots=True)
class ListedPage:
    """A page before it is written out. ``states`` is there for a reader of its text; as data only with a ``markup``."""

    title: str
    links: list[tuple[str, str]] = field(default_factory=list)  # path, anchor
    states: list[Stated] = field(default_factory=list)
    markup: str = "none"
    language: str = "en"
    words: int = 100


def slug(text: str) -> str:
    return _NOT_WORD.sub("-", text.lower()).strip("-")


def site_pages(traits: Traits, events: Sequence[Event], today: int, seed: int) -> dict[str, ListedPage]:
    """Every page of a site on a day, by its path; the front page is ``/``."""
    return _Site(traits, events, today, seed).pages


class _Site:
    def __init__(self, traits: Traits, events: Sequence[Event], today: int, seed: int) -> None:
        self._traits, self._today, self._seed = traits, today, seed
        self._events = events
        self._listed, self._venues, self._news, self._calendar, self._archive, self._fixed = WORDS[traits.language]
        style = ADDRESSES.index(traits.address)
        self._style = ADDRESSES[(style + (today >= traits.rebuilt)) % len(ADDRESSES)]
        self.pages: dict[str, ListedPage] = {}
        self._stated = {event.number: self._said(event) for event in events}
        self._menu = [("/", "Home")]
        for name in traits.lists:
            self._lists()[name]()
        self._magazine()
        self._details()
        self._front()
        for page in self.pages.values():
            page.links = [*self._menu, *page.links]

    def _lists(self) -> dict[str, Callable[[], None]]:
        return {
            "paged": lambda: self._paged(f"/{self._listed}", self._listed, self._events, "?page={}"),
            "paged-path": lambda: self._paged(f"/{self._listed}/", self._listed, self._events, "page/{}/"),
            "months": self._months,
            "days": self._days,
            "by-kind": self._by_kind,
            "one-page": lambda: self._paged(f"/{self._listed}/all", "All", self._events, "", size=10_000),
            "by-venue": self._by_venue,
        }

    def _page(self, path: str, title: str, states: Sequence[Event] = (), *, lists: bool = False) -> ListedPage:
        traits = self._traits
        as_data = traits.markup != "none" and (not lists or traits.states_lists)
        page = ListedPage(title, language=traits.language, words=40 if lists else traits.words)
        page.states = [self._stated[event.number] for event in states]
        page.markup = traits.markup if as_data and states else "none"
        self.pages.setdefault(path, page)
        return page

    def _said(self, event: Event) -> Stated:
        """An event as this site copied it."""
        rng = Random(f"said {self._seed} {self._traits.host} {event.number}")
        name, day = event.name, event.day
        manner = rng.random()
        if manner < 0.05:
            name = name.upper()
        elif manner < 0.08:
            name = f"{name}!"
        if rng.random() < self._traits.slip:
            if rng.random() < 0.5:
                day += rng.choice((-1, 1, 7))
            else:
                name = f"{name[: len(name) // 2]} {rng.choice(('Special', 'Open Air', 'II'))}"
        return Stated(name, (FIRST_DAY + timedelta(days=day)).isoformat(), event.place)

    def _link(self, event: Event, second: bool = False) -> tuple[str, str]:
        return self._address(event, second), self._stated[event.number].name

    def _address(self, event: Event, second: bool = False) -> str:
        own = (event.number * 7 + xxhash.xxh3_64_intdigest(self._traits.host.encode()) % 9973) % 10_000_000
        name = slug(event.name)
        number = xxhash.xxh3_64_hexdigest(f"{self._traits.host}{event.number}".encode())
        path = {
            "id-slug": f"/{self._listed}/{own}-{name}",
            "query-id": f"/{self._listed}/show.php?id={own}",
            "root-slug": f"/{name}-{slug(event.venue)}-{event.day}",
            "place-kind-slug": f"/{slug(CITIES[event.city])}/{CATEGORIES[event.category]}/{name}-{event.number}.html",
            "dated": f"/{event.date.replace('-', '/')}/{name}-{slug(event.venue)}/",
            "hex": f"/e/{number}",
            "front-controller": f"/index.php?page=event&nr={own}",
            "slug-date": f"/{self._listed}/{name}-{slug(event.venue)}-{event.date}",
            "slug-id": f"/{self._listed}/{name}/{own}",
        }[self._style]
        return (f"{path}&lang=en" if "?" in path else f"{path}?lang=en") if second else path

    def _paged(
        self, start: str, title: str, events: Sequence[Event], more: str, *, size: int = 0, menu: bool = True
    ) -> None:
        size = size or self._traits.page_size
        paths = [start, *(start + more.format(number) for number in range(2, -(-len(events) // size) + 1))]
        for number, path in enumerate(paths):
            ours = events[number * size : (number + 1) * size]
            page = self._page(path, title, ours, lists=True)
            page.links = [self._link(event) for event in ours]
            near = {0, number - 1, number + 1, number + 2, len(paths) - 1}
            page.links += [(paths[other], str(other + 1)) for other in sorted(near) if 0 <= other < len(paths)]
        if menu:
            self._menu.append((start, title))

    def _months(self) -> None:
        """A calendar with a page a month, empty ones too."""
        today = FIRST_DAY + timedelta(days=self._today)
        months = [_month_after(today, step) for step in range(-3, 9)]
        for step, (year, month) in enumerate(months):
            ours = [event for event in self._events if event.date.startswith(f"{year}-{month:02}")]
            page = self._page(f"/{self._calendar}/{year}-{month:02}", self._calendar, ours, lists=True)
            page.links = [self._link(event) for event in ours]
            beside = [months[other] for other in (step - 1, step + 1) if 0 <= other < len(months)]
            page.links += [(f"/{self._calendar}/{y}-{m:02}", f"{m}/{y}") for y, m in beside]
        year, month = _month_after(today, 0)
        self._menu.append((f"/{self._calendar}/{year}-{month:02}", self._calendar))

    def _days(self) -> None:
        """A page a day, and an overview of them."""
        by_day: dict[str, list[Event]] = {}
        for event in self._events:
            by_day.setdefault(event.date, []).append(event)
        overview = self._page(f"/{self._calendar}", self._calendar)
        for step in range(-7, 100):
            day = (FIRST_DAY + timedelta(days=self._today + step)).isoformat()
            path = f"/{self._calendar}?date={day}"
            overview.links.append((path, day))
            page = self._page(path, day, by_day.get(day, ()), lists=True)
            page.links = [self._link(event) for event in by_day.get(day, ())]
        self._menu.append((f"/{self._calendar}", self._calendar))

    def _by_kind(self) -> None:
        for number in sorted(self._traits.categories):
            ours = [event for event in self._events if event.category == number]
            self._paged(f"/{self._listed}/{CATEGORIES[number]}", CATEGORIES[number], ours, "?p={}")

    def _by_venue(self) -> None:
        index = self._page(f"/{self._venues}", self._venues)
        venues: dict[str, list[Event]] = {}
        for event in self._events:
            venues.setdefault(f"{event.venue} {event.city}", []).append(event)
        for venue, ours in sorted(venues.items()):
            path = f"/{self._venues}/{slug(venue)}"
            index.links.append((path, venue))
            self._paged(path, venue, ours, "?page={}", menu=False)
        self._menu.append((f"/{self._venues}", self._venues))

    def _magazine(self) -> None:
        """What a site has besides events: news, some of which mention one, and the pages that all have."""
        rng = Random(f"news {self._seed} {self._traits.host}")
        news = []
        for number in range(self._traits.news + self._today // 3 if self._traits.news else 0):
            title = " ".join(rng.choice(_NEWS_WORDS) for _ in range(rng.randint(2, 5)))
            path = f"/{slug(title)}-{number}" if self._style == "root-slug" else f"/{self._news}/{number}-{slug(title)}"
            page = self._page(path, title)
            if self._events and rng.random() < 0.15:
                page.links.append(self._link(self._events[rng.randrange(len(self._events))]))
            news.append((path, title))
        for start in range(0, len(news), 20):
            path = f"/{self._news}?page={start // 20 + 1}" if start else f"/{self._news}"
            page = self._page(path, self._news)
            page.links = [*news[start : start + 20], (f"/{self._news}?page={start // 20 + 2}", "next")]
        if news:
            self._menu.append((f"/{self._news}", self._news))
        for name in self._fixed:
            self._page(f"/{name}", name)
            self._menu.append((f"/{name}", name))

    def _details(self) -> None:
        for place, event in enumerate(self._events):
            for second in (False, True)[: 1 + self._traits.twice]:
                page = self._page(self._address(event, second), event.name, (event,))
                page.links = list(self._near(place))
                if self._traits.twice:
                    page.links.append((self._address(event, not second), "English"))

    def _near(self, place: int) -> Iterator[tuple[str, str]]:
        for step in range(1, self._traits.related + 1):
            yield self._link(self._events[(place + step * step) % len(self._events)])

    def _front(self) -> None:
        page = self._page("/", self._traits.host)
        soon = [event for event in self._events if event.day >= self._today][:_RECENT]
        page.links = [*map(self._link, soon), ("/gone", "old page")]


_NEWS_WORDS = words("council opens new season prize jury returns after winter tickets sold guide weekend review star")


def _month_after(today: date, step: int) -> tuple[int, int]:
    months = today.year * 12 + today.month - 1 + step
    return months // 12, months % 12 + 1
