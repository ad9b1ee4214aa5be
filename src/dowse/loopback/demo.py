"""The demo's frozen web: some 550 linked pages on fifteen hosts under ``dowse.test``, made afresh from a seed number.

The topic is perovskite solar cells: about one page in eight. What makes it a fair course for a focused crawler:

* the seeds, a portal and an energy hub, stand amid large areas on other topics (football, bread, cinema ...);
* relevant pages lie in clusters: one is near the hub, the others behind pages that are less relevant (a battery site
  leads to a coating firm, silicon articles to tandem cells, a gardening page to solar glasshouses);
* the portal's digests join several topics on a page, a region each;
* a few documents stand among the pages: one, a PDF, is the only way to some relevant pages;
* there are mirrors, dead links, a moved page, a slow host, an endless calendar, robots rules, a sitemap with pages
  that nothing links to, plain text, frames, other languages and undeclared encodings.

The seed number changes words, titles, addresses and the links inside an area, not the skeleton: which area leads to
which, and how large each is, stay as written in ``demo_sites``. Webs of several seed numbers are therefore no
independent samples, and a mean over them says nothing about how a strategy fares on another web.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from email.utils import format_datetime
from random import Random

from dowse.loopback.demo_sites import COUNCIL, FEED, HOSTS, LAB, MIRROR, PORTAL, THESES, plan_demo
from dowse.loopback.oddities import atlas, calendar, german_page, japanese_page, latin_page
from dowse.loopback.page_layout import Page, frame, render_html, render_paper, render_text
from dowse.loopback.paper import Entry, made_feed
from dowse.loopback.prose import voice
from dowse.loopback.site_plan import SIGN_IN, Plan
from dowse.loopback.web import HTML, TEXT, Resource, Site, Web, redirect
from dowse.model.budget import Budget
from dowse.model.topic import JudgeSettings, Keyword, Network, Politeness, Scope, Seeds, Topic

__all__ = ["DEMO_KEYWORDS", "DEMO_QUERY", "DEMO_SEEDS", "NEWEST", "RELEVANT", "demo_topic", "demo_web", "labels"]

RELEVANT = "perovskite"
"""The label of the pages the demo looks for."""

DEMO_QUERY = "perovskite solar cells"
DEMO_SEEDS = ("http://portal.dowse.test/", "http://energy.dowse.test/")
DEMO_KEYWORDS = (
    Keyword("perovskite", 3.0),
    Keyword("perovskite solar cells", 3.0),
    Keyword("lead halide", 2.0),
    Keyword("lead iodide", 2.0),
    Keyword("tandem cells", 1.5),
    Keyword("passivation", 1.0),
    Keyword("bandgap", 1.0),
    Keyword("photoluminescence", 1.0),
    Keyword("open-circuit voltage", 1.0),
    Keyword("solar cells", 0.5),
)
_SLOW_S = 0.15
_PORTAL = f"http://{PORTAL}"
_TYPES = {
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}
NEWEST = 1_730_000_000  # pages were "last changed" in the three years before
_SPAN = 3 * 365 * 86_400


def _resources(plan: Plan, seed: int) -> tuple[dict[str, dict[str, Resource]], dict[str, str]]:
    """The planned pages written out, by host and path; and the day each URL was last changed."""
    hosts: dict[str, dict[str, Resource]] = {host: {} for host in plan.dresses}
    days: dict[str, str] = {}
    for url, page in plan.pages.items():
        rng = Random(f"page {seed} {url}")
        changed = datetime.fromtimestamp(NEWEST - rng.randrange(_SPAN), UTC)
        target = url.removeprefix(f"http://{page.host}")
        hosts[page.host][target] = Resource(
            *_written(page, plan, rng), modified=format_datetime(changed, usegmt=True), label=page.label
        )
        days[url] = changed.date().isoformat()
    return hosts, days


def _written(page: Page, plan: Plan, rng: Random) -> tuple[bytes, str]:
    """A page's body, and its type."""
    if page.paper:
        return render_paper(page, rng), _TYPES[page.paper]
    if page.plain:
        return render_text(page, rng).encode(), TEXT
    return render_html(page, plan.dresses[page.host], rng).encode(), HTML


def _feed(plan: Plan, seed: int) -> Resource:
    """The portal's newest, as RSS: articles of its science desk, and digests."""
    rng = Random(f"feed {seed}")
    pages = [page for url, page in plan.pages.items() if url.startswith((f"{_PORTAL}/science/", f"{_PORTAL}/digest/"))]
    articles = [page for page in pages if page.words or page.regions]
    entries = [
        Entry(page.title, page.url, voice(page.topic).draw("says", rng, page.focus)) for page in reversed(articles)
    ]
    name = plan.dresses[PORTAL].name
    return Resource(
        made_feed(name, f"{_PORTAL}/", entries, about=plan.dresses[PORTAL].motto), "application/rss+xml", label="mixed"
    )


