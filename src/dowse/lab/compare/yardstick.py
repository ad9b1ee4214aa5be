"""What counts as relevant where ``labels.csv`` does not say: a crawl's own verdicts, or those of a topic's judge.

Whoever compares strategies by a judge's verdicts should know that judges agree with each other: what leads a crawl and
what it is measured by are then of one kind, and a strategy that follows a judge looks better than it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dowse.engine.exchange.documents import read_file
from dowse.frontier.scope import StaticScope
from dowse.judge import build_judge
from dowse.lab.corpus import Corpus, Labels, example_texts
from dowse.model.errors import UserError
from dowse.model.topic import Example, Topic
from dowse.model.topicfile import predicate_text
from dowse.store import CrawlReader

__all__ = ["FLATTERY", "Yardstick", "by_topic", "own_verdicts", "satisfying"]

FLATTERY = "the yardstick is a judge: a strategy that follows a judge of the same kind looks better by it than it is"
"""What the user of such labels is told."""


@dataclass(frozen=True, slots=True)
class Yardstick:
    """Labels, the names of those that are looked for, and where they come from. ``flatters``: they are by a judge like
    the one that leads a crawl."""

    labels: Labels
    names: list[str]
    source: str
    flatters: bool = False


def own_verdicts(corpus: Corpus) -> Yardstick:
    """The pages that the crawl in the corpus' folder called relevant. UserError when no crawl is there, or none was."""
    with CrawlReader(corpus.folder) as crawl:
        urls = [page.url for page in crawl.judged_pages(relevant=True)]
        topic = crawl.topic()
    found, is_page = (corpus.number(url) for url in urls), corpus.pages.is_page()
    pages = frozenset(number for number in found if number is not None and is_page[number])
    if not pages:
        raise UserError(f"the crawl in {corpus.folder} called no page relevant: there is nothing to measure by")
    query = str(topic.get("query") or "")
    label = str(topic.get("name") or "") or query or corpus.folder.resolve().name
    labels = Labels({label: pages}, queries={label: query})
    return Yardstick(labels, [label], "the crawl's own verdicts", flatters=True)


def by_topic(corpus: Corpus, topic: Topic) -> Yardstick:
    """The pages that a topic's judge, or its predicate, calls relevant, out of all that the corpus holds. The network
    is not asked: examples are read from files and from the corpus. UserError when one is in neither, or no page is
    relevant."""
    topic = replace(topic, examples=tuple(_read(corpus, example) for example in topic.examples))
    found = satisfying(corpus, topic, np.flatnonzero(corpus.pages.is_page()).tolist())
    expression = predicate_text(topic)
    label = topic.name or topic.query or expression or "topic"
    if not found:
        raise UserError(f"no page of {corpus.folder} is relevant by {label!r}: there is nothing to measure by")
    source = f"predicate {expression}" if expression else f"topic {label}"
    labels = Labels({label: frozenset(found)}, queries={label: topic.query})
    return Yardstick(labels, [label], source, flatters=not expression)


def satisfying(corpus: Corpus, topic: Topic, pages: Sequence[int]) -> set[int]:
    """Those of these pages that a topic's judge, or its predicate, calls relevant, in a language that it wants."""
    digest_of = corpus.digests(build_judge(topic), StaticScope(topic.scope), topic.limits.max_links)
    wanted, found = topic.scope.languages, set()
    for page in pages:
        digest = digest_of(page)
        if digest.verdict.relevant and (not wanted or digest.content.language in ("", *wanted)):
            found.add(page)
    return found


def _read(corpus: Corpus, example: Example) -> Example:
    if example.text is not None:
        return example
    if "://" not in example.source:
        document = read_file(example.source).parsed()
        return replace(example, text=f"{document.title}\n{document.text}")
    number = corpus.number(example.source)
    if number is None or not corpus.pages.is_page()[number]:
        raise UserError(f"the example {example.source} is no page of {corpus.folder}: the lab asks no server for it")
    [found] = example_texts(corpus, [number])
    return replace(example, text=found.text)
