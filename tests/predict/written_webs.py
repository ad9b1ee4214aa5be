"""Random webs written as HTML, and the engine's crawl of one, with the priority that each URL had when it was chosen.

Everything between the bytes of a page and that priority is the crawl's own: parser, judge, repeated text, admission,
strategy. A web has seeds, redirects, dead links, links of a page to itself, several links from a page to one target,
links without words, and a menu that a site repeats on every page.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

from dowse.engine.page.step import PageStep
from dowse.engine.workers.job import Job, Work
from dowse.engine.workers.port import NoProcesses
from dowse.frontier.scope import StaticScope
from dowse.judge import build_judge
from dowse.lab.replay.recorded_transport import Recorded
from dowse.lab.replay.replay import Forgetful, replay
from dowse.model.batch import Batch
from dowse.model.budget import Budget
from dowse.model.page import Outcome
from dowse.model.topic import JudgeSettings, Limits, Politeness, Seeds, StrategyChoice, Topic
from dowse.predict import block_rule

HTML = (("Content-Type", "text/html"),)
URLS = 9
HOSTS = ("a.test", "b.test")
WORDS = ("solar", "cells", "wind", "bread", "oven")
QUERY = ("solar", "cells")


def url_of(number: int) -> str:
    return f"http://{HOSTS[number % 3 == 0]}/{number}"


@dataclass(frozen=True, slots=True)
class Anchor:
    target: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    words: tuple[str, ...]  # before its links
    links: tuple[Anchor, ...]

    @property
    def text(self) -> list[str]:
        return [*self.words, *(word for link in self.links for word in link.words)]

    def html(self, tag: str = "p") -> str:
        links = " ".join(f'<a href="{link.target}">{" ".join(link.words)}</a>' for link in self.links)
        return f"<{tag}>{' '.join(self.words)} {links}</{tag}>"


@dataclass(frozen=True, slots=True)
class WrittenPage:
    url: str
    paragraphs: tuple[Paragraph, ...]  # that of the menu among them
    refused: int  # links besides that may not be followed

    @property
    def text(self) -> list[str]:
        return [word for paragraph in self.paragraphs for word in paragraph.text]

    @property
    def n_links(self) -> int:
        return self.refused + sum(len(paragraph.links) for paragraph in self.paragraphs)

    def html(self) -> bytes:
        menu, *rest = (paragraph.html() for paragraph in self.paragraphs)
        refused = '<a href="/private" rel="nofollow"></a>' * self.refused
        return f"<html><body><div>{menu}</div><div>{''.join(rest)}{refused}</div></body></html>".encode()


@dataclass(slots=True)
class WrittenWeb:
    """Implements :class:`~dowse.lab.replay.recorded_transport.FrozenWeb`. What is in neither table is not there."""

    seeds: tuple[str, ...]
    pages: dict[str, WrittenPage]
    redirects: dict[str, str]

    def usual(self, url: str) -> tuple[float, float]:
        return 0.1, 1e6

    def find(self, url: str) -> Recorded | None:
        if url in self.redirects:
            return Recorded(1, 301, (*HTML, ("Location", self.redirects[url])), 100, is_page=False)
        return Recorded(0, 200, HTML, 1_000) if url in self.pages else None

    def body(self, page: int) -> bytes:
        return b""


words = st.lists(st.sampled_from(WORDS), max_size=3).map(tuple)
anchors = st.builds(Anchor, st.integers(0, URLS - 1).map(url_of), words)
paragraphs = st.builds(Paragraph, words, st.lists(anchors, max_size=3).map(tuple))


@st.composite
def written_webs(draw: st.DrawFn) -> WrittenWeb:
    menus = {host: draw(paragraphs) for host in HOSTS}
    pages: dict[str, WrittenPage] = {}
    redirects: dict[str, str] = {}
    for number in range(URLS):
        url, kind = url_of(number), draw(st.integers(0, 9))
        if kind == 0 and number:
            continue
        if kind <= 2 and number:
            redirects[url] = url_of(draw(st.integers(0, URLS - 1)))
            continue
        own = Paragraph((f"only{number}",), ())  # no page is the copy of another
        menu = menus[HOSTS[number % 3 == 0]]
        found = (menu, own, *draw(st.lists(paragraphs, min_size=1, max_size=3)))
        pages[url] = WrittenPage(url, found, draw(st.integers(0, 2)))
    seeds = draw(st.lists(st.integers(1, URLS - 1), unique=True, max_size=2))
    return WrittenWeb((url_of(0), *map(url_of, seeds)), pages, redirects)


class _Readers(NoProcesses):
    """Does what a worker of a live crawl does."""

    def __init__(self, web: WrittenWeb, step: PageStep) -> None:
        self._web, self._step = web, step

    async def run(self, job: Job) -> Work:
        body = self._web.pages[job.response.url].html()
        return Work(self._step.digest(replace(job, response=replace(job.response, body=body))))


@dataclass(slots=True)
class _Kept(Forgetful):
    urls: dict[int, str] = field(default_factory=dict)
    decisions: list[tuple[int, float]] = field(default_factory=list)
    ended: list[tuple[str, Outcome, str]] = field(default_factory=list)

    def commit(self, batch: Batch) -> None:
        self.urls |= {row.id: row.url for row in batch.candidates}
        self.decisions += [(row.candidate, row.priority) for row in batch.decisions]
        self.ended += [(row.url, Outcome(row.outcome), row.final_url) for row in batch.pages]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A URL that was asked for, the priority that it had, and where it led."""

    url: str
    priority: float
    outcome: Outcome
    target: str


def crawled(web: WrittenWeb, strategy: StrategyChoice, method: str = "similarity") -> Iterator[Chosen]:
    """What a crawl of the whole web chose, one URL after the other."""
    topic = Topic(
        query=" ".join(QUERY), seeds=Seeds(urls=web.seeds), strategy=strategy, budget=Budget(requests=100),
        judge=JudgeSettings(method, threshold=None if method == "learned" else 0.1, language="none", weighting="tf"),
        politeness=Politeness(delay_s=0.0, obey_robots=False), limits=Limits(max_retries=0),
    )  # fmt: skip
    topic = replace(topic, network=replace(topic.network, concurrency=1))
    scope, kept = StaticScope(topic.scope), _Kept()
    replay(
        web,
        _Readers(web, PageStep(build_judge(topic), scope, 1_000, rule=block_rule(strategy))),
        topic,
        scope,
        records=kept,
    )
    assert len(kept.decisions) == len(kept.ended) >= len(web.seeds)
    for (candidate, priority), (url, outcome, target) in zip(kept.decisions, kept.ended, strict=True):
        assert kept.urls[candidate] == url
        yield Chosen(url, priority, outcome, target)
