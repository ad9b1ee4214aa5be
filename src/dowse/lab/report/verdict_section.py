"""The part of a report that is about verdicts: what gave them, how sure they are, and where they are doubtful."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from dowse.lab.draw.score_chart import score_chart
from dowse.lab.draw.svg import svg_in_page
from dowse.lab.finished.crawl_judge import CrawlJudge, TopicWord, crawl_judge, topic_words
from dowse.lab.finished.expected_words import goes_by, unpromised
from dowse.lab.finished.verdict_facts import VerdictFacts, verdict_facts
from dowse.lab.html_markup import Html, bar, clip, element, join, section, table
from dowse.lab.report.page_cell import deciding, named_page
from dowse.lab.wording import counted, percent, score_told
from dowse.model.judge import LEARNED
from dowse.model.runs import JudgedBy
from dowse.store import CrawlReader, Run

__all__ = ["Verdicts"]

_BORDERLINE = 10
_WORDS = 20
_BINS = 40
_LANGUAGES = 12
_RUNS = 10
_NAMES = {LEARNED: "chance to be on the topic", "erid": "keyword density", "predicate": "nearness to the predicate"}
_NONE = "–"


class Verdicts:
    """The sections about a crawl's verdicts; each is empty where there is nothing to tell."""

    def __init__(self, crawl: CrawlReader, runs: Sequence[Run]) -> None:
        self._crawl = crawl
        self._runs = runs
        self._facts = verdict_facts(crawl, _BORDERLINE, _BINS)
        self.judge = crawl_judge(crawl) if self._facts.by.judge == LEARNED else None

    @property
    def method(self) -> str:
        """The name of the judge whose verdicts count."""
        return self._facts.by.judge

    def scores(self) -> list[Html]:
        """Scores with the threshold among them, and what each run judged by."""
        if self._facts.spread is None:
            return []
        return [*_scores(self._facts, self._crawl.settings()), *_judged_runs(self._runs, self._facts)]

    def doubts(self) -> list[Html]:
        """Borderline pages, the words that decide, and languages."""
        return [
            *_borderline(self._crawl, self._facts, self.judge),
            *_words(self._crawl, self.judge),
            *_languages(self._facts),
        ]


def _scores(facts: VerdictFacts, settings: Mapping[str, Any]) -> list[Html]:
    assert facts.spread is not None
    name = _NAMES.get(facts.by.judge, facts.by.judge)
    figure = element(
        "figure",
        svg_in_page(score_chart(facts.spread, name), class_="broad"),
        svg_in_page(score_chart(facts.spread, name, width=400, height=240), class_="narrow"),
    )
    low, high = (score_told(edge, facts.by.judge, ".3g") for edge in (facts.spread.low, facts.spread.high))
    near = f"{counted(facts.spread.near, 'page')} from {low} to {high}"
    note = f"{_sentence(facts.by)} {near} could as well have gone the other way. Heights are roots of the numbers."
    parts = [figure]
    if short := unpromised(facts.by, settings):
        parts.insert(0, element("p", f"{short[:1].upper()}{short[1:]}."))
    if facts.by.vague:
        parts.insert(0, element("p", f"The topic's words are too vague to tell: {facts.by.vague}. An example page, a "
                                     "counter-example, or answers to dowse label would sharpen it."))  # fmt: skip
    return section("Verdicts", note, *parts)


def _sentence(by: JudgedBy) -> str:
    """What makes a page relevant, and how good that is."""
    if by.threshold is None:
        return ""
    if by.verdicts is None:
        return f"A page is relevant from {score_told(by.threshold, by.judge, '.3g')} on, by {by.judge}."
    found = by.verdicts
    told = counted(found["positive"], "example") if found["positive"] else "the topic's words alone"
    expected = (
        f"Expect precision {_interval(found['precision'])} and recall {_interval(found['recall'])}, {goes_by(found)}."
        if found["relevant"] else "No page is called relevant."
    )  # fmt: skip
    return (
        f"A page is relevant from a chance of {by.threshold:.2f} on, by model {by.model}, made of {told} and"
        f" {counted(by.made_of, 'page')}. {expected} When"
        f" the run ended, all pages were judged again: {found['joined']:,} joined, {found['left']:,} left."
    )


def _interval(values: Sequence[float]) -> str:
    value, low, high = values
    return f"{value:.2f} ({low:.2f} to {high:.2f})"


# -- runs --------------------------------------------------------------------------------------------------------------


