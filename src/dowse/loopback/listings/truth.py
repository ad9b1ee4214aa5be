"""The events that there are, whatever any site says of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

__all__ = ["CATEGORIES", "CITIES", "FIRST_DAY", "Event", "Truth", "words"]


def words(text: str) -> tuple[str, ...]:
    """Its words."""
    return tuple(text.split())


FIRST_DAY = date(2026, 3, 2)
CATEGORIES = ("concert", "theatre", "football", "exhibition", "reading", "opera", "comedy", "workshop")
CITIES = words(
    "Adlern Brixau Calden Dornach Eschwil Faldon Gersau Halmar Istrin Jorvik Kelmen Lundau Morvan Nordby Oltera "
    "Pressig Quarten Rosnay Selvik Tarmont Ulmen Varnes Wexley Xanten Yverin Zorbig Ambria Belsk Corvo Delmar "
    "Elvas Fontis Grodno Hestra Ilmen Jastra Korvel Lesmo Mirna Novara"
)
_SYLLABLES = words("ka lo mi ren tas vor el dun gar ish pel nor sa tri um vel wyn zo bra cho")
_SHOWS = words("Night Tour Festival Evening Gala Session Live Cup Days Matinee Duo Ensemble")
_HALLS = ("Arena", "Theatre", "Hall", "Club", "Museum", "Stadium", "Library", "Church", "Castle", "Cellar")
_VENUES_A_CITY = 8
_LEAD_DAYS = 100  # the longest that an event is announced before it takes place
_CANCELLED = 0.03


@dataclass(frozen=True, slots=True)
class Event:
    """One event. Days count from :data:`FIRST_DAY`."""

    number: int
    name: str
    category: int
    city: int
    venue: str
    day: int
    announced: int
    withdrawn: int  # the day from which nobody announces it any more

    def is_current(self, today: int) -> bool:
        return self.announced <= today < self.withdrawn

    @property
    def date(self) -> str:
        return (FIRST_DAY + timedelta(days=self.day)).isoformat()

    @property
    def place(self) -> str:
        return f"{self.venue}, {CITIES[self.city]}"


class Truth:
    """All events of some months. About ``current`` of them are announced on any day from the 100th on."""

    def __init__(self, current: int, seed: int = 7, days: int = 150) -> None:
        rng = Random(f"truth {seed}")
        names = [_name(rng) for _ in range(max(50, current // 4))]
        venues = [[f"{rng.choice(_HALLS)} {_word(rng)}" for _ in range(_VENUES_A_CITY)] for _ in CITIES]
        first, last = -_LEAD_DAYS, days + _LEAD_DAYS
        count = int(current * (last - first) / (_LEAD_DAYS * 0.57))
        self.events = [self._event(number, rng, names, venues, first, last) for number in range(count)]

    @staticmethod
    def _event(number: int, rng: Random, names: list[str], venues: list[list[str]], first: int, last: int) -> Event:
        city = min(int(rng.expovariate(4.0) * len(CITIES)), len(CITIES) - 1)  # some are larger than others
        day = rng.randrange(first, last)
        announced = day - rng.randint(14, _LEAD_DAYS)
        withdrawn = rng.randint(announced + 1, day) if rng.random() < _CANCELLED else day + 1
        category = rng.randrange(len(CATEGORIES))
        venue = f"{rng.choice(venues[city])}"
        return Event(number, rng.choice(names), category, city, venue, day, announced, withdrawn)

    def current(self, today: int) -> list[Event]:
        """What is announced on a day, in order of day and number."""
        return sorted(
            (event for event in self.events if event.is_current(today)), key=lambda event: (event.day, event.number)
        )


def _word(rng: Random) -> str:
    return "".join(rng.choice(_SYLLABLES) for _ in range(rng.randint(2, 3))).capitalize()


def _name(rng: Random) -> str:
    words = [_word(rng) for _ in range(rng.randint(1, 2))]
    return " ".join([*words, rng.choice(_SHOWS)]) if rng.random() < 0.8 else " ".join(words)
