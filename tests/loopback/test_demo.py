"""The demo's web: the same each time, well connected, and a fair course for a focused crawler."""

from __future__ import annotations

import heapq
import http.client
import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from html import unescape
from urllib.parse import urljoin
from xml.etree import ElementTree

import numpy as np
import pytest
from selectolax.lexbor import LexborHTMLParser

from dowse.loopback import Ask, Resource, Web, in_thread
from dowse.loopback.demo import DEMO_KEYWORDS, DEMO_SEEDS, RELEVANT, demo_topic, demo_web, labels
from dowse.model.document_kinds import DOCUMENT_TYPES
from dowse.parse import parse_page

WEB = demo_web()
LABELS = labels(WEB)
PAGES = dict(WEB.fixed())
HREF = re.compile(r'(?:href|src)="([^"]+)"')
PAPERS = DOCUMENT_TYPES
BUDGET = 150
UNLINKED = 2  # pages that only the sitemap names


def links(url: str, pages: Mapping[str, Resource] = PAGES) -> tuple[str, ...]:
    """Where a fetch of the URL leads: its links, or the target of its redirect."""
    resource = pages.get(url)
    if resource is None:
        return ()
    location = dict(resource.headers).get("Location")
    if location:
        return (urljoin(url, location),)
    if resource.content_type in PAPERS:
        document = parse_page(resource.body, url=url, content_type=resource.content_type)
        return tuple(dict.fromkeys(urljoin(url, link.href) for link in document.links))
    if not (resource.content_type or "").startswith("text/html"):
        return ()
    found = HREF.findall(resource.body.decode("utf-8", "replace"))
    return tuple(dict.fromkeys(urljoin(url, unescape(link)) for link in found))


def crawl(worth: Callable[[str], float], budget: int, pages: Mapping[str, Resource] = PAGES) -> list[str]:
    """Fetch the most worthy known URL next, the earliest found among equals."""
    queue: list[tuple[float, int, str]] = []
    seen: set[str] = set()

    def found(urls: Iterable[str]) -> None:
        for url in urls:
            if url not in seen:
                seen.add(url)
                heapq.heappush(queue, (-worth(url), len(seen), url))

    found(DEMO_SEEDS)
    order: list[str] = []
    while queue and len(order) < budget:
        order.append(heapq.heappop(queue)[2])
        found(links(order[-1], pages))
    return order


def relevant(urls: Iterable[str]) -> int:
    return sum(LABELS.get(url) == RELEVANT for url in urls)


def text_of(url: str) -> str:
    resource = PAGES[url]
    if resource.content_type in PAPERS:
        return parse_page(resource.body, url=url, content_type=resource.content_type).text
    if resource.content_type and "html" in resource.content_type:
        return LexborHTMLParser(resource.body).text(separator=" ")
    return resource.body.decode()