def _judged_runs(runs: Sequence[Run], facts: VerdictFacts) -> list[Html]:
    """By what each run judged; only where there are several, or what counts now is not what the last run left."""
    known = [(f"{run.id:,}", run.judged_by) for run in runs if run.judged_by.judge][-_RUNS:]
    if known and known[-1][1].verdicts != facts.by.verdicts:
        known.append(("since", facts.by))
    if len(known) < 2:
        return []
    rows = ((name, *_judged(by)) for name, by in known)
    columns = (("run", "n tight"), ("judge", "w"), ("relevant from", "n"), ("model", "n"), ("made of", "n"),
               ("expected precision", "n"), ("recall", "n"), ("judged again", "w"))  # fmt: skip
    changed = " ".join(f"{line[:1].upper()}{line[1:]}." for line in facts.changes)
    return section("What judged", changed, table(columns, rows))


def _judged(by: JudgedBy) -> tuple[str, ...]:
    found: Mapping[str, Any] = by.verdicts or {}
    threshold = _NONE if by.threshold is None else score_told(by.threshold, by.judge, ".3g")
    again = f"{found['joined']:,} joined, {found['left']:,} left" if found else _NONE
    return (
        clip(by.judge, 40), threshold, f"{by.model:,}" if by.model else _NONE,
        counted(by.made_of, "page") if by.made_of else _NONE,
        _interval(found["precision"]) if found else _NONE, _interval(found["recall"]) if found else _NONE, again,
    )  # fmt: skip


# -- pages and words ---------------------------------------------------------------------------------------------------


def _borderline(crawl: CrawlReader, facts: VerdictFacts, judge: CrawlJudge | None) -> list[Html]:
    """Ten on either side of the threshold, in the order of their scores."""
    chosen = [*((page, "relevant") for page in reversed(facts.just_relevant)),
              *((page, "not relevant") for page in facts.nearly_relevant)]  # fmt: skip
    if not chosen:
        return []
    rows = (
        (
            score_told(page.score or 0.0, facts.by.judge),
            verdict,
            join((*named_page(page), *deciding(crawl, page, judge))),
        )
        for page, verdict in chosen
    )
    columns = (("score", "n tight"), ("verdict", "w"), ("page", "wide clip"))
    classes = ["" if verdict == "relevant" else "reference" for _, verdict in chosen]
    note = (
        "The pages nearest to the threshold, on both sides. If you see here what is wrong, an example of it helps most."
    )
    return section("Borderline pages", note, table(columns, rows, classes))


def _words(crawl: CrawlReader, judge: CrawlJudge | None) -> list[Html]:
    """The words that speak for the topic and against it, beside each other."""
    if judge is None:
        return []
    above, below = topic_words(crawl, judge, _WORDS)
    if not above and not below:
        return []
    most = max((abs(word.adds) for word in (*above, *below)), default=1.0) or 1.0
    rows = ((*_word(one, most), *_word(other, most)) for one, other in zip_longest(above, below))
    columns = (("for the topic", "wide"), ("adds", "n"), ("pages", "n extra"), ("against it", "wide"), ("adds", "n"),
               ("pages", "n extra"))  # fmt: skip
    note = (
        "What a word adds to the log odds of a page that has it, on average over the"
        f" {counted(len(judge.known), 'page')} that the judge remembers. From 0 on, a page is more likely on the topic"
        " than not."
    )
    return section("Words that decide", note, table(columns, rows))


def _word(word: TopicWord | None, most: float) -> tuple[str, str, str]:
    if word is None:
        return "", "", ""
    adds = bar(abs(word.adds) / most, f"{word.adds:+.3f}")
    return element("b", element("bdi", clip(word.word, 40))), adds, f"{word.pages:,}"


def _languages(facts: VerdictFacts) -> list[Html]:
    """Only where there is more than one."""
    if len(facts.languages) < 2:
        return []
    pages = sum(one.pages for one in facts.languages)
    rows = (
        (clip(one.language, 20) or "unknown", bar(one.pages / pages, f"{one.pages:,}"), f"{one.relevant:,}",
         percent(one.relevant / one.pages))
        for one in facts.languages[:_LANGUAGES]
    )  # fmt: skip
    more = len(facts.languages) - _LANGUAGES
    note = f"The first {_LANGUAGES} of {len(facts.languages):,}." if more > 0 else ""
    columns = (("language", "w"), ("judged pages", "n"), ("relevant", "n"), ("share", "n"))
    return section("Languages", note, table(columns, rows))
