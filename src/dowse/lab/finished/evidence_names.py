"""What the hashes of a crawl's statistics stand for, found again in its records: tokens in the URLs and anchors of its
links, words in its archived pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from dowse.judge import Terms
from dowse.lab.finished.page_texts import archived_document
from dowse.model.topicfile import topic_from_json
from dowse.model.words import word_hash, words
from dowse.predict.learning import Statistics
from dowse.predict.learning.link_tokens import named_tokens, named_url_tokens
from dowse.predict.learning.statistics import Sums
from dowse.predict.learning.strength import LEAST_PAGES, strongest
from dowse.store import CrawlReader
from dowse.store.read_links import links_to_pages

__all__ = ["named", "spelled", "strongest_keys"]

_MOST_PAGES = 2_000  # read again, to find a word
_READ_FOR_ONE = 200  # where a person waits for one line
_EVERY = 100
_HASHED = re.compile(r"word #([0-9]{1,10})\b")
_LOWER = (1 << 32) - 1
Feature = TypeVar("Feature")
Progress = Callable[[int, int], None]
"""Told how many pages were read again, and of how many at the most."""


def strongest_keys(counted: Sums, usual: float, most: int) -> set[int]:
    """The hashes that speak most for the topic, and most against it."""
    frequent = counted.sums[:, 0] >= LEAST_PAGES
    pairs = zip(counted.keys[frequent].tolist(), counted.sums[frequent].tolist(), strict=True)
    above, below = strongest(((str(key), pages, value) for key, (pages, value) in pairs), usual, most)
    return {int(key) for key, _ in (*above, *below)}


def named(crawl: CrawlReader, statistics: Statistics, most: int, progress: Progress | None = None) -> Statistics:
    """Statistics with the names of all their tokens, and of so many of the strongest words. Of the archived pages
    only as many are read as it takes."""
    words = [statistics.words, *(events.words for events in statistics.events.values())]
    tokens = [statistics.tokens, *(events.tokens for events in statistics.events.values())]
    wanted = set[int]().union(*(strongest_keys(own, statistics.usual, most) for own in words))
    word_names = {
        **statistics.word_names,
        **_words(crawl, wanted.difference(statistics.word_names), progress=progress),
    }
    known = set[int]().union(*(own.keys.tolist() for own in tokens))
    return replace(statistics, word_names=word_names, token_names={
        **statistics.token_names, **_tokens(links_to_pages(crawl), known)
    })  # fmt: skip


def _tokens(links: Iterable[tuple[str, str]], known: set[int]) -> dict[int, str]:
    names: dict[int, str] = {}
    for url, anchor in links:
        found = {**named_url_tokens(url), **named_tokens(url, anchor)}
        names.update((key, name) for key, name in found.items() if key in known)
    return names


def spelled(crawl: CrawlReader, features: Mapping[str, Feature]) -> dict[str, Feature]:
    """What a strategy told of a URL, with words in place of their hashes, as far as pages of the crawl have them."""
    wanted = {int(found[1]) for name in features if (found := _HASHED.search(name))}
    names = _words(crawl, wanted, _READ_FOR_ONE) if wanted else {}

    def word(found: re.Match[str]) -> str:
        name = names.get(int(found[1]))
        return found[0] if name is None else repr(name)

    return {_HASHED.sub(word, name): feature for name, feature in features.items()}


def _words(
    crawl: CrawlReader, wanted: set[int], most: int = _MOST_PAGES, progress: Progress | None = None
) -> dict[int, str]:  # fmt: skip
    """The words with these hashes, as far as they are found on so many of the archived pages."""
    terms = Terms(topic_from_json(crawl.topic()).judge.language)
    names: dict[int, str] = {}
    pages = crawl.judged_pages() if wanted else []
    pages = sorted(pages, key=lambda page: -(page.score or 0.0))
    # from both ends: words for the topic are on the best pages, words against it on the worst
    for place in range(min(most, len(pages))):
        if not wanted.difference(names):
            break
        if progress is not None and place and place % _EVERY == 0:
            progress(place, min(most, len(pages)))
        page = pages[place // 2] if place % 2 == 0 else pages[-1 - place // 2]
        document = archived_document(crawl, page)
        if document is None:
            continue
        for term in set(terms.sequence(words(f"{document.title}\n{document.text}"))):
            key = word_hash(term) & _LOWER
            if key in wanted:
                names[key] = term
    return names
