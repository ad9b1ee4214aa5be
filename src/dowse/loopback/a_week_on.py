"""The demo's web as it is a week later: some pages have news, some are gone, and some are new."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import format_datetime
from html import escape
from random import Random

import xxhash

from dowse.loopback.demo import NEWEST, demo_web
from dowse.loopback.demo_sites import plan_demo
from dowse.loopback.page_layout import Link, Page, render_html
from dowse.loopback.prose import voice
from dowse.loopback.site_plan import Plan
from dowse.loopback.web import HTML, Resource, Site, Web

__all__ = ["a_week_on"]

_PARTS = 20  # pages are told apart by lot: of so many ...
_GONE, _NEWS = 1, 5  # ... the first are gone, and up to here they have news
_AREA = 3  # articles on a topic, from which on a site writes another one
_RELATED = 2
_CHANGED = format_datetime(datetime.fromtimestamp(NEWEST + 7 * 86_400, UTC), usegmt=True)


def a_week_on(seed: int = 7) -> Web:
    """The demo's web a week on: of its plain pages one in five has news, and one in twenty is not there any more. Each
    site has written an article on each of its topics, and its front page leads there."""
    web, plan = demo_web(seed), plan_demo(seed)
    return Web({host: _later(site, plan, seed) for host, site in web.sites.items()})


def _later(site: Site, plan: Plan, seed: int) -> Site:
    made: dict[str, Resource] = {}
    for path, resource in site.resources.items():
        page = plan.pages.get(f"http://{site.host}{path}")
        lot = xxhash.xxh3_64_intdigest(f"{site.host}{path}".encode()) % _PARTS
        if page is None or path == "/" or resource.content_type != HTML or lot >= _NEWS:
            made[path] = resource
        elif lot >= _GONE:
            made[path] = _with(resource, f"<p>Added this week: {_news(page, seed)}</p>")
    articles = _articles(site.host, plan, {f"http://{site.host}{path}" for path in made}, seed)
    if articles:
        listed = "".join(f'<li><a href="{_path(page)}">{escape(page.title)}</a></li>' for page in articles)
        made["/"] = _with(made["/"], f"<h2>New this week</h2><ul>{listed}</ul>")
    for page in articles:
        body = render_html(page, plan.dresses[site.host], Random(f"page {seed} {page.url}"))
        made[_path(page)] = Resource(body.encode(), modified=_CHANGED, label=page.label)
    return replace(site, resources=made)


def _news(page: Page, seed: int) -> str:
    """A sentence that no other page has: what many pages of a site say is no news to anybody."""
    return escape(voice(page.topic).draw("says", Random(f"news {seed} {page.url}"), page.focus), quote=False)


def _articles(host: str, plan: Plan, left: set[str], seed: int) -> list[Page]:
    """One on each topic of the site, on a subject that it has not written about. They lead to ``left`` pages."""
    before = [page for page in plan.pages.values() if page.host == host and page.topic == page.label and page.words]
    made = []
    for topic, count in sorted(Counter(page.topic for page in before if not page.plain).items()):
        if count < _AREA:
            continue
        own, rng = voice(topic), Random(f"week {seed} {host} {topic}")
        taken = {page.focus for page in before}
        while (focus := own.focus(rng)) in taken:
            pass
        title = own.say(own.fill("{titles}", rng, focus), rng)
        page = Page(f"http://{host}/this-week/{topic}", topic, topic, title, focus, rng.randint(170, 450))
        older = [Link(old.url, old.title) for old in before if old.topic == topic and old.url in left]
        page.related = rng.sample(older, min(_RELATED, len(older)))
        made.append(page)
    return made


def _path(page: Page) -> str:
    return page.url.removeprefix(f"http://{page.host}")


def _with(resource: Resource, more: str) -> Resource:
    body = resource.body.replace(b"</body>", f"{more}</body>".encode())
    return replace(resource, body=body, modified=_CHANGED)
