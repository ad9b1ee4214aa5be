"""A web of pages that change at known rates (Poisson), some of them worth more than others."""

from __future__ import annotations

import random
from dataclasses import dataclass

from dowse.lab.freshness.changing_web import ChangingWeb, Version

__all__ = ["QUERY", "Simulated", "simulated_web"]

QUERY = "perovskite solar cells"
_DAY_S = 86_400.0
_WORDS = ("garden", "river", "window", "letter", "music", "station", "harbour", "winter", "paper", "market", "forest")
_SITES = 10
_ABOUT = (0, 0, 0, 0, 2, 8)  # times that a page names the subject: a third of them do, as in a focused crawl


@dataclass(frozen=True, slots=True)
class Simulated:
    """The web, and the rate of each of its pages (changes a second)."""

    web: ChangingWeb
    entry: str
    rates: dict[str, float]


def simulated_web(pages: int, start: float, days: float, seed: int = 7) -> Simulated:
    """Pages whose rates are spread widely (a gamma distribution of shape a half; once in 20 days in the mean), whatever
    they are worth. A third of them is on the subject, as in a focused crawl."""
    dice = random.Random(seed)
    versions: dict[str, list[Version]] = {}
    rates: dict[str, float] = {}
    for number in range(pages):
        url = f"http://s{number % _SITES}.test/{number}"
        rates[url] = dice.gammavariate(0.5, 2.0) / (20 * _DAY_S)
        about = dice.choice(_ABOUT)
        at, edition = start - 1.0, 0
        while at < start + days * _DAY_S:
            versions.setdefault(url, []).append((at, _page(number, edition, about, dice)))
            at, edition = max(at, start) + dice.expovariate(rates[url]), edition + 1
    entry = "http://s0.test/"
    links = " ".join(f'<a href="{url}">page {place}</a>' for place, url in enumerate(versions))
    web = ChangingWeb({**versions, entry: [(0.0, f"<title>All</title><p>{links}".encode())]})
    return Simulated(web, entry, rates)


def _page(number: int, edition: int, about: int, dice: random.Random) -> bytes:
    words = [QUERY] * about + dice.choices(_WORDS, k=40 - about)
    dice.shuffle(words)
    text = f"n{number} edition e{edition}x{number} " + " ".join(words)
    return f"<title>Page {number}</title><p>{text}</p>".encode()
