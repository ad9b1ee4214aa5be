"""A made web of thousands of small sites, as a corpus: ``python -m bench.wide_web FOLDER [--hosts 2000]``.

No recorded web at hand has more than a hundred hosts. What this one has in common with the real one:

* sites are of very different sizes (log-normal; most have a dozen pages, a few some hundred), and so is how many links
  they get (Zipf): a few are known to everybody;
* **topical locality**: most pages of a site are on its main topic (nine in ten; on every fourth site, a portal, half),
  and three of four links that leave a site lead to pages on the topic of the page that they stand on (Davison, Topical
  locality in the Web, SIGIR 2000, found linked pages to be far more alike than chance);
* the ten topics are of different size, and some share words: batteries, silicon, wind and perovskites.

Pages are articles in one of ten voices (those of the demo), entry pages that list them, and further pages of these
lists. ``labels.csv`` tells the topic of each article, ``roots.csv`` the entry pages. The same arguments write the same
bytes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from random import Random

from dowse.loopback.page_layout import SKINS, Dress, Link, Page, render_html
from dowse.loopback.prose import TOPICS, voice
from dowse.model.http import Response
from dowse.store.warc import compose, warcinfo

__all__ = ["HOSTS", "Site", "plan_sites", "write_wide_web"]

HOSTS = 2000
_SIZES = {
    "perovskite": 4, "silicon": 6, "batteries": 7, "wind": 7, "railways": 10, "cinema": 12, "gardening": 12,
    "history": 14, "football": 14, "baking": 14,
}  # fmt: skip
"""Of a hundred sites, those whose main topic it is."""
_MEDIAN_PAGES, _SPREAD, _FEWEST, _MOST = 8, 0.9, 3, 300
_PORTALS = 0.25  # of all sites
_ON_TOPIC, _ON_TOPIC_PORTAL = 0.9, 0.5  # of a site's pages
_ZIPF = 0.8  # of the links that sites get
_LEAVE = 0.45  # of an article's links, in one draw after another: 0.8 leave a site on average
_ALIKE = 0.75  # of these, those to pages on the same topic
_TO_ENTRY = 0.4  # and those to an entry page
_SAY_NOTHING = 0.2  # of anchors
_PER_LIST = 18
_FRIENDS = 4  # sites that an entry page names
_MADE_AT = 1_730_000_000.0


@dataclass(slots=True)
class Site:
    """A site as planned."""

    host: str
    topic: str
    dress: Dress
    articles: list[Page] = field(default_factory=list)
    lists: list[Page] = field(default_factory=list)  # the first is the entry page


class _Sites:
    """Sites by topic, drawn as often as they are known."""

    def __init__(self, sites: Sequence[Site], dice: Random) -> None:
        self._of: dict[str, tuple[list[Site], list[float]]] = {}
        for topic in TOPICS:
            own = [site for site in sites if any(page.topic == topic for page in site.articles)]
            dice.shuffle(own)
            self._of[topic] = own, list(accumulate((rank + 1) ** -_ZIPF for rank in range(len(own))))

    def draw(self, topic: str, dice: Random) -> Site | None:
        sites, known = self._of[topic]
        return dice.choices(sites, cum_weights=known)[0] if sites else None


def plan_sites(hosts: int, seed: int) -> list[Site]:
    """The sites, with all their links."""
    dice = Random(f"wide web {seed}")
    sites = [_site(number, dice) for number in range(hosts)]
    known = _Sites(sites, dice)
    for site in sites:
        _weave(site, dice)
        _name_friends(site, known, dice)
        for page in site.articles:
            while dice.random() < _LEAVE:
                _link_out(site, page, known, dice)
    return sites


def _site(number: int, dice: Random) -> Site:
    topic = _draw_topic(dice)
    host = f"{topic if dice.random() < 0.3 else 'site'}-{number}.test"  # a registered domain of its own
    name = f"{voice(topic).draw('place', dice)} {number}"
    menu = (Link(f"http://{host}/", "Home"), Link(f"http://{host}/about.html", "About"))
    site = Site(host, topic, Dress(name, voice(topic).draw("headings", dice), dice.choice(sorted(SKINS)), menu, menu))
    share = _ON_TOPIC_PORTAL if dice.random() < _PORTALS else _ON_TOPIC
    size = min(_MOST, max(_FEWEST, round(dice.lognormvariate(0.0, _SPREAD) * _MEDIAN_PAGES)))
    for article in range(size):
        own = topic if dice.random() < share else _draw_topic(dice)
        told = voice(own)
        focus = told.focus(dice)
        title = told.say(told.fill("{titles}", dice, focus), dice)
        slug = "-".join(focus.lower().replace(",", "").split())[:50]
        url = f"http://{host}/{own if dice.random() < 0.2 else 'articles'}/{article}-{slug}.html"
        site.articles.append(Page(url, own, own, title, focus, dice.randint(80, 260)))
    return site


def _draw_topic(dice: Random) -> str:
    return dice.choices(list(_SIZES), weights=list(_SIZES.values()))[0]


def _weave(site: Site, dice: Random) -> None:
    """Lists of all articles, and links between these: to the next, and to others, those on its topic first."""
    parts = [site.articles[start : start + _PER_LIST] for start in range(0, len(site.articles), _PER_LIST)]
    paths = ["/", *(f"/older/{number}.html" for number in range(1, len(parts)))]
    for number, part in enumerate(parts):
        title = site.dress.name if number == 0 else f"{site.dress.name}, page {number + 1}"
        page = Page(f"http://{site.host}{paths[number]}", site.topic, "", title, site.topic, 40 if number == 0 else 0)
        page.listed = [Link(article.url, article.title) for article in part]
        if number + 1 < len(parts):
            page.related.append(Link(f"http://{site.host}{paths[number + 1]}", "Older entries"))
        site.lists.append(page)
    about = Page(f"http://{site.host}/about.html", site.topic, "", f"About {site.dress.name}", site.topic, 60)
    site.lists.append(about)
    for number, page in enumerate(site.articles):
        alike = [other for other in site.articles if other.topic == page.topic and other is not page]
        near = [site.articles[(number + 1) % len(site.articles)], *dice.sample(alike, min(2, len(alike)))]
        for target in near:
            if target is not page:
                page.in_text.append(Link(target.url, _anchor(page, target, dice)))


def _name_friends(site: Site, known: _Sites, dice: Random) -> None:
    for _ in range(_FRIENDS):
        topic = site.topic if dice.random() < _ALIKE else _draw_topic(dice)
        other = known.draw(topic, dice)
        if other is not None and other is not site:
            site.lists[0].related.append(Link(f"http://{other.host}/", other.dress.name))


def _link_out(site: Site, page: Page, known: _Sites, dice: Random) -> None:
    topic = page.topic if dice.random() < _ALIKE else _draw_topic(dice)
    other = known.draw(topic, dice)
    if other is None or other is site:
        return
    if dice.random() < _TO_ENTRY:
        page.in_text.append(Link(f"http://{other.host}/", other.dress.name))
        return
    target = dice.choice([article for article in other.articles if article.topic == topic])
    page.in_text.append(Link(target.url, _anchor(page, target, dice)))


def _anchor(page: Page, target: Page, dice: Random) -> str:
    return voice(page.topic).fill("{vague}", dice) if dice.random() < _SAY_NOTHING else target.focus


def _responses(sites: Sequence[Site], seed: int) -> Iterator[Response]:
    for site in sites:
        for page in (*site.lists, *site.articles):
            body = render_html(page, site.dress, Random(f"page {seed} {page.url}")).encode()
            yield Response(page.url, 200, (("Content-Type", "text/html; charset=utf-8"),), body, "OK")


def write_wide_web(folder: Path, *, hosts: int = HOSTS, seed: int = 1) -> None:
    """Write the corpus; the folder need not be there."""
    sites = plan_sites(hosts, seed)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "pages.warc.gz").open("wb") as stream:
        stream.write(warcinfo("pages.warc.gz", _MADE_AT, {"description": f"a made web of {hosts} hosts, seed {seed}"}))
        for response in _responses(sites, seed):
            stream.write(compose(response, _MADE_AT)[1])
    labels = [f"{page.url},{page.label}" for site in sites for page in site.articles]
    (folder / "labels.csv").write_text("\n".join(["url,label", *labels]) + "\n", encoding="utf-8")
    entries = [f"http://{site.host}/" for site in sites]
    (folder / "roots.csv").write_text("\n".join(["url", *entries]) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--hosts", type=int, default=HOSTS)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    write_wide_web(given.folder, hosts=given.hosts, seed=given.seed)


if __name__ == "__main__":
    main()
