"""All pages of a crawl judged by something else than what judged them when they came: another topic, a threshold, a
predicate. What the records tell decides where it can; the other pages are read from the archive. Nothing is downloaded.

What the crawl itself goes by stays what it was: a resumed crawl has its own verdicts again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from dowse.engine.assembly.rejudge import Rejudged, Terms, own_terms, rejudge
from dowse.engine.assembly.reread import reread
from dowse.engine.page.pages import told_of
from dowse.judge import LearnedJudge, TopicJudge, build_judge, learned_judge
from dowse.judge.judges import EridJudge, PredicateJudge, SimilarityJudge
from dowse.judge.predicate.decide import Decider, RecordedPage
from dowse.judge.predicate.evaluate import ParsedPredicate
from dowse.judge.subject import terms_of
from dowse.model.errors import UserError
from dowse.model.facts import PageFacts
from dowse.model.judge import JudgedPage
from dowse.model.page import Bag, Part, Reason, Verdict
from dowse.model.statistic_names import FINAL_VERDICTS, OTHER_VERDICTS
from dowse.model.topic import Topic
from dowse.model.topicfile import topic_to_json
from dowse.store import CrawlStore
from dowse.store.final_verdicts import NewVerdict, StoredPage, first_verdicts, stored_pages, write_verdicts

__all__ = ["ByWords", "put_back", "rejudge_by"]

Reading = Callable[[int, int], None]
"""Told how many pages were read from the archive so far, and of how many."""
_UNREADABLE = "it could not be read from the archive"


@dataclass(frozen=True, slots=True)
class ByWords:
    """What came of judging by a judge that does not learn."""

    pages: int
    relevant: int
    joined: int
    left: int
    read: int  # pages that were read from the archive
    missing: int  # pages that should have been, and could not
    method: str
    threshold: float


def put_back(store: CrawlStore) -> ByWords:
    """Give all pages back what they were first given, by a judge that does not learn."""
    before = {page.id: page.relevant for block in stored_pages(store) for page in block}
    first_verdicts(store, {FINAL_VERDICTS: None, OTHER_VERDICTS: None})
    after = {page.id: page.relevant for block in stored_pages(store) for page in block}
    joined = sum(own and not before[id_] for id_, own in after.items())
    left = sum(before[id_] and not own for id_, own in after.items())
    return ByWords(len(after), sum(after.values()), joined, left, 0, 0, "", float(store.settings()["threshold"]))


def rejudge_by(store: CrawlStore, known: Topic, wanted: Topic, reading: Reading) -> Rejudged | ByWords | None:
    """Judge all pages by another topic than that of the crawl, ``known``. Examples must have their text. None when a
    judge that learns finds too little to learn from. Raises UserError, and then nothing was changed."""
    other = _Other(store, known, wanted, reading)
    learned = learned_judge(wanted)
    return other.by_words() if learned is None else other.by_model(learned)


class _Other:
    def __init__(self, store: CrawlStore, known: Topic, wanted: Topic, reading: Reading) -> None:
        self._store, self._wanted, self._reading = store, wanted, reading
        self._same_terms = terms_of(known).same_rules(terms_of(wanted))
        self._measured = _words(known) == _words(wanted) and any(_words(wanted)[:3])
        self._own_terms = own_terms(store.folder)
        self._told = {"topic": topic_to_json(wanted)}

    # -- by a judge that learns ----------------------------------------------------------------------------------

    def by_model(self, judge: LearnedJudge) -> Rejudged | None:
        if self._wanted.judge.weighting.endswith("-idf"):
            self._wanted = replace(self._wanted, judge=replace(self._wanted.judge, weighting="log"))
        lacking = [_short(page) for page in self._pages() if not self._same_terms or page.terms is None]
        read: dict[int, Bag] = {}
        if lacking:
            found = reread(self._store, self._wanted, build_judge(self._wanted), lacking, self._progress(len(lacking)))
            read = {one.id: one.bag for one in found if one.bag is not None}

        def terms(page: StoredPage) -> Bag | None:
            return self._own_terms(page) if self._same_terms and page.terms is not None else read.get(page.id)

        self._show_all(judge, terms)
        return rejudge(self._store, judge, self._wanted.scope.languages, terms=terms, other=self._told)

    def _show_all(self, judge: LearnedJudge, terms: Terms) -> None:
        """Let the judge know what it would know after a crawl that brought these pages in the order of their ids."""
        bags = ((page, terms(page)) for page in self._pages())
        near = [JudgedPage(page.id, judge.nearness(bag)) for page, bag in bags if bag is not None]
        wanted = {*judge.wanted(near, len(near))}
        chosen = ((page, terms(page)) for page in self._pages() if page.id in wanted)
        pages = {page.id: (bag, page.url) for page, bag in chosen if bag is not None}
        judge.restore(near, pages, len(near), 1)

    def _pages(self) -> Iterator[StoredPage]:
        return (page for block in stored_pages(self._store) for page in block)

    def _progress(self, most: int) -> Callable[[int], None]:
        self._reading(0, most)
        return lambda done: self._reading(min(done, most), most)

    # -- by one that does not ------------------------------------------------------------------------------------

    def by_words(self) -> ByWords:
        if self._wanted.judge.weighting.endswith("-idf"):
            raise UserError(
                f"the weighting {self._wanted.judge.weighting} goes by the order in which pages came: crawl again, with"
                " this folder as --cache"
            )
        judge = build_judge(self._wanted)
        decide = self._decider(judge)
        verdicts: dict[int, NewVerdict] = {}
        before: dict[int, bool] = {}
        undecided: list[StoredPage] = []
        for page in self._pages():
            before[page.id] = page.relevant
            found = decide(page)
            if found is None:
                undecided.append(_short(page))
            else:
                verdicts[page.id] = self._new(page, found)
        read = self._read(judge, undecided)
        verdicts.update((page.id, self._new(page, read[page.id])) for page in undecided if page.id in read)
        missing = [page.id for page in undecided if page.id not in read]
        if undecided and not read:
            raise UserError(
                f"what its records tell does not decide about {len(undecided)} pages, and the archive in"
                f" {self._store.folder} has none of them: nothing was changed"
            )
        verdicts.update((id_, NewVerdict(id_, 0.0, False, [(_UNREADABLE, 0.0, 1.0)])) for id_ in missing)
        joined = sum(one.relevant and not before[id_] for id_, one in verdicts.items())
        left = sum(before[id_] and not one.relevant for id_, one in verdicts.items())
        result = ByWords(
            len(verdicts), sum(one.relevant for one in verdicts.values()), joined, left, len(read), len(missing),
            judge.judge.name, judge.threshold,
        )  # fmt: skip
        told = {FINAL_VERDICTS: None, OTHER_VERDICTS: {**self._told, **asdict(result)}}
        write_verdicts(self._store, verdicts.values(), 0, told)
        return result

    def _read(self, judge: TopicJudge, pages: list[StoredPage]) -> dict[int, Verdict]:
        if not pages:
            return {}
        found = reread(self._store, self._wanted, judge, pages, self._progress(len(pages)))
        return {one.id: one.verdict for one in found}

    def _new(self, page: StoredPage, verdict: Verdict) -> NewVerdict:
        languages = self._wanted.scope.languages
        wanted = not languages or not page.language or page.language in languages
        return NewVerdict(page.id, verdict.score, verdict.relevant and wanted, told_of(verdict))

    def _decider(self, judge: TopicJudge) -> Callable[[StoredPage], Verdict | None]:
        """Gives the verdict that follows from the records."""
        own = judge.judge
        if isinstance(own, (SimilarityJudge, EridJudge)) and self._measured:
            return lambda page: _by_measure(own, page)
        if isinstance(own, PredicateJudge) and isinstance(own.predicate, ParsedPredicate):
            asked = Decider(own.predicate)
            return lambda page: self._by_predicate(asked, own, page)
        return lambda page: None

    def _by_predicate(self, asked: Decider, judge: PredicateJudge, page: StoredPage) -> Verdict | None:
        facts = PageFacts(
            page.url, page.title, page.language, page.words, page.links, similarity=page.similarity, erid=page.erid,
            kind=page.kind,
        )  # fmt: skip
        found = asked(RecordedPage(facts, self._own_terms(page) if self._same_terms else None, self._measured))
        if found is None:
            return None
        reasons: tuple[Reason, ...] = (Reason("predicate", found.score),)
        parts: tuple[Part, ...] = found.parts
        return Verdict(found.score, found.held, judge.threshold, judge.name, reasons, parts=parts)


def _by_measure(judge: SimilarityJudge | EridJudge, page: StoredPage) -> Verdict:
    score = page.similarity if isinstance(judge, SimilarityJudge) else page.erid
    relevant = score >= judge.threshold
    return Verdict(score, relevant, judge.threshold, judge.name, (Reason(judge.name, score),))


def _words(topic: Topic) -> tuple[Any, ...]:
    """What similarity and ERID of a page depend on."""
    examples = tuple((example.text, example.positive) for example in topic.examples)
    return topic.query, topic.keywords, examples, topic.judge.language, topic.judge.weighting, topic.judge.form


def _short(page: StoredPage) -> StoredPage:
    """Without its terms, which are most of it."""
    return replace(page, terms=None)
