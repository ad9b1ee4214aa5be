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

__all__ = ["answers_of", "tell_answers", "with_answers"]


class _Judged(Protocol):
    def judged(self) -> list[JudgedPage]: ...

    def details(self, candidates: Sequence[int]) -> Iterable[tuple[int, bytes]]: ...


def answers_of(folder: Path, crawl: _Judged) -> list[Answer]:
    """The answers in a crawl's folder about pages whose terms are kept, in the order of the pages: of a shard, those in
    the folder of the whole crawl about its own pages. Raises UserError when they cannot be read, StoreError when the
    records are damaged."""
    answers = Answers(whole_of(folder))
    known = answers.known
    if not known:
        return []
    with damage_told(folder):
        pages = {page.id: page.url for page in crawl.judged() if page.url in known}
        bags = {id_: Bag.unpacked(data) for id_, data in crawl.details(list(pages))}
    return [
        Answer(id_, known[url], Sample(bags[id_], url), answers.asked[url] == Kind.RANDOM)
        for id_, url in sorted(pages.items())
        if id_ in bags
    ]  # fmt: skip


def tell_answers(judge: LearnedJudge, folder: Path, crawl: _Judged) -> None:
    """Let the judge know them; none where there are none."""
    judge.tell(answers_of(folder, crawl))


def with_answers(subject: Subject, folder: Path, crawl: _Judged) -> Subject:
    """The subject with the answers as examples and counter-examples."""
    answers = answers_of(folder, crawl)
    return Subject(
        (*subject.positive, *(one.sample for one in answers if one.positive)),
        (*subject.negative, *(one.sample for one in answers if not one.positive)),
        subject.query,
    )
