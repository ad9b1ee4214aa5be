"""Plain English about a topic, written by pattern: the text of made pages.

A vocabulary (``vocabulary/*.toml``) holds word lists and sentence patterns. A pattern's ``{slot}`` draws from the list
of that name, ``{a|b}`` draws one of the words given and ``{10-90}`` a whole number; what was drawn may hold slots
itself. Patterns stay in the past tense or use modal verbs, so that subjects of either number fit.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from random import Random

__all__ = ["LINK", "TOPICS", "Section", "Voice", "voice"]

TOPICS = (
    "perovskite", "silicon", "batteries", "wind", "baking", "history", "football", "gardening", "cinema", "railways",
)  # fmt: skip
LINK = "\x00"
"""Stands in a sentence where a link belongs."""

_SLOT = re.compile(r"\{([^{}]+)\}")
_RANGE = re.compile(r"(\d+)-(\d+)")
_ARTICLE = re.compile(r"\b([Aa]) (?=(?!one|uni|use)[aeiou])")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and its paragraphs, each a list of sentences."""

    heading: str
    paragraphs: tuple[tuple[str, ...], ...]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


class Voice:
    """Writes about one topic. All chance comes from the generator passed in."""

    def __init__(self, topic: Mapping[str, Sequence[str]], general: Mapping[str, Sequence[str]]) -> None:
        self._lists = {**general, **topic}
        self._own = topic["says"]
        self._shared = general["says"]
        self._headings = [*topic["headings"], *general["headings"]]

    def patterns(self, name: str) -> Sequence[str]:
        """One of its lists, unfilled."""
        return self._lists[name]

    def fill(self, pattern: str, rng: Random, focus: str = "") -> str:
        """Fill a pattern's slots; no word list gives the same entry twice in one pattern."""
        drawn: set[str] = set()

        def draw(match: re.Match[str]) -> str:
            slot = match[1]
            if slot == "focus" and focus:
                return focus
            if slot == "link":
                return LINK
            numbers = _RANGE.fullmatch(slot)
            if numbers:
                return str(rng.randint(int(numbers[1]), int(numbers[2])))
            choices = slot.split("|") if "|" in slot else self._lists[slot]
            chosen = rng.choice([choice for choice in choices if choice not in drawn] or choices)
            drawn.add(chosen)
            return _SLOT.sub(draw, chosen)

        return _ARTICLE.sub(r"\1n ", _SLOT.sub(draw, pattern))

    def say(self, pattern: str, rng: Random, focus: str = "") -> str:
        """A filled pattern, as a sentence begins."""
        return _capital(self.fill(pattern, rng, focus))

    def draw(self, name: str, rng: Random, focus: str = "") -> str:
        """A filled entry of one list, as a sentence begins."""
        return self.say(rng.choice(self._lists[name]), rng, focus)

    def focus(self, rng: Random) -> str:
        """A subject for a page, as it stands inside a sentence."""
        return self.fill(rng.choice(self._lists["focus"]), rng)

    def sentences(self, rng: Random, focus: str, words: int) -> list[str]:
        """About ``words`` words: opening, a mix of the topic's own and shared patterns, closing. A pattern comes back
        only when all have been used."""
        text = [self.draw("opening", rng, focus)]
        own: list[str] = []
        shared: list[str] = []
        count = len(text[0].split())
        while count < words:
            own = own or rng.sample(self._own, len(self._own))
            shared = shared or rng.sample(self._shared, len(self._shared))
            text.append(self.say((own if rng.random() < 0.6 else shared).pop(), rng, focus))
            count += len(text[-1].split())
        return [*text, self.draw("closing", rng, focus)]

    def sections(self, rng: Random, focus: str, words: int) -> list[Section]:
        """An article's text under headings."""
        rest = self.sentences(rng, focus, words)
        headings = rng.sample(self._headings, len(self._headings))
        made = []
        while rest:
            paragraphs = []
            for _ in range(rng.randint(1, 3)):
                size = rng.randint(2, 5)
                if rest:
                    paragraphs.append(tuple(rest[:size]))
                rest = rest[size:]
            made.append(Section(self.say(headings.pop(), rng, focus), tuple(paragraphs)))
        return made


@lru_cache(maxsize=32)
def voice(topic: str) -> Voice:
    """The voice of a topic in :data:`TOPICS`."""
    folder = files("dowse.loopback") / "vocabulary"
    own, general = (tomllib.loads((folder / f"{name}.toml").read_text("utf-8")) for name in (topic, "general"))
    return Voice(own, general)