def _mirror(hosts: dict[str, dict[str, Resource]]) -> None:
    """Copies of laboratory pages under another host: the same text, another name in the head, links to the original."""
    copies = [path for path in hosts[LAB] if path.startswith("/research/") and "page=" not in path][1:7]
    for path in copies:
        original = hosts[LAB][path]
        body = original.body.replace(b"Thin-Film Laboratory", b"Thin-Film Laboratory (mirror)")
        body = body.replace(b'href="/', f'href="http://{LAB}/'.encode())
        hosts[MIRROR][f"/lab{path}"] = replace(original, body=body, modified=None)
    listed = "".join(f'<li><a href="/lab{path}">Copy of {path[10:-5].replace("-", " ")}</a></li>' for path in copies)
    page = f"<!doctype html><title>Mirror</title><h1>Mirrored for visitors abroad</h1><ul>{listed}</ul>"
    hosts[MIRROR]["/"] = Resource(page.encode(), label="hub")


def _sitemap(host: str, paths: list[str], days: dict[str, str]) -> Resource:
    entries = "".join(
        f"<url><loc>http://{host}{path}</loc><lastmod>{days[f'http://{host}{path}']}</lastmod></url>\n"
        for path in paths
        if "?" not in path
    )
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}</urlset>\n'
    )
    return Resource(text.encode(), "application/xml")


def _robots(*lines: str) -> Resource:
    return Resource("\n".join((*lines, "")).encode(), TEXT)


def _oddities(plan: Plan, hosts: dict[str, dict[str, Resource]]) -> None:
    """What is no ordinary article: redirects, robots rules, frames, languages, encodings, closed doors."""
    energy, portal, council = hosts["energy.dowse.test"], hosts["portal.dowse.test"], hosts[COUNCIL]
    energy["/thin-film"] = redirect(f"http://{LAB}/", 301)
    energy["/solar-news/"] = redirect("/solar/", 302)
    energy["/report-2015.html"] = Resource(b"<title>Gone</title><p>This report was withdrawn.</p>", status=410)
    portal[SIGN_IN.removeprefix("http://portal.dowse.test")] = Resource(
        frame(
            plan.dresses["portal.dowse.test"],
            "portal.dowse.test",
            "Sign in",
            "<h1>Sign in</h1><p>Members only.</p>",
            robots="noindex, nofollow",
        ).encode(),
        label="other",
    )
    hosts[LAB]["/de/"] = german_page(LAB, plan.dresses[LAB])
    hosts["chronicle.dowse.test"]["/cellar.html"] = latin_page()
    hosts["chronicle.dowse.test"]["/atlas/"] = atlas("/county/", "/about.html")
    hosts["rails.dowse.test"]["/japan.html"] = japanese_page()
    council["/robots.txt"] = _robots("User-agent: *", "Disallow: /private/", "Crawl-delay: 0.5")
    for name in ("minutes", "salaries"):
        body = f"<title>Private</title><h1>Private {name}</h1><p>Not for crawlers.</p>"
        council[f"/private/{name}.html"] = Resource(body.encode(), label="private")


def demo_web(seed: int = 7) -> Web:
    """The demo's web; the same bytes for the same seed number."""
    plan = plan_demo(seed)
    hosts, days = _resources(plan, seed)
    sitemap = _sitemap(LAB, list(hosts[LAB]), days)
    _mirror(hosts)
    _oddities(plan, hosts)
    hosts[PORTAL][FEED] = _feed(plan, seed)
    hosts[LAB]["/sitemap.xml"] = sitemap
    hosts[LAB]["/robots.txt"] = _robots("User-agent: *", "Allow: /", f"Sitemap: http://{LAB}/sitemap.xml")
    makers = {COUNCIL: {"/calendar/": calendar(COUNCIL, plan.dresses[COUNCIL])}}
    return Web.of(
        *(Site(host, hosts[host], makers.get(host, {}), latency_s=_SLOW_S if host == THESES else 0.0) for host in HOSTS)
    )


def labels(web: Web) -> dict[str, str]:
    """The ground truth: the topic of every page that has one, by URL. Pages that are made on request have none."""
    return {url: resource.label for url, resource in web.fixed() if resource.label}


def demo_topic(address: str) -> Topic:
    """The demo's topic, for its web served at ``address`` (``127.0.0.1:8000``)."""
    return Topic(
        name="demo",
        query=DEMO_QUERY,
        keywords=DEMO_KEYWORDS,
        seeds=Seeds(urls=DEMO_SEEDS),
        scope=Scope(domains=("dowse.test",)),
        budget=Budget(pages=150),
        judge=JudgeSettings(threshold=0.2),  # about these cells, not merely about solar power
        politeness=Politeness(delay_s=0.03),  # enough to see it at work
        network=Network(concurrency=8, allow_private=True, resolve={"*.dowse.test": address}),
    )
