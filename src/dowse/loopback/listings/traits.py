"""What kind of site each one is: what it lists, how its addresses look, how it lists, in which language."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from dowse.loopback.listings.truth import CATEGORIES, CITIES, Event, Truth, words

__all__ = ["WORDS", "Traits", "draw_traits"]

WORDS = {
    "en": ("events", "venues", "news", "calendar", "archive", words("about contact help jobs press privacy terms")),
    "de": (
        "termine",
        "orte",
        "aktuelles",
        "kalender",
        "archiv",
        words("ueber-uns kontakt hilfe presse impressum"),
    ),
    "fr": ("agenda", "lieux", "actualites", "calendrier", "archives", words("a-propos contact aide presse mentions")),
    "es": ("eventos", "lugares", "noticias", "calendario", "archivo", words("acerca contacto ayuda prensa aviso")),
}
"""Of each language: events, venues, news, calendar, archive, and the pages that every site has."""

ADDRESSES = (
    "id-slug", "query-id", "root-slug", "place-kind-slug", "dated", "hex", "front-controller", "slug-date", "slug-id",
)  # fmt: skip
LISTS = ("paged", "paged-path", "months", "days", "by-kind", "one-page", "by-venue")
_KINDS = (("country", 0.04), ("city", 0.42), ("category", 0.22), ("venue", 0.22), ("magazine", 0.10))
MARKUP = (("json-ld", 0.55), ("microdata", 0.25), ("none", 0.20))


@dataclass(frozen=True, slots=True)
class Traits:
    """One site. Shares are of what it could list, or of its pages."""

    host: str
    kind: str
    cities: frozenset[int]
    categories: frozenset[int]
    venue: str
    share: float
    address: str
    lists: tuple[str, ...]  # the ways by which its events are reached
    page_size: int
    markup: str
    states_lists: bool  # do its listings state events as data too?
    language: str
    twice: bool  # is every event there in a second language, under another address?
    related: int  # links from an event to others
    news: int
    keeps_days: int  # past events stay this long
    slip: float  # share of events that it copies wrongly
    words: int  # of text on a page
    rebuilt: int  # the day on which its addresses change; far off for most


def draw_traits(number: int, seed: int, truth: Truth) -> Traits:
    """The traits of a site, always the same for the same numbers."""
    rng = Random(f"site {seed} {number}")
    kind = rng.choices([name for name, _ in _KINDS], [share for _, share in _KINDS])[0]
    home = min(int(rng.expovariate(4.0) * len(CITIES)), len(CITIES) - 1)
    cities = {home} if kind in ("city", "venue", "magazine") else set(range(len(CITIES)))
    if kind == "city" and rng.random() < 0.35:
        cities |= {rng.randrange(len(CITIES)) for _ in range(rng.randint(1, 3))}
    if kind == "category":
        cities = set(rng.sample(range(len(CITIES)), rng.randint(8, len(CITIES))))
    categories = set(range(len(CATEGORIES)))
    if kind == "category" or (kind == "city" and rng.random() < 0.25):
        categories = set(rng.sample(range(len(CATEGORIES)), rng.randint(1, 2)))
    venues = sorted({event.venue for event in truth.events[:4000] if event.city == home}) or [""]
    share = {"country": (0.1, 0.3), "city": (0.5, 0.95), "category": (0.3, 0.8), "venue": (1.0, 1.0),
             "magazine": (0.03, 0.15)}[kind]  # fmt: skip
    lists = rng.sample(
        LISTS[:5] if kind in ("country", "category") else LISTS, rng.randint(1, 2 + (rng.random() < 0.4))
    )
    markup = rng.choices([name for name, _ in MARKUP], [part for _, part in MARKUP])[0]
    return Traits(
        host=f"{kind}{number}.listings.test",
        kind=kind,
        cities=frozenset(cities),
        categories=frozenset(categories),
        venue=rng.choice(venues) if kind == "venue" else "",
        share=rng.uniform(*share),
        address=rng.choice(ADDRESSES),
        lists=tuple(lists),
        page_size=rng.choice((10, 20, 25, 50)),
        markup=markup,
        states_lists=rng.random() < 0.25,
        language=rng.choice(tuple(WORDS)),
        twice=rng.random() < 0.12,
        related=rng.choice((0, 0, 3, 5, 8)),
        news=rng.choice((0, 10, 40, 120, 400)),
        keeps_days=rng.choice((0, 0, 7, 60)),
        slip=rng.choice((0.0, 0.005, 0.01, 0.03, 0.08)),
        words=rng.randint(80, 700),
        rebuilt=rng.randint(60, 140) if rng.random() < 0.04 else 10_000,
    )


def lists_event(traits: Traits, event: Event, today: int, seed: int) -> bool:
    """Does a site have an event on a day?"""
    if not (event.announced <= today < event.withdrawn + traits.keeps_days):
        return False
    if event.city not in traits.cities or event.category not in traits.categories:
        return False
    if traits.venue and event.venue != traits.venue:
        return False
    return Random(f"{seed} {traits.host} {event.number}").random() < traits.share
