"""The plan of a made web: pages in areas, woven together by links. It decides structure; ``page_layout`` writes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from dowse.loopback.page_layout import Dress, Link, Page, Region
from dowse.loopback.prose import voice

__all__ = ["SIGN_IN", "Plan"]

SIGN_IN = "http://portal.dowse.test/login"

_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_PER_LIST = 18
_VAGUE_SHARE = 0.2  # of links in running text, those whose anchor says nothing
_SUBJECTS = {
    "perovskite": "perovskite solar cells",
    "silicon": "silicon photovoltaics",
    "batteries": "batteries",
    "wind": "wind power",
    "baking": "baking bread at home",
    "history": "life in a medieval county",
    "football": "the football season",
    "gardening": "the kitchen garden",
    "cinema": "the great age of cinema",
    "railways": "country railways",
}


def _slug(text: str) -> str:
    return _NOT_SLUG.sub("-", text.lower()).strip("-")[:60].rstrip("-")


class Plan:
    """Pages by URL and sites by host. The same seed number always gives the same plan."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(f"plan {seed}")
        self.pages: dict[str, Page] = {}
        self.dresses: dict[str, Dress] = {}
        self._titles: set[str] = set()

    def site(self, host: str, name: str, motto: str, skin: str, menu: Sequence[tuple[str, str]]) -> None:
        """A site, with the menu (anchor, path) and footer that all its pages show."""
        links = tuple(Link(f"http://{host}{path}", anchor) for anchor, path in menu)
        footer = (
            Link(f"http://{host}/", "Home"),
            Link(f"http://{host}/about.html", "About us"),
            Link(SIGN_IN, "Sign in", rel="nofollow"),
        )
        self.dresses[host] = Dress(name, motto, skin, links, footer)
        general = voice("history")
        about = self.page(host, "/about.html", "history", f"About {name}", label="other")
        picked = self.rng.sample(general.patterns("about"), 3)
        about.note = " ".join(general.say(pattern.replace("{site}", name), self.rng) for pattern in picked)

    def page(self, host: str, path: str, topic: str, title: str, *, label: str | None = None, words: int = 0) -> Page:
        """A page with a title of its own."""
        page = Page(f"http://{host}{path}", topic, label or topic, title, _SUBJECTS[topic], words)
        assert page.url not in self.pages, page.url
        self.pages[page.url] = page
        return page

    def area(self, host: str, pattern: str, topic: str, count: int) -> list[Page]:
        """``count`` articles on a topic. ``pattern`` is their path, with {slug}, {number}, {year} or {month}."""
        made: list[Page] = []
        own = voice(topic)
        while len(made) < count:
            focus = own.focus(self.rng)
            title = own.say(own.fill("{titles}", self.rng, focus), self.rng)
            path = pattern.format(
                slug=_slug(focus),
                number=self.rng.randint(1000, 9999),
                year=self.rng.randint(2017, 2024),
                month=f"{self.rng.randint(1, 12):02}",
            )
            url = f"http://{host}{path}"
            if focus in self._titles or url in self.pages:
                continue
            self._titles.add(focus)
            page = Page(url, topic, topic, title, focus, self.rng.randint(170, 450))
            self.pages[url] = page
            made.append(page)
        return made

    def weave(self, area: Sequence[Page], others: Sequence[Page] = ()) -> None:
        """Link an area within itself: each page to the next one, and to a few more; now and then to ``others``."""
        for number, page in enumerate(area):
            near = [area[(number + 1) % len(area)], *self.rng.sample(area, min(5, len(area)))]
            fresh = [target for target in dict.fromkeys(target.url for target in near) if target != page.url]
            for url in fresh[:3]:
                self.mention(page, self.pages[url])
            for url in fresh[3:]:
                page.related.append(Link(url, self.pages[url].title))
            if others and self.rng.random() < 0.3:
                self.mention(page, self.rng.choice(others))

    def mention(self, source: Page, target: Page, anchor: str | None = None) -> None:
        """A link in the source's running text."""
        if anchor is None:
            anchor = (
                target.focus if self.rng.random() >= _VAGUE_SHARE else voice(source.topic).fill("{vague}", self.rng)
            )
        source.in_text.append(Link(target.url, anchor))

    def shelf(self, host: str, path: str, topic: str, title: str, pages: Sequence[Page], *, words: int = 40) -> Page:
        """A list of pages, in parts that lead from one to the next; the first part."""
        parts = [pages[start : start + _PER_LIST] for start in range(0, len(pages), _PER_LIST)]
        first = None
        for number, part in enumerate(parts, start=1):
            here = path if number == 1 else f"{path}{'&' if '?' in path else '?'}page={number}"
            heading = title if number == 1 else f"{title}, page {number}"
            page = self.page(host, here, topic, heading, words=words if number == 1 else 0)
            page.listed = [Link(target.url, target.title) for target in part]
            if number < len(parts):
                page.related.append(
                    Link(f"http://{host}{path}{'&' if '?' in path else '?'}page={number + 1}", "Older entries")
                )
            first = first or page
        assert first is not None
        return first

    def region(self, heading: str, topic: str, pages: Sequence[Page]) -> Region:
        """A part of a page with its own topic."""
        return Region(heading, topic, tuple(Link(page.url, page.title) for page in pages))
