"""A corpus in figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from dowse.lab.corpus.corpus import Corpus
from dowse.lab.corpus.topics import ROOTS, roots
from dowse.model.errors import UserError
from dowse.model.url import split

__all__ = ["CorpusInfo", "describe"]

_OBJECTS = "objects.jsonl"


@dataclass(frozen=True, slots=True)
class CorpusInfo:
    """What ``dowse lab info`` tells. Counts by name are in descending order."""

    folder: str
    urls: int  # recorded, of whatever status
    pages: int  # of them, parsed
    hosts: int
    wire_bytes: int
    body_bytes: int
    timed: int  # URLs with a recorded time
    types: dict[str, int]
    statuses: dict[str, int]
    skipped: dict[str, int]  # records that are not among the URLs: why -> how many
    links_inside: int
    links_leaving: int
    seeds: list[str]
    seeds_from: str
    reachable: int  # pages that links lead to from the seeds
    core: int  # pages that all lead to each other, around the best connected one
    labels: dict[str, int]
    labels_unknown: int
    users: int
    accesses: int
    accesses_unknown: int
    objects: int


def describe(corpus: Corpus, seeds: Sequence[str] = ()) -> CorpusInfo:
    """Work the figures out. ``seeds`` are URLs; else those of ``roots.csv`` count, else the page of each host that has
    the most links to other pages."""
    index, graph, labels, traces = corpus.index, corpus.graph, corpus.labels, corpus.traces
    is_page = corpus.pages.is_page()
    starts, where = _starts(corpus, seeds)
    return CorpusInfo(
        folder=str(corpus.folder),
        urls=len(corpus),
        pages=int(is_page.sum()),
        hosts=len({split(url).host for url in index.urls}),
        wire_bytes=int(index.columns["wire_bytes"].sum()),
        body_bytes=int(index.columns["body_bytes"].sum()),
        timed=int(np.count_nonzero(~np.isnan(index.columns["total_s"]))),
        types=_counted(kind or "none" for kind in index.content_types),
        statuses=_counted(map(str, index.columns["status"].tolist())),
        skipped=index.skipped,
        links_inside=len(graph.targets),
        links_leaving=int(corpus.leaving.sum()),
        seeds=[corpus.url(page) for page in starts],
        seeds_from=where,
        reachable=int(np.count_nonzero(graph.reachable(starts) & is_page)),
        core=int(np.count_nonzero(graph.core() & is_page)),
        labels=_counted(label for label, pages in labels.pages.items() for _ in pages),
        labels_unknown=labels.unknown,
        users=len(traces.users),
        accesses=len(traces),
        accesses_unknown=traces.unknown,
        objects=_lines(corpus),
    )


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))


def _lines(corpus: Corpus) -> int:
    path = corpus.folder / _OBJECTS
    if not path.is_file():
        return 0
    try:
        with path.open("rb") as stream:
            return sum(1 for line in stream if line.strip())
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from error


def _starts(corpus: Corpus, seeds: Sequence[str]) -> tuple[list[int], str]:
    """The pages to start from, and where they come from."""
    if seeds:
        return [_page(corpus, url) for url in seeds], "given"
    if found := roots(corpus):
        return found, ROOTS
    links = np.diff(corpus.graph.starts)
    best: dict[str, int] = {}
    numbers = range(len(corpus))
    for page in compress(numbers, corpus.pages.is_page()):
        host = split(corpus.url(page)).host
        if host not in best or links[page] > links[best[host]]:
            best[host] = page
    return list(best.values()), "the page with the most links on each host"


def _page(corpus: Corpus, url: str) -> int:
    number = corpus.number(url)
    if number is None:
        raise UserError(f"{url} is not in this corpus")
    return number
