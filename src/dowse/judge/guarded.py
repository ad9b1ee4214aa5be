"""What comes from outside Dowse, a judge or a function: its faults cost a page and not the crawl, and it finds its way
into worker processes."""

from __future__ import annotations

import math
import pickle
import sys
from dataclasses import replace
from typing import Any

from dowse.model.errors import TopicError
from dowse.model.judge import Judge, ReadPage
from dowse.model.page import Part, Reason, Verdict
from dowse.model.plugins import missing_members
from dowse.model.words import printable

__all__ = ["GuardedJudge", "can_travel", "packed", "told_fault", "unpacked"]

_LONGEST = 200


def can_travel(thing: Any) -> bool:
    """Can another process import it? Not a lambda, a closure, or what the main program defines."""
    try:
        return b"__main__" not in pickle.dumps(thing)
    except Exception:  # pickling runs code of the user's
        return False


def packed(thing: Any) -> tuple[bytes, list[str]]:
    """The arguments of :func:`unpacked` in another process."""
    return pickle.dumps(thing), list(sys.path)


def unpacked(data: bytes, path: list[str]) -> Any:
    """In a worker, which may have been started with another search path for modules."""
    sys.path += [place for place in path if place not in sys.path]
    return pickle.loads(data)


def told_fault(name: str, error: BaseException) -> str:
    """One line on what went wrong in somebody's code."""
    return printable(f"{name}: {type(error).__name__}: {error}")[:_LONGEST]


class GuardedJudge:
    """A judge of the user's or of another package. What it raises, and an answer that is none, is a fault of the page's
    verdict: the page is not relevant."""

    def __init__(self, judge: Judge) -> None:
        missing = missing_members(judge, Judge)
        if missing:
            raise TopicError(f"{type(judge).__name__} is no judge: it has no {', '.join(missing)}")
        if not isinstance(judge.name, str) or not judge.name.strip():
            raise TopicError(f"the judge {type(judge).__name__} needs a name")
        self.name = printable(judge.name)
        self._judge = judge

    @property
    def threshold(self) -> float:
        return float(self._judge.threshold)

    @property
    def needs_text(self) -> bool:
        return bool(self._judge.needs_text)

    @property
    def needs_objects(self) -> bool:
        return bool(self._judge.needs_objects)

    @property
    def can_be_sent(self) -> bool:
        return bool(self._judge.can_be_sent) and can_travel(self._judge)

    def __reduce__(self) -> tuple[Any, ...]:
        return _revived, packed(self._judge)

    def verdict(self, page: ReadPage) -> Verdict:
        try:
            found = _plain(self._judge.verdict(page), self.name)
        except (Exception, SystemExit) as error:  # whatever it is, it costs this page only
            found = Verdict(0.0, False, self.threshold, self.name, fault=told_fault(self.name, error))
        return replace(found, similarity=page.facts.similarity, erid=page.facts.erid)


def _revived(data: bytes, path: list[str]) -> GuardedJudge:
    return GuardedJudge(unpacked(data, path))


def _plain(found: Any, name: str) -> Verdict:
    """The verdict in Python's own numbers, which can be stored; ValueError when it is none."""
    if not isinstance(found, Verdict):
        raise ValueError(f"it returned {found!r}, not a Verdict")
    numbers = [float(number) for number in (found.score, found.threshold)]
    if not all(0.0 <= number <= 1.0 for number in numbers):
        raise ValueError(f"its score {found.score!r} and threshold {found.threshold!r} are not from 0 to 1")
    reasons = [Reason(printable(reason.name), float(reason.value), float(reason.weight)) for reason in found.reasons]
    if not all(math.isfinite(reason.contribution) for reason in reasons):
        raise ValueError("its reasons are no numbers")
    parts = [
        Part(printable(part.text), bool(part.held), float(part.degree), _value(part.value), int(part.depth))
        for part in found.parts
    ]
    return Verdict(numbers[0], bool(found.relevant), numbers[1], name, tuple(reasons), parts=tuple(parts),
                   fault=printable(found.fault)[:_LONGEST])  # fmt: skip


def _value(value: Any) -> float | str | None:
    return value if value is None else printable(value) if isinstance(value, str) else float(value)
