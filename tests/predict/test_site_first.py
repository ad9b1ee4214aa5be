"""``site-first`` against WebCrawler's literal queue: the engine crawls random webs."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass, field, replace

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dowse.engine.page.step import PageStep
from dowse.engine.workers.job import Job, Work
from dowse.engine.workers.port import NoProcesses
from dowse.frontier.scope import StaticScope
from dowse.frontier.site_line import web_site_name
from dowse.judge import build_judge
from dowse.lab.replay.recorded_transport import Recorded
from dowse.lab.replay.replay import Forgetful, replay
from dowse.model.batch import Batch
from dowse.model.budget import Budget
from dowse.model.records import CandidateState, PageRow, SiteRow, SiteTurn
from dowse.model.topic import JudgeSettings, Limits, Politeness, Scope, Seeds, StrategyChoice, Topic, Traps
from tests.predict.queue_model import Crawled, QueuedPage, QueuedWeb, queue_model, site_of

ORIGINS = ("http://a.test", "https://a.test", "https://www.a.test", "http://b.test", "https://c.test", "https://d.test")
URLS = [f"{ORIGINS[number % len(ORIGINS)]}/{number}" for number in range(20)]
ATTEMPTS = 2
HTML = (("Content-Type", "text/html"),)
PLAIN = (("Content-Type", "text/plain"),)
slow = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


class FrozenQueue:
    """The web of a test. Implements :class:`~dowse.lab.replay.recorded_transport.FrozenWeb`."""

    def __init__(self, web: QueuedWeb) -> None:
        self.web = web
        self.failing = dict(web.faults)

    def usual(self, url: str) -> tuple[float, float]:
        return 0.1, 1e6

    def find(self, url: str) -> Recorded | None:
        web = self.web
        if url.endswith("/robots.txt"):
            return Recorded(ORIGINS.index(url.removesuffix("/robots.txt")), 200, PLAIN, 100, is_page=False)
        if self.failing.get(url, 0):
            self.failing[url] -= 1
            return Recorded(0, 503, HTML, 100, is_page=False)
        if url in web.redirects:
            return Recorded(0, 301, (*HTML, ("Location", web.redirects[url])), 100, is_page=False)
        return Recorded(0, 200, HTML, 1_000) if url in web.pages else None

    def body(self, page: int) -> bytes:
        rules = [f"Disallow: {url.removeprefix(ORIGINS[page])}$" for url in self.web.forbidden
                 if url.startswith(f"{ORIGINS[page]}/")]  # fmt: skip
        return "\n".join(["User-agent: *", *rules, ""]).encode()


class Readers(NoProcesses):
    """Does what a worker of a live crawl does."""

    def __init__(self, web: QueuedWeb, step: PageStep) -> None:
        self._web, self._step = web, step

    async def run(self, job: Job) -> Work:
        url = job.response.url
        page = self._web.pages[url]
        words = f"only{url.rpartition('/')[2]} {'solar' if page.accepted else 'bread'}"
        links = "".join(f'<a href="{link}">x</a>' for link in page.links)
        html = f"<html><body><p>{words}</p>{links}</body></html>".encode()
        return Work(self._step.digest(replace(job, response=replace(job.response, body=html))), [b"archived"])


@dataclass(slots=True)
class Kept(Forgetful):
    urls: dict[int, str] = field(default_factory=dict)
    levels: dict[str, int] = field(default_factory=dict)
    rows: dict[int, SiteRow] = field(default_factory=dict)
    pages: list[PageRow] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    states: dict[int, CandidateState] = field(default_factory=dict)

    def commit(self, batch: Batch) -> None:
        self.urls |= {row.id: row.url for row in batch.candidates}
        self.levels |= {self.urls[row.candidate]: int(row.features["level on its site"][0]) for row in batch.decisions}
        self.rows |= batch.sites
        self.pages += batch.pages
        self.refused.update(batch.refusals)
        self.states |= {id_: state for id_, (state, *_) in batch.states.items()}


def topic_of(web: QueuedWeb, concurrency: int = 1, **params: float | bool) -> Topic:
    topic = Topic(
        query="solar", seeds=Seeds(urls=web.seeds), strategy=StrategyChoice("site-first", params),
        budget=Budget(requests=500), judge=JudgeSettings("erid", threshold=0.1, language="none"),
        politeness=Politeness(delay_s=1.0), limits=Limits(max_retries=ATTEMPTS - 1, retry_wait_s=1.0),
        scope=Scope(traps=Traps(max_pattern_run=0)),
    )  # fmt: skip
    return replace(topic, network=replace(topic.network, concurrency=concurrency))


def crawled(web: QueuedWeb, concurrency: int = 1, **params: float | bool) -> tuple[Crawled, Kept]:
    """What the engine does with a web."""
    topic, kept = topic_of(web, concurrency, **params), Kept()
    scope, frozen = StaticScope(topic.scope, web.seeds), FrozenQueue(web)
    found = replay(frozen, Readers(web, PageStep(build_judge(topic), scope, 1_000)), topic, scope, records=kept)
    assert found.stop.kind == "empty"
    done = Crawled([one.url for one in found.exchanges if not one.url.endswith("/robots.txt")], kept.levels)
    done.processed = {web_site_name(row.origin) for row in kept.rows.values() if row.turn == SiteTurn.PROCESSED}
    done.stopped_at = {row.url for row in kept.pages if row.reason == "page-refused"}
    done.refused = Counter({rule: count for rule, count in kept.refused.items() if rule != "robots"})
    return done, kept


@st.composite
def queued_webs(draw: st.DrawFn) -> QueuedWeb:
    pages, redirects = {}, {}
    faults = draw(st.dictionaries(st.sampled_from(URLS), st.integers(1, 3), max_size=2))
    targets = st.lists(st.sampled_from(URLS), max_size=5).map(tuple)
    for url in URLS:
        kind = draw(st.integers(0, 9))
        if kind == 0:
            continue
        if kind <= 2:
            redirects[url] = draw(st.sampled_from([other for other in URLS if other != url]))
        else:
            pages[url] = QueuedPage(draw(st.booleans()), draw(targets))
    seeds = tuple(draw(st.lists(st.sampled_from(URLS), min_size=1, max_size=4, unique=True)))
    forbidden = draw(st.frozensets(st.sampled_from(URLS), max_size=2))
    return QueuedWeb(seeds, pages, redirects, faults, forbidden)


def a(*numbers: int) -> tuple[str, ...]:
    return tuple(URLS[number] for number in numbers)


def web_of_all_sorts() -> QueuedWeb:
    """By number, URLs 0, 1, 2 (and 6, 7, 8, ...) are of one site, by three origins; 3 and 4 are of others."""
    pages = {
        URLS[0]: QueuedPage(False, a(6, 3, 4)),
        URLS[6]: QueuedPage(False, a(7, 0)),
        URLS[7]: QueuedPage(False, a(8, 5)),
        URLS[8]: QueuedPage(False, a(12, 6)),  # level 3: refused
        URLS[3]: QueuedPage(True, a(13, 9, 10)),  # 13 is of a site that is processed
        URLS[9]: QueuedPage(True, a(15)),
        URLS[10]: QueuedPage(True, a(14)),
    }
    redirects = {URLS[15]: URLS[4], URLS[5]: URLS[14]}
    return QueuedWeb(a(0), pages, redirects, {URLS[9]: 1, URLS[4]: 3}, frozenset(a(11)))


SETTINGS = list(itertools.product((1, 2, 3), (0, 1, 2, 3)))


@slow
@given(web=queued_webs(), chosen=st.sampled_from(SETTINGS))
@example(web=web_of_all_sorts(), chosen=(1, 2))
def test_site_first_is_the_literal_queue(web: QueuedWeb, chosen: tuple[int, int]) -> None:
    sites, free_levels = chosen
    assert crawled(web, sites=sites, free_levels=free_levels)[0] == queue_model(web, sites, free_levels, ATTEMPTS)


@slow
@given(web=queued_webs(), free_levels=st.integers(0, 3))
@example(web=web_of_all_sorts(), free_levels=2)
def test_with_one_site_at_a_time_it_is_so_however_many_connections_there_are(web: QueuedWeb, free_levels: int) -> None:
    assert crawled(web, 16, free_levels=free_levels)[0] == queue_model(web, 1, free_levels, ATTEMPTS)


@slow
@given(web=queued_webs(), sites=st.integers(2, 3))
def test_with_several_at_once_no_more_are_current(web: QueuedWeb, sites: int) -> None:
    """Which of the current sites answers first decides; what is asked on each, and that it ends, does not."""
    done, kept = crawled(web, 16, sites=sites, free_levels=100)
    last = {site_of(url): place for place, url in enumerate(done.asked)}
    begun: list[str] = []
    for place, url in enumerate(done.asked):
        site = site_of(url)
        if site not in begun:
            begun.append(site)
        assert sum(place <= last[other] for other in begun) <= sites
    assert len(set(done.asked)) == len(done.asked) - sum(min(n, ATTEMPTS - 1) for url, n in web.faults.items()
                                                         if url in done.asked)  # fmt: skip
    assert all(state not in (CandidateState.WAITING, CandidateState.LEASED) for state in kept.states.values())


def test_the_web_of_all_sorts_is_one() -> None:
    """So that the tests above cannot pass by having nothing to check."""
    done, _ = crawled(web_of_all_sorts())
    assert done.levels[URLS[8]] == 3
    assert done.stopped_at == {URLS[8]}
    assert done.refused == {"page-refused": 1, "site-done": 3}
    assert done.processed == {"a.test", "b.test", "c.test", "d.test"}
    assert done.asked.count(URLS[9]) == done.asked.count(URLS[4]) == ATTEMPTS
    for sites, free_levels in ((2, 2), (1, 3)):
        assert queue_model(web_of_all_sorts(), sites, free_levels, ATTEMPTS) != done
