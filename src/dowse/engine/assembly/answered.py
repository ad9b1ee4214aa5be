"""What somebody answered about the pages of a crawl (``dowse label``), for the crawl's own judge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from dowse.judge import LearnedJudge
from dowse.judge.questions import Kind
from dowse.model.judge import JudgedPage
from dowse.model.page import Bag
from dowse.model.strategy import Answer, Sample, Subject
from dowse.store import damage_told
from dowse.store.answers import Answers
from dowse.store.sharded import whole_of

__all__ = ["ELSEWHERE", "answers_of", "tell_answers", "with_answers"]

ELSEWHERE = 1 << 62
"""The number of a page that these records do not have; from there on where there are several."""


class _Judged(Protocol):
    def judged(self) -> list[JudgedPage]: ...

    def details(self, candidates: Sequence[int]) -> Iterable[tuple[int, bytes]]: ...


def answers_of(folder: Path, crawl: _Judged, told: Sequence[Answer] = ()) -> list[Answer]:
    """The answers in a crawl's folder about pages whose terms are kept, in the order of the pages: of a shard, those in
    the folder of the whole crawl about its own pages. Then those that it was ``told`` of about other shards' pages.
    Raises UserError when they cannot be read, StoreError when the records are damaged."""
    answers = Answers(whole_of(folder))
    said = {one.sample.url: (one.positive, one.by_lot) for one in told}
    said |= {url: (positive, answers.asked[url] == Kind.RANDOM) for url, positive in answers.known.items()}
    if not said:
        return []
    with damage_told(folder):
        pages = {page.id: page.url for page in crawl.judged() if page.url in said}
        bags = {id_: Bag.unpacked(data) for id_, data in crawl.details(list(pages))}
    samples = [(id_, Sample(bags[id_], url)) for id_, url in sorted(pages.items()) if id_ in bags]
    ours = {sample.url for _, sample in samples}
    samples += enumerate((one.sample for one in told if one.sample.url not in ours), ELSEWHERE)
    return [Answer(id_, said[sample.url][0], sample, said[sample.url][1]) for id_, sample in samples]


def tell_answers(judge: LearnedJudge, folder: Path, crawl: _Judged, told: Sequence[Answer] = ()) -> None:
    """Let the judge know them; none where there are none."""
    judge.tell(answers_of(folder, crawl, told))


def with_answers(subject: Subject, folder: Path, crawl: _Judged, told: Sequence[Answer] = ()) -> Subject:
    """The subject with the answers as examples and counter-examples."""
    answers = answers_of(folder, crawl, told)
    return Subject(
        (*subject.positive, *(one.sample for one in answers if one.positive)),
        (*subject.negative, *(one.sample for one in answers if not one.positive)),
        subject.query,
    )
