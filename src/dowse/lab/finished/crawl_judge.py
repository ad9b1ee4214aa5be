"""The model that gave a crawl its verdicts, made again from the records: to say which words decided, and to judge
other pages by it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dowse.engine.assembly.answered import tell_answers
from dowse.engine.page.verdicts import wanted_pages
from dowse.judge import LearnedJudge, Terms, learned_judge
from dowse.judge.learned.contributions import explained
from dowse.judge.subject import terms_of
from dowse.lab.finished.page_texts import archived_document
from dowse.lab.finished.whole_words import WholeWords
from dowse.model.page import Bag
from dowse.model.revive import revived
from dowse.model.statistic_names import JUDGE_STATE
from dowse.model.topicfile import topic_from_json
from dowse.store import CrawlReader, PageView, damage_told
from dowse.store.read_verdicts import final_verdicts, pages_by_score

__all__ = ["CrawlJudge", "Decided", "TopicWord", "crawl_judge", "page_decided", "topic_words"]

_SAME = 1e-5  # chances that are no farther apart are of one model
_LEAST_PAGES = 3  # a word of fewer says little of the topic
_READ = 240  # pages that are read again, to find out which words terms stand for


@dataclass(frozen=True, slots=True)
class Decided:
    """Why a page has its chance. ``base``, ``words``, ``unnamed``, ``address`` and ``domains`` add up to
    ``log_odds``."""

    chance: float
    log_odds: float
    base: float  # of a page that says nothing
    words: tuple[tuple[str, float], ...]  # whole, and what each adds; the strongest first
    unnamed: float  # what terms add whose word was not found
    domains: tuple[tuple[str, float], ...]  # the host, and the domains it lies in
    address: tuple[tuple[str, float], ...] = ()  # words of the path


@dataclass(frozen=True, slots=True)
class CrawlJudge:
    """A crawl's judge as it was when it gave the verdicts that count."""

    judge: LearnedJudge
    terms: Terms
    threshold: float
    version: int
    made_of: int  # pages
    known: Mapping[int, tuple[Bag, str]]  # terms and URL of the pages it remembers

    def decided(self, bag: Bag, url: str, names: Mapping[int, str]) -> Decided:
        """Why a page with these terms has its chance; ``names`` are the words by the hashes of their terms."""
        found = explained(self.judge, bag, url)
        assert found is not None
        parts, of_terms = found.parts, found.parts.of_terms.tolist()
        of_words, of_address = of_terms[: len(found.terms)], of_terms[len(found.terms) :]
        words = [(names[key], value) for key, value in zip(found.terms.tolist(), of_words, strict=True) if key in names]
        words.sort(key=lambda word: (-abs(word[1]), word[0]))
        unnamed = math.fsum(of_words) - math.fsum(value for _, value in words)
        return Decided(
            1 / (1 + math.exp(-min(max(parts.log_odds, -30.0), 30.0))), parts.log_odds, parts.base, tuple(words),
            unnamed, tuple(zip(found.domains, parts.of_domains.tolist(), strict=True)),
            tuple(zip(found.address, of_address, strict=True)),
        )  # fmt: skip


def crawl_judge(crawl: CrawlReader) -> CrawlJudge | None:
    """The judge that gave a crawl's verdicts; None where none that learns did."""
    with damage_told(crawl.folder):
        topic = topic_from_json(crawl.topic())
        judge = learned_judge(topic)
        if judge is None:
            return None
        final = final_verdicts(crawl)
        if final is None:
            made_of, version = revived(tuple[int, ...], crawl.statistic(JUDGE_STATE) or [0, 0])
        else:
            made_of, version = final["made_of"], final["model"]
        judged = crawl.judged()
        known = wanted_pages(judge, crawl, judged, made_of)
        tell_answers(judge, crawl.folder, crawl)
        judge.restore(judged, known, made_of, version)
    if judge.model is None:
        return None
    threshold = judge.threshold if final is None else final["threshold"]
    return CrawlJudge(judge, terms_of(topic), threshold, version, made_of, known)


def page_decided(crawl: CrawlReader, judge: CrawlJudge, page: PageView) -> Decided | None:
    """Why a page of the crawl has its score; None where it has it from another model, or its terms are not there."""
    with damage_told(crawl.folder):
        stored = [Bag.unpacked(data) for _, data in crawl.details([page.id])]
    if not stored or page.score is None:
        return None
    words, document = WholeWords(judge.terms), archived_document(crawl, page)
    if document is not None:
        words.read(document.words())
    found = judge.decided(stored[0], page.url, words.names())
    return found if abs(found.chance - page.score) < _SAME else None


# -- the words of the whole model --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TopicWord:
    """A word that speaks for the topic or against it: what it adds to the log odds of a page that has it, on average,
    and how many of the pages that the judge remembers have it."""

    word: str
    adds: float
    pages: int


def topic_words(crawl: CrawlReader, judge: CrawlJudge, most: int) -> tuple[list[TopicWord], list[TopicWord]]:
    """So many words that speak most for the topic, and against it. Archived pages tell which words they are."""
    keys, adds, pages = _mean_parts(judge)
    often = pages >= min(_LEAST_PAGES, max(1, len(judge.known) // 10))
    keys, adds, pages = keys[often], adds[often], pages[often]
    order = np.argsort(-adds, kind="stable")
    above = [place for place in order[: 2 * most].tolist() if adds[place] > 0]
    below = [place for place in order[::-1][: 2 * most].tolist() if adds[place] < 0]
    names = _named(crawl, judge.terms, {int(keys[place]) for place in (*above, *below)})

    def told(places: Sequence[int]) -> list[TopicWord]:
        found = [
            TopicWord(names[int(keys[place])], float(adds[place]), int(pages[place]))
            for place in places
            if int(keys[place]) in names
        ]
        return found[:most]

    return told(above), told(below)


def _mean_parts(judge: CrawlJudge) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each term that the judge's pages have, what it adds on average to those, and how many they are."""
    hashes, values = [np.zeros(0, np.uint32)], [np.zeros(0)]
    for bag, url in judge.known.values():
        found = explained(judge.judge, bag, url)
        assert found is not None
        hashes.append(found.terms)
        values.append(found.parts.of_terms[: len(found.terms)])
    keys, places, pages = np.unique(np.concatenate(hashes), return_inverse=True, return_counts=True)
    return keys, np.bincount(places, np.concatenate(values), len(keys)) / np.maximum(pages, 1), pages


def _named(crawl: CrawlReader, terms: Terms, wanted: set[int]) -> dict[int, str]:
    words = WholeWords(terms, wanted)
    for page in _from_both_ends(crawl):
        if words.is_done:
            break
        document = archived_document(crawl, page)
        if document is not None:
            words.read(document.words())
    return words.names()


def _from_both_ends(crawl: CrawlReader) -> Iterator[PageView]:
    """The best pages and the worst in turn: words for the topic are on the best, words against it on the worst."""
    best, worst = pages_by_score(crawl, _READ // 2), pages_by_score(crawl, _READ // 2, worst=True)
    for one, other in zip(best, worst, strict=True):
        yield one
        yield other
