"""Labelled pages of a corpus or a crawl, and the ERID score that a topic gives each."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dowse.engine.assembly.kept_categories import with_kept_categories
from dowse.frontier.scope import StaticScope
from dowse.frontier.site_line import web_site_name
from dowse.judge import build_judge
from dowse.lab.corpus import Corpus, Digests, Progress, open_corpus
from dowse.lab.corpus.labels import LABELS, read_rows
from dowse.model.errors import UserError
from dowse.model.topic import Scope, Topic
from dowse.model.topicfile import topic_from_json
from dowse.model.url import canonical, split
from dowse.parse import Repeats
from dowse.store import CrawlReader
from dowse.store.answers import OWN, not_label
from dowse.store.sharded import holds_crawl

__all__ = ["LabelledPages", "crawl_topic", "erid_scores", "labelled_pages", "labels_table"]

_MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class LabelledPages:
    """Which pages of a corpus are on the topic, and which are not. ``missing`` are labelled, and no page of it;
    ``dropped`` are, but the crawl did not keep their text."""

    corpus: Corpus
    label: str
    numbers: tuple[int, ...]
    truth: NDArray[np.bool_]
    missing: int
    dropped: int

    @property
    def urls(self) -> list[str]:
        return [self.corpus.url(number) for number in self.numbers]

    def sites(self) -> list[str]:
        """The web sites of the pages, those with most pages on the topic first, then with most pages."""
        counts: dict[str, list[int]] = {}
        for url, positive in zip(self.urls, self.truth.tolist(), strict=True):
            count = counts.setdefault(site_name(url), [0, 0])
            count[0] += positive
            count[1] += 1
        return sorted(counts, key=lambda site: (-counts[site][0], -counts[site][1], site))

    def of_site(self, site: str) -> LabelledPages:
        """Those of one web site."""
        kept = np.array([site_name(url) == site for url in self.urls], np.bool_)
        numbers = tuple(np.array(self.numbers)[kept].tolist())
        return replace(self, numbers=numbers, truth=self.truth[kept])


def site_name(url: str) -> str:
    """The web site that a canonical URL is of."""
    return web_site_name(split(url).origin)


def crawl_topic(folder: Path) -> Topic:
    """The topic of a crawl."""
    with CrawlReader(folder) as crawl:
        return with_kept_categories(topic_from_json(crawl.topic()), crawl.folder)


def labels_table(source: Path) -> Path:
    """The table of labels: ``source``, or the labels.csv in it. UserError where there is none."""
    table = source / LABELS if source.is_dir() else source
    if table.is_file():
        return table
    folder = table.parent
    if table.name == LABELS and holds_crawl(folder):
        place = shlex.quote(str(folder))
        raise UserError(f"{folder} has no {LABELS} yet: answer some questions with 'dowse label {place}'")
    if not source.exists():
        raise UserError(f"there is no {source}")
    raise UserError(f"there are no labels in {source}: {LABELS} has the columns url and label")


def labelled_pages(
    source: Path, label: str | None = None, *, jobs: int | None = None, progress: Progress | None = None
) -> LabelledPages:
    """The pages that a table of labels names: ``source``, or the labels.csv in it, a corpus or a crawl. Those with the
    ``label`` are on the topic; without one, those that somebody answered to be relevant (``dowse label``). Off it are
    those labelled "not ..."; where there are none, all that have other labels."""
    table = labels_table(source)
    rows = [(url, name.strip()) for url, name in read_rows(table, "url", "label")]
    name = label or OWN
    positive = {canonical(url) or url for url, found in rows if found == name}
    if not positive:
        known = sorted({found for _, found in rows})
        named = ", ".join(map(repr, known[:_MOST_NAMED])) + (", ..." if len(known) > _MOST_NAMED else "")
        raise UserError(f"{table} has no page with the label {name!r}; it has {named or 'none at all'} (see --label)")
    refused = {canonical(url) or url for url, found in rows if found == not_label(name)}
    negative = (refused or {canonical(url) or url for url, _ in rows}) - positive
    corpus = open_corpus(table.parent, jobs=jobs, progress=progress)
    return _found(corpus, name, positive, negative)


def _found(corpus: Corpus, label: str, positive: Collection[str], negative: Collection[str]) -> LabelledPages:
    is_page = corpus.pages.is_page()
    truth: dict[int, bool] = {}
    lost: list[str] = []
    for urls, answer in ((positive, True), (negative, False)):
        for url in urls:
            number = corpus.number(url)
            if number is None or not is_page[number]:
                lost.append(url)
            else:
                truth.setdefault(number, answer)
    numbers = tuple(sorted(truth))
    dropped = _dropped(corpus.folder, lost)
    answers = np.array([truth[one] for one in numbers], np.bool_)
    return LabelledPages(corpus, label, numbers, answers, len(lost) - dropped, dropped)


def _dropped(folder: Path, urls: Collection[str]) -> int:
    """How many of these pages a crawl has judged without keeping their text."""
    if not urls or not holds_crawl(folder):
        return 0
    with CrawlReader(folder) as crawl:
        return sum(page is not None and page.dropped for page in map(crawl.page, urls))


def erid_scores(pages: LabelledPages, topic: Topic) -> NDArray[np.float64]:
    """The ERID score of each page. In robust form, what its site repeats counts less, as at the end of a crawl."""
    settings = replace(topic.judge, method="erid", threshold=0.0, precision=None)
    judge = build_judge(replace(topic, examples=(), predicate=None, categories={}, judge=settings))
    digests = pages.corpus.digests(judge, StaticScope(Scope(), ()), topic.limits.max_links)
    known = _repeated(pages, digests) if not judge.menus else {}
    urls = pages.urls
    return np.array([
        digests(number, known.get(split(url).origin, b"")).verdict.erid
        for number, url in zip(pages.numbers, urls, strict=True)
    ])  # fmt: skip


def _repeated(pages: LabelledPages, digests: Digests) -> dict[str, bytes]:
    """The lines that sites repeat, by origin: learned from all pages of the corpus at sites with labelled ones."""
    origins = {split(url).origin: place for place, url in enumerate(pages.urls)}
    repeats = Repeats(len(origins) + 1)
    is_page = pages.corpus.pages.is_page()
    for number in np.flatnonzero(is_page).tolist():
        site = origins.get(split(pages.corpus.url(number)).origin)
        if site is not None:
            repeats.learn(site, digests(number).lines)
    return {origin: repeats.known(site) for origin, site in origins.items()}
