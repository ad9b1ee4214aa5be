"""Tables 1 and 2 of the ERID paper: where the time goes on one web site (Gatial and Balogh, section 3.5).

A crawl's records have the times. A corpus is served on this machine and crawled, as the paper's crawler would: one site
at a time, without a delay. Its times are those of this machine and its own network.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dowse.engine.assembly.assemble import assemble
from dowse.frontier.site_line import web_site_name
from dowse.lab.corpus import Corpus, Progress, open_corpus
from dowse.lab.papers.ridar_sites import chosen_site
from dowse.loopback import Resource, Site, Web, in_thread
from dowse.loopback.web import Ask
from dowse.model.budget import Budget
from dowse.model.topic import Cost, JudgeSettings, Network, Politeness, Scope, Seeds, StrategyChoice, Topic
from dowse.model.url import split
from dowse.store import CrawlReader, StageTimes
from dowse.store.read_times import stage_times
from dowse.store.sharded import holds_crawl

__all__ = ["PAGES", "SiteTimes", "site_times", "time_lines"]

PAGES = 350
"""What the paper's crawler took of each site."""
_SEEDS = 10


@dataclass(frozen=True, slots=True)
class SiteTimes:
    """The times of one web site. ``served``: its pages came from this machine."""

    site: str
    times: StageTimes
    served: bool


def site_times(folder: Path, place: int, site: str | None, topic: Topic, progress: Progress | None = None) -> SiteTimes:
    """Where the time went at a ``site``, or at that with the most pages, the second most, ... (``place``, from 0)."""
    if holds_crawl(folder):
        return _recorded(folder, place, site)
    corpus = open_corpus(folder, progress=progress)
    is_page = corpus.pages.is_page()
    urls = [corpus.url(number) for number in range(len(corpus)) if is_page[number]]
    counts: dict[str, int] = {}
    for url in urls:
        name = web_site_name(split(url).origin)
        counts[name] = counts.get(name, 0) + 1
    chosen = chosen_site(counts, place, site)
    own = [url for url in urls if web_site_name(split(url).origin) == chosen]
    with tempfile.TemporaryDirectory(prefix="dowse-") as kept:
        target = Path(kept) / "crawl"
        _crawl(corpus, own, topic, target)
        return SiteTimes(chosen, _recorded(target, 0, None).times, served=True)


def _recorded(folder: Path, place: int, site: str | None) -> SiteTimes:
    with CrawlReader(folder) as crawl:
        origins = crawl.origins()
        counts: dict[str, int] = {}
        for _, origin, pages in origins:
            counts[web_site_name(origin)] = counts.get(web_site_name(origin), 0) + pages
        chosen = chosen_site(counts, place, site)
        numbers = [number for number, origin, _ in origins if web_site_name(origin) == chosen]
        return SiteTimes(chosen, stage_times(crawl, numbers), served=False)


def _crawl(corpus: Corpus, urls: Sequence[str], topic: Topic, target: Path) -> None:
    """Crawl the pages of one site from this machine; https is asked for as http."""
    hosts = sorted({split(url).host for url in urls})
    shortest = sorted(urls, key=lambda url: (len(url), url))[:_SEEDS]
    seeds = tuple(dict.fromkeys(url.replace("https://", "http://", 1) for url in shortest))
    with in_thread(Web.of(*(Site(host, made={"/": _Recorded(corpus, hosts)}) for host in hosts)), keep_log=0) as server:
        changed = Topic(
            name="times", query=topic.query, keywords=topic.keywords, seeds=Seeds(urls=seeds),
            scope=Scope(reach="host", hosts=tuple(hosts)), judge=JudgeSettings("erid", language=topic.judge.language),
            strategy=StrategyChoice("site-first", {"free_levels": 1_000}), budget=Budget(pages=PAGES),
            politeness=Politeness(delay_s=0.0), cost=Cost(),
            network=Network(allow_private=True, resolve=dict.fromkeys(hosts, server.address)),
        )  # fmt: skip

        async def run() -> None:
            assembly = await assemble(changed, target)
            try:
                await assembly.run()
            finally:
                await assembly.close()

        asyncio.run(run())


class _Recorded:
    """Answers with what a corpus has recorded."""

    def __init__(self, corpus: Corpus, hosts: Sequence[str]) -> None:
        self._corpus = corpus
        self._hosts = hosts

    def __call__(self, ask: Ask) -> Resource | None:
        for scheme in ("http", "https"):
            number = self._corpus.number(f"{scheme}://{ask.host}{ask.target}")
            if number is not None:
                found = self._corpus.response(number)
                location = found.header("Location")
                headers = () if location is None else (("Location", self._plain(location.encode()).decode()),)
                return Resource(self._plain(found.body), found.header("Content-Type"), found.status, headers)
        return None

    def _plain(self, text: bytes) -> bytes:
        for host in self._hosts:
            text = text.replace(b"https://" + host.encode(), b"http://" + host.encode())
        return text


def time_lines(found: SiteTimes) -> list[str]:
    """The table as the paper has it, with the wall clock beside the sum of the stages."""
    times = found.times
    total = next(stage.total_s for stage in times.stages if stage.name == "overall")
    rows = [(f"{stage.name} time", stage.total_s, stage.mean_s) for stage in times.stages if stage.name != "overall"]
    pages = max(1, times.pages)
    rows += [("these together", total, total / pages), ("overall, by the clock", times.wall_s, times.wall_s / pages)]
    of = times.wall_s or 1.0
    lines = [f"{times.pages:,} answers of {found.site}" + (", served on this machine" if found.served else "")]
    lines.append(f"{'':24}{'seconds':>12}{'ms an answer':>14}{'% of the clock':>16}")
    return lines + [
        f"{name:24}{total_s:>12.3f}{1000 * mean_s:>14.2f}{100 * total_s / of:>16.1f}" for name, total_s, mean_s in rows
    ]