def similarity(urls: list[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Jaccard similarity of 4-word shingles, for all pairs of pages."""
    shingles = []
    for url in urls:
        words = re.findall(r"\w+", text_of(url).lower())
        shingles.append({" ".join(words[start : start + 4]) for start in range(max(1, len(words) - 3))})
    spread = Counter(shingle for page in shingles for shingle in page)
    column = {shingle: number for number, shingle in enumerate(s for s, count in spread.items() if count > 1)}
    present = np.zeros((len(urls), len(column)), dtype=np.float32)
    for row, page in enumerate(shingles):
        present[row, [column[shingle] for shingle in page if shingle in column]] = 1
    both = (present @ present.T).astype(np.float64)
    sizes = np.array([len(page) for page in shingles], dtype=np.float64)
    return np.asarray(both / (sizes[:, None] + sizes[None, :] - both))


def test_the_same_seed_number_gives_the_same_bytes() -> None:
    again = dict(demo_web().fixed())
    assert again == PAGES
    assert list(again) == list(PAGES)
    other = dict(demo_web(8).fixed())
    assert other["http://lab.dowse.test/"].body != PAGES["http://lab.dowse.test/"].body


def test_size_and_share_of_each_topic() -> None:
    counts = Counter(LABELS.values())
    assert 400 <= len(LABELS) <= 620
    assert 60 <= counts[RELEVANT] <= 90
    assert all(counts[topic] >= 35 for topic in ("silicon", "batteries", "wind", "baking", "history", "football"))
    assert len(WEB.sites) == 15
    assert all(host.endswith(".dowse.test") for host in WEB.sites)


def test_every_page_has_a_label_and_every_label_a_page() -> None:
    pages = {
        url
        for url, resource in PAGES.items()
        if resource.status == 200 and not url.endswith(("robots.txt", "sitemap.xml"))
    }
    assert set(LABELS) == pages


@pytest.mark.parametrize("seed", [7, 1, 2])
def test_every_page_is_reachable_but_the_two_of_the_sitemap(seed: int) -> None:
    web = demo_web(seed)
    reached = set(crawl(lambda url: 0.0, 10_000, dict(web.fixed())))
    lost = {url for url in labels(web) if url not in reached}
    assert len(lost) == UNLINKED
    sitemap = web.sites["lab.dowse.test"].resources["/sitemap.xml"].body
    space = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    entries = {
        entry.findtext(f"{space}loc"): entry.findtext(f"{space}lastmod") for entry in ElementTree.fromstring(sitemap)
    }
    assert lost < set(entries)
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", day or "") for day in entries.values())


def test_breadth_first_wastes_its_budget_and_a_crawler_that_knew_would_not() -> None:
    blind = relevant(crawl(lambda url: 0.0, BUDGET))
    grades = {RELEVANT: 5.0, "silicon": 4.0, "batteries": 3.0, "hub": 2.0, "mixed": 1.0}
    greedy = relevant(crawl(lambda url: grades.get(LABELS.get(url, ""), 0.0), BUDGET))
    assert 1 <= blind <= BUDGET // 4
    assert greedy >= 3 * blind
    assert greedy >= BUDGET // 3


def shortest_ways() -> dict[str, list[str]]:
    """The shortest way from a seed to every page that can be reached."""
    ways = {seed: [seed] for seed in DEMO_SEEDS}
    queue = deque(DEMO_SEEDS)
    while queue:
        url = queue.popleft()
        for target in links(url):
            if target not in ways:
                ways[target] = [*ways[url], target]
                queue.append(target)
    return ways


def test_the_budget_suffices_for_every_relevant_page() -> None:
    ways = shortest_ways()
    wanted = [url for url, label in LABELS.items() if label == RELEVANT and url in ways]
    assert len({step for url in wanted for step in ways[url]}) <= BUDGET
    assert len(wanted) == relevant(LABELS) - UNLINKED


@pytest.mark.parametrize(
    "cluster", ["silicon.dowse.test/tandem/", "helios.dowse.test/film/", "garden.dowse.test/glass"]
)
def test_clusters_lie_behind_pages_on_other_topics(cluster: str) -> None:
    doors = {
        source for source in LABELS if cluster not in source and any(cluster in target for target in links(source))
    }
    assert doors
    assert all(LABELS[door] != RELEVANT for door in doors)


def test_pages_are_distinct_but_for_the_mirror() -> None:
    urls = list(LABELS)
    close = np.triu(similarity(urls), k=1) > 0.5
    pairs = {(urls[row], urls[column]) for row, column in np.argwhere(close)}
    mirrored = [url for url in urls if url.startswith("http://mirror.dowse.test/lab/")]
    assert len(mirrored) == 6
    assert pairs == {(url.replace("mirror.dowse.test/lab", "lab.dowse.test"), url) for url in mirrored}
    for original, copy in pairs:
        assert PAGES[original].body != PAGES[copy].body
        assert similarity([original, copy])[0, 1] > 0.8


def test_articles_are_of_a_natural_length() -> None:
    lengths = [len(text_of(url).split()) for url, label in LABELS.items() if label == RELEVANT]
    assert min(lengths) >= 60
    assert max(lengths) <= 700
    assert 200 <= sum(lengths) / len(lengths) <= 500
    assert all("{" not in text_of(url) and "\x00" not in text_of(url) for url in LABELS)


def test_the_portal_joins_topics_region_by_region() -> None:
    digest = LexborHTMLParser(PAGES["http://portal.dowse.test/digest/2"].body)
    regions = digest.css("div.region")
    topics = [
        {LABELS[urljoin("http://portal.dowse.test/", a.attributes["href"] or "")] for a in region.css("a")}
        for region in regions
    ]
    assert len(regions) == 5
    assert any(RELEVANT in found for found in topics)
    assert sum(RELEVANT not in found for found in topics) == 4


def test_the_calendar_never_ends() -> None:
    site = WEB.sites["council.dowse.test"]
    target = "/calendar/2024/05"
    seen = set()
    for _ in range(400):
        page = site.find(Ask(site.host, target))
        assert page.status == 200
        seen.add(target)
        target = re.findall(r'href="(/calendar/[\d/]+)">Next month', page.body.decode())[0]
    assert len(seen) == 400
    assert site.find(Ask(site.host, "/calendar/2024/05/17")).status == 200
    assert site.find(Ask(site.host, "/calendar/2024/13")).status == 404
    assert "http://council.dowse.test/calendar/2024/05" in links("http://council.dowse.test/")


def test_closed_doors_moved_pages_and_dead_ends() -> None:
    assert b"Disallow: /private/\nCrawl-delay: 0.5\n" in PAGES["http://council.dowse.test/robots.txt"].body
    assert "http://council.dowse.test/private/minutes.html" in links("http://council.dowse.test/")
    assert links("http://energy.dowse.test/thin-film") == ("http://lab.dowse.test/",)
    assert links("http://energy.dowse.test/solar-news/") == ("http://energy.dowse.test/solar/",)
    reached = crawl(lambda url: 0.0, 10_000)
    dead = [url for url in reached if url not in PAGES and "/calendar/" not in url]
    assert len(dead) >= 3
    assert PAGES["http://energy.dowse.test/report-2015.html"].status == 410


def test_pages_for_those_who_read_the_small_print() -> None:
    def body(url: str) -> bytes:
        return PAGES[url].body

    assert b'content="noindex"' in body("http://lab.dowse.test/news.html")
    assert b'content="noindex, nofollow"' in body("http://portal.dowse.test/login")
    assert b'rel="nofollow">Sign in' in body("http://kitchen.dowse.test/")
    assert b"<frameset" in body("http://chronicle.dowse.test/atlas/")
    assert b'<html lang="de">' in body("http://lab.dowse.test/de/")
    for url, encoding, word in (
        ("http://chronicle.dowse.test/cellar.html", "cp1252", "œnology"),
        ("http://rails.dowse.test/japan.html", "shift_jis", "鉄道"),
    ):
        assert word in body(url).decode(encoding)
        assert b"charset" not in body(url)
        assert PAGES[url].content_type == "text/html"
        with pytest.raises(UnicodeDecodeError):
            body(url).decode("utf-8")
    plain = [url for url in LABELS if (PAGES[url].content_type or "").startswith("text/plain")]
    assert len(plain) >= 30
    assert relevant(plain) == 12


def test_a_document_is_the_only_way_to_some_relevant_pages() -> None:
    report = "http://energy.dowse.test/reports/thin-film-outlook.pdf"
    assert LABELS[report] == RELEVANT
    only = {target for target in links(report) if LABELS[target] == RELEVANT}
    assert len(only) == 5
    others = {url: resource for url, resource in PAGES.items() if url != report}
    assert not only & set(crawl(lambda url: 0.0, 10_000, others)) & set(PAGES)
    assert {PAGES[url].content_type for url in LABELS if PAGES[url].content_type in PAPERS} == {
        "application/pdf", "application/rss+xml",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    }  # fmt: skip


def test_the_slow_host_is_slow_on_the_wire() -> None:
    assert {host: site.latency_s for host, site in WEB.sites.items() if site.latency_s} == {"theses.dowse.test": 0.15}
    small = Web.of(WEB.sites["theses.dowse.test"], WEB.sites["portal.dowse.test"])
    with in_thread(small) as server:
        for host in ("theses.dowse.test", "portal.dowse.test"):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
            connection.request("GET", "/", headers={"Host": host})
            response = connection.getresponse()
            assert response.read() == PAGES[f"http://{host}/"].body
            assert response.headers["Last-Modified"] == PAGES[f"http://{host}/"].modified
            connection.close()
        first, second = server.log
    assert second.time - first.time >= 0.15


def test_the_topic_is_ready_to_crawl() -> None:
    topic = demo_topic("127.0.0.1:8000")
    assert topic.seeds.urls == DEMO_SEEDS
    assert all(seed in PAGES for seed in DEMO_SEEDS)
    assert topic.network.resolve == {"*.dowse.test": "127.0.0.1:8000"}
    text = " ".join(text_of(url).lower() for url, label in LABELS.items() if label == RELEVANT)
    assert all(keyword.text in text for keyword in DEMO_KEYWORDS)
