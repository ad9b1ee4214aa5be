"""Topics and seeds from the labels of a corpus: what a crawler is told, and what it is to find.

The pages of a label are split: a few are given to the crawler as examples, the others are the targets that a crawl is
measured by. Everything is chosen by hashes of the corpus' URLs, the label and a seed number, so the same three always
give the same topic, on any machine and with any version of Python.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import xxhash

from dowse.lab.corpus.corpus import Corpus
from dowse.lab.corpus.labels import Labels, read_rows
from dowse.lab.measure.link_graph import UNREACHED
from dowse.model.errors import UserError
from dowse.model.topic import Example
from dowse.parse import parse_page

__all__ = [
    "KINDS", "ROOTS", "LabTopic", "SeedSet", "Unfit", "drawn", "example_texts", "make_seeds", "make_topic",
    "make_topics", "roots",
]  # fmt: skip

KINDS = ("near", "far", "roots")
ROOTS = "roots.csv"
"""Entry pages of a corpus: a column ``url``, and whatever else."""
"""Where seeds lie: examples of the topic themselves, or pages from which only a path of links leads to it."""

_FAR = (2, 4)  # links from a far seed to the nearest page of the label


@dataclass(frozen=True, slots=True)
class LabTopic:
    """A label as a task. ``relevant`` are all its pages, ``targets`` those that the crawler was not given."""

    label: str
    seed_number: int
    query: str  # the label's words, or what was given in their place
    examples: tuple[int, ...]
    targets: frozenset[int]
    relevant: frozenset[int]


@dataclass(frozen=True, slots=True)
class SeedSet:
    """Where a crawl begins. ``reachable`` is how many of the topic's targets links lead to from there."""

    kind: str
    number: int
    pages: tuple[int, ...]
    reachable: int


@dataclass(frozen=True, slots=True)
class Unfit:
    """Why a label makes no topic, or a topic has no such seeds."""

    label: str
    reason: str


def make_topic(
    corpus: Corpus, label: str, *, seed_number: int = 0, examples: int = 8, min_pages: int = 40,
    labels: Labels | None = None,
) -> LabTopic | Unfit:  # fmt: skip
    """A label as a topic with so many examples. ``labels`` may take the place of the corpus' own. Raises UserError for
    a label that no page has."""
    labels = corpus.labels if labels is None else labels
    relevant = labels.pages.get(label)
    if relevant is None:
        raise UserError(f"no page of {corpus.folder} has the label {label!r}")
    if len(relevant) < min_pages:
        return Unfit(label, f"it has {len(relevant)} pages, and {min_pages} are asked for")
    if len(relevant) <= examples:
        return Unfit(label, f"it has {len(relevant)} pages: with {examples} as examples none is left to be found")
    query = labels.query(label)
    if not query and not examples:
        return Unfit(label, "its name has no words, and no examples are asked for")
    given = drawn(corpus, relevant, examples, label, str(seed_number), "examples")
    return LabTopic(label, seed_number, query, given, relevant.difference(given), relevant)


def make_topics(
    corpus: Corpus, *, seed_number: int = 0, examples: int = 8, min_pages: int = 40
) -> tuple[list[LabTopic], list[Unfit]]:
    """Every label as a topic, and those that make none."""
    made = [
        make_topic(corpus, label, seed_number=seed_number, examples=examples, min_pages=min_pages)
        for label in corpus.labels.pages
    ]
    return [one for one in made if isinstance(one, LabTopic)], [one for one in made if isinstance(one, Unfit)]


def make_seeds(
    corpus: Corpus, topic: LabTopic, kind: str, *, sets: int = 3, pages: int = 3
) -> tuple[SeedSet, ...] | Unfit:
    """Seed sets of a kind, with so many pages each or as many as there are. A near seed is an example from which a
    target can be reached; from a far one the nearest page of the label is 2 to 4 links away. Roots are the entry pages
    of the corpus, all of them in one set, whatever the label: as from a list of search results."""
    graph = corpus.graph
    if kind == "roots":
        found = roots(corpus)
        if not found:
            return Unfit(topic.label, f"the corpus names no entry page that it holds in {ROOTS}")
        reached = graph.reachable(found)[np.fromiter(topic.targets, np.int64)]
        return (SeedSet(kind, 0, tuple(found), int(np.count_nonzero(reached))),)
    if kind == "near":
        away = graph.distances_to(topic.targets)
        fit = [page for page in topic.examples if 0 < away[page] < UNREACHED]
        reason = "no example links, over whatever path, to another page of the label"
    elif kind == "far":
        away = graph.distances_to(topic.relevant)
        fit = np.flatnonzero((away >= _FAR[0]) & (away <= _FAR[1])).tolist()
        reason = f"no page is {_FAR[0]} to {_FAR[1]} links away from the nearest page of the label"
    else:
        raise UserError(f"seeds are {', '.join(KINDS[:-1])} or {KINDS[-1]}, not {kind!r}")
    if not fit:
        return Unfit(topic.label, reason)
    made = []
    targets = np.fromiter(topic.targets, np.int64)
    for number in range(sets):
        chosen = drawn(corpus, fit, pages, topic.label, str(topic.seed_number), kind, str(number))
        made.append(SeedSet(kind, number, chosen, int(np.count_nonzero(graph.reachable(chosen)[targets]))))
    return tuple(made)


def roots(corpus: Corpus) -> list[int]:
    """The entry pages that the corpus names in ``roots.csv`` and holds; none when there is no such file."""
    path = corpus.folder / ROOTS
    if not path.is_file():
        return []
    found, is_page = (corpus.number(url) for (url,) in read_rows(path, "url")), corpus.pages.is_page()
    return list(dict.fromkeys(number for number in found if number is not None and is_page[number]))


def drawn(corpus: Corpus, pages: Iterable[int], count: int, *why: str) -> tuple[int, ...]:
    """So many of the pages, as by lot; fewer of them are the first of more. ``why`` decides the lot."""
    return tuple(sorted(pages, key=lambda page: _lot(corpus.url(page), *why))[:count])


def _lot(*parts: str) -> tuple[int, str]:
    return xxhash.xxh3_64_intdigest("\0".join(parts).encode()), parts[0]


def example_texts(corpus: Corpus, pages: Iterable[int]) -> tuple[Example, ...]:
    """Pages as the examples of a :class:`~dowse.model.topic.Topic`, with the text that a live crawl would read."""
    found = []
    for page in pages:
        response = corpus.response(page)
        document = parse_page(response.body, url=response.url, content_type=response.header("Content-Type") or "")
        found.append(Example(response.url, text=f"{document.title}\n{document.text}"))
    return tuple(found)
