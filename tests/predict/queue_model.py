"""WebCrawler's queue with local-site priority, written down from the sentences of METHODS, section 2: plain lists and
dicts, and nothing of Dowse's."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True)
class QueuedPage:
    accepted: bool  # by ERID
    links: tuple[str, ...] = ()


@dataclass(frozen=True)
class QueuedWeb:
    """What is in none of the tables is not there (404)."""

    seeds: tuple[str, ...]
    pages: dict[str, QueuedPage] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    faults: dict[str, int] = field(default_factory=dict)  # how often a URL answers 503 before it answers otherwise
    forbidden: frozenset[str] = frozenset()  # by robots.txt


@dataclass
class Crawled:
    """What a crawl did."""

    asked: list[str] = field(default_factory=list)  # in order, each attempt
    levels: dict[str, int] = field(default_factory=dict)
    processed: set[str] = field(default_factory=set)
    stopped_at: set[str] = field(default_factory=set)  # pages that were not gone on from
    refused: Counter[str] = field(default_factory=Counter)  # links, by rule


def site_of(url: str) -> str:
    scheme, host = url.split("/")[0], url.split("/")[2]
    assert scheme in ("http:", "https:")
    return host[4:] if host.startswith("www.") else host


def queue_model(web: QueuedWeb, sites: int, free_levels: int, most_attempts: int) -> Crawled:
    """The whole crawl of a web."""
    done = Crawled()
    queue = list(dict.fromkeys(web.seeds))
    known = set(queue)
    listed = set(queue)  # seeds, and where their redirects lead
    level: dict[str, int] = {}  # of what a page of the same site links to
    current: list[str] = []
    while True:
        for site in list(current):  # "until none waits; then the site joins the set of processed sites"
            if not any(site_of(url) == site for url in queue):
                current.remove(site)
                done.processed.add(site)
        for url in queue:  # "and the site of the oldest waiting URL becomes current"
            if len(current) < sites and site_of(url) not in current:
                current.append(site_of(url))
        if not queue:
            return done
        url = next(url for url in queue if site_of(url) in current)
        place = queue.index(url)
        queue.pop(place)
        if url in web.forbidden:
            continue
        here = level.get(url, 0)
        done.levels[url] = here
        failing = web.faults.get(url, 0)
        done.asked += [url] * min(failing + 1, most_attempts)
        if failing >= most_attempts:
            continue
        target = web.redirects.get(url)
        if target is not None:
            if target in known:
                continue
            if site_of(target) in done.processed:
                done.refused["site-done"] += 1
                continue
            known.add(target)
            queue.insert(place, target)  # in its place
            if url in listed:
                listed.add(target)
            elif site_of(target) == site_of(url) and url in level:
                level[target] = level[url]
            continue
        page = web.pages.get(url)
        if page is None:
            continue
        links = [link for link in dict.fromkeys(page.links) if link != url]
        if here > free_levels and not page.accepted:
            done.stopped_at.add(url)
            done.refused["page-refused"] += sum(link not in known for link in links)
            continue
        for link in links:
            if link not in known and site_of(link) in done.processed:
                done.refused["site-done"] += 1
                continue
            if link not in known:
                known.add(link)
                queue.append(link)
            if link in queue and link not in listed and site_of(link) == site_of(url):
                level[link] = min(level.get(link, here + 1), here + 1)
