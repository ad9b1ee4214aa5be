"""What answers are worth: ``python -m bench.labelling CORPUS [--answers 20] [--every N] [--last-part]``.

For each label, a breadth-first crawl of 1,000 pages is judged by the label's name alone; then the questions of ``dowse
label`` are answered by the corpus' labels: once by somebody who only answers, and once by somebody who presses ``f``
where the questions propose it, and knows words of the topic (the eight that most tell its pages from others, two at a
time). F1 and average precision are over all pages of the corpus that were neither answered nor given, beside those of
the same judge that was told 8 pages of the label, drawn at random, in place of answers; F1 also over the crawl's own
pages, which are those that a user labels. Last, over the crawl's pages: how often the truth lies in the intervals for
precision and recall that the answers alone give (nine times in ten is meant), how wide these are, and seconds of CPU a
question.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dowse.judge import LearnedJudge, build_judge, learned_judge
from dowse.judge.asking import AskedPage, Asking
from dowse.judge.questions import Kind
from dowse.lab.compare.each_topic import opened
from dowse.lab.corpus import Corpus, LabTopic, Unfit, make_topic
from dowse.lab.judging.backgrounds import backgrounds, on_topic, seeds_of
from dowse.lab.judging.learned_contestant import _bags
from dowse.lab.judging.metrics import Figures, figures
from dowse.lab.judging.page_terms import page_terms
from dowse.lab.judging.trials import TrialPlan
from dowse.lab.judging.word_judge import example_of
from dowse.lab.replay.corpus_web import CorpusWeb
from dowse.model.errors import TopicError
from dowse.model.strategy import Sample
from dowse.model.topic import Topic
from dowse.model.words import words

EXAMPLES = 8
WORDS, AT_ONCE = 8, 2  # that somebody knows of a topic, and looks for


@dataclass
class Row:
    """One label."""

    label: str
    name: Figures
    examples: Figures
    answers: Figures
    finding: Figures
    crawl_f1: dict[str, float]  # the same four, over the crawl's pages
    yes: int
    within: list[bool]  # precision, recall
    widths: list[float]
    seconds: float  # a question


def judged(corpus: Corpus, topic: Topic, crawl: list[int], seeds: Collection[int]) -> LearnedJudge:
    """The judge after a crawl that began at these seeds."""
    judge = learned_judge(topic)
    assert judge is not None
    language = topic.judge.language
    cosines = page_terms(corpus, language).cosines(build_judge(topic).nearness.vector.weights)
    bags = _bags(corpus, language)
    for page in crawl:
        if page in bags:
            judge.add(page, bags[page], corpus.url(page), float(cosines[page]), is_seed=page in seeds)
    deque(judge.learn(), maxlen=0)
    return judge


def of(corpus: Corpus, judge: LearnedJudge, truth: np.ndarray, measured: np.ndarray) -> Figures:
    bags = _bags(corpus, "english")
    chances = np.zeros(len(corpus))
    found = judge.chances([(bag, corpus.url(page)) for page, bag in bags.items()])
    if found is not None:
        chances[list(bags)] = found
    return figures(chances[measured], truth[measured], judge.threshold)


def label(corpus: Corpus, web: CorpusWeb, topic: LabTopic, query: str, count: int) -> Row | None:
    plan = TrialPlan(judges=("learned",), backgrounds=("bfs",), last_part=True)
    seeds = seeds_of(corpus, topic)
    if seeds is None:
        return None
    [crawl] = backgrounds(corpus, web, plan.crawls(), topic, seeds, plan.background_pages)
    given = {*topic.examples, *on_topic(seeds)}
    pages = [page for page in crawl.pages.tolist() if page not in given]
    truth = np.zeros(len(corpus), np.bool_)
    truth[list(topic.relevant)] = True
    try:
        by_name = judged(corpus, Topic(query=query), pages, seeds.pages)
    except TopicError:
        return None
    told = Topic(query=query, examples=tuple(example_of(corpus, page) for page in topic.examples))
    by_examples = judged(corpus, told, pages, seeds.pages)
    bags = _bags(corpus, "english")
    asked = [AskedPage(page, Sample(bags[page], corpus.url(page))) for page in pages if page in bags]
    by_answers, by_finding = (judged(corpus, Topic(query=query), pages, seeds.pages) for _ in range(2))
    start = time.process_time()
    asking = answered(Asking(by_answers, asked), truth, count, iter(()))
    seconds = (time.process_time() - start) / count
    finding = answered(Asking(by_finding, asked), truth, count, telling_words(corpus, truth))
    measured = corpus.pages.is_page()
    measured[[*given, *asking.answers, *finding.answers]] = False
    expected = asking.expected()
    verdicts = np.where(
        [page in asking.answers for page in asking.pages.ids.tolist()], truth[asking.pages.ids], asking.pages.relevant
    )
    right = int(np.count_nonzero(verdicts & truth[asking.pages.ids]))
    called, on = int(np.count_nonzero(verdicts)), int(np.count_nonzero(truth[asking.pages.ids]))
    real = right / max(1, called), right / max(1, on)
    intervals = (expected.precision, expected.recall)
    crawled = np.zeros(len(corpus), np.bool_)
    crawled[pages] = True
    judges = {"name": by_name, "examples": by_examples, "answers": by_answers, "finding": by_finding}
    name, examples, answers, found = (of(corpus, judge, truth, measured) for judge in judges.values())
    return Row(
        topic.label, name, examples, answers, found,
        {told: of(corpus, judge, truth, measured & crawled).f1 for told, judge in judges.items()},
        sum(asking.answers.values()),
        [low - 1e-9 <= value <= high + 1e-9 for value, (_, low, high) in zip(real, intervals, strict=True)],
        [high - low for _, low, high in intervals], seconds,
    )  # fmt: skip


def answered(asking: Asking, truth: np.ndarray, count: int, known_words: Iterator[np.ndarray]) -> Asking:
    """After so many answers; where ``f`` is proposed, the page with the next words is looked for, as long as there are
    any."""
    asking.know({}, set())
    for _ in range(count):
        found = asking.question()
        if found is None:
            break
        if found[1] is Kind.NEW and (words_ := next(known_words, None)) is not None:
            page = asking.find(words_)
            found = found if page is None else (page, Kind.FOUND)
        asking.answer(found[0], bool(truth[found[0]]), found[1])
    asking.learn()
    return asking


def telling_words(corpus: Corpus, truth: np.ndarray) -> Iterator[np.ndarray]:
    """The terms that most tell the pages of a topic from others, some at a time: the share of its pages that have one,
    less the share of others."""
    bags = _bags(corpus, "english")
    on = [page for page in bags if truth[page]]
    shares: Counter[int] = Counter()
    for page, bag in bags.items():
        share = 1 / len(on) if truth[page] else -1 / (len(bags) - len(on))
        for term in bag.terms.tolist():
            shares[term] += share  # type: ignore[assignment]
    best = [term for term, _ in shares.most_common(WORDS)]
    for first in range(0, WORDS, AT_ONCE):
        yield np.sort(np.array(best[first : first + AT_ONCE], np.uint32))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--answers", type=int, default=20)
    parser.add_argument("--every", type=int, default=1, help="every so many-th label, in the order of names")
    parser.add_argument("--json", type=Path, help="write the figures")
    parser.add_argument("--last-part", action="store_true")
    options = parser.parse_args()
    corpus, web = opened(options.corpus)
    names = sorted(name for name, pages in corpus.labels.pages.items() if len(pages) >= 40)[:: options.every]
    rows = []
    for name in names:
        topic = make_topic(corpus, name, examples=EXAMPLES)
        if isinstance(topic, Unfit):
            continue
        query = " ".join(words(name.rpartition(".")[2])) if options.last_part else topic.query
        row = label(corpus, web, topic, query, options.answers)
        if row is not None:
            rows.append(row)
            print(f"{name}: F1 name {row.name.f1:.2f}, {EXAMPLES} examples {row.examples.f1:.2f}, answers"
                  f" {row.answers.f1:.2f} ({row.yes} yes), best {row.answers.best_f1:.2f}; with words"
                  f" {row.finding.f1:.2f}", flush=True)  # fmt: skip
    tell(rows, options.json)


def tell(rows: list[Row], path: Path | None) -> None:
    """The means over labels: printed, and written where a file is named."""
    found: dict[str, Any] = {"labels": len(rows), "measured": {}}
    for told in ("name", "examples", "answers", "finding"):
        own = [getattr(row, told) for row in rows]
        means = {key: float(np.mean([getattr(one, key) for one in own]))
                 for key in ("f1", "best_f1", "average_precision", "precision", "recall")}  # fmt: skip
        means["crawl_f1"] = float(np.nanmean([row.crawl_f1[told] for row in rows]))
        found["measured"][told] = means
        print(f"{told}: " + ", ".join(f"{key} {value:.3f}" for key, value in means.items()))
    better = sum(row.finding.f1 > row.examples.f1 for row in rows)
    print(f"answers and words better than examples on {better} of {len(rows)} labels")
    within, widths = np.mean([row.within for row in rows], axis=0), np.mean([row.widths for row in rows], axis=0)
    print(f"interval holds precision {within[0]:.2f}, recall {within[1]:.2f}; width {widths[0]:.2f}, {widths[1]:.2f}")
    question_ms = 1e3 * float(np.mean([row.seconds for row in rows]))
    print(f"CPU a question {question_ms:.0f} ms")
    if path is not None:
        found |= {"better": better, "held": within.tolist(), "widths": widths.tolist(), "question_ms": question_ms}
        path.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
