"""What every judge promises (:class:`dowse.model.judge.Judge`), checked on pages on a topic, off it, and odd ones."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable

from dowse.judge import build_judge
from dowse.model.facts import PageFacts
from dowse.model.judge import Judge, ReadPage
from dowse.model.page import Verdict
from dowse.model.plugins import missing_members
from dowse.model.topic import Keyword, Topic
from dowse.model.words import words
from dowse.testing.contract import expect

__all__ = ["JUDGE_CHECKS", "check_judge", "sample_pages"]

MakeJudge = Callable[[], Judge]
_TOPIC = Topic(query="perovskite solar cells", keywords=(Keyword("perovskite", 2.0), Keyword("solar cell")))
_TEXTS = (
    ("Perovskite solar cells", "A perovskite solar cell turns light into electricity. Solar cells are printed."),
    ("Bread", "Knead the dough, let it rest for an hour and bake it in a hot oven until the crust is brown."),
    ("Notes", "Solar panels on the roof. " + "Nothing else is said of them here. " * 40),
    ("", ""),
    ("太陽電池", "新しい太陽電池の効率について"),
    ("\u202eodd\u0000", "a" * 5_000 + " \ud7ff 🙂 perovskite"),
)
_CLOSE = 1e-6


def sample_pages(judge: Judge, topic: Topic = _TOPIC) -> list[ReadPage]:
    """Pages as a crawl would show them to this judge."""
    nearness = build_judge(topic).nearness
    found: list[ReadPage] = []
    for number, (title, text) in enumerate(_TEXTS):
        page = words(f"{title}\n{text}")
        facts = PageFacts(
            url=f"http://site{number}.test/page/{number}?q=solar", title=title, language="en" if title else "",
            n_words=len(page), n_links=number * 7, text=text if judge.needs_text else "",
            objects=frozenset(("article", "event")[: number % 3]) if judge.needs_objects else frozenset(),
        )  # fmt: skip
        found.append(nearness.compared(nearness.read(page), facts))
    return found


def has_all_of_the_port(make: MakeJudge) -> None:
    """A judge has a name, a threshold from 0 to 1, and all that the port asks for."""
    judge = make()
    missing = missing_members(judge, Judge)
    expect(not missing, f"a judge has {', '.join(missing)}")
    expect(isinstance(judge.name, str) and judge.name.strip() != "", "a judge has a name")
    expect(0.0 <= judge.threshold <= 1.0, f"a threshold is from 0 to 1, not {judge.threshold!r}")
    for name in ("needs_text", "needs_objects", "can_be_sent"):
        expect(isinstance(getattr(judge, name), bool), f"{name} is True or False")


def verdicts_are_sound(make: MakeJudge) -> None:
    """A verdict has a score from 0 to 1, is relevant from the threshold on, and its reasons add up to the score."""
    judge = make()
    for page in sample_pages(judge):
        found = judge.verdict(page)
        expect(isinstance(found, Verdict), f"a judge gives a Verdict, not {found!r}")
        expect(math.isfinite(found.score) and 0.0 <= found.score <= 1.0, f"a score is from 0 to 1, not {found.score!r}")
        expect(found.threshold == judge.threshold, "a verdict has its judge's threshold")
        expect(found.method == judge.name, "a verdict has its judge's name as its method")
        relevant = found.score >= found.threshold
        expect(found.relevant == relevant, f"relevant is what reaches the threshold: {found}")
        total = math.fsum(reason.contribution for reason in found.reasons)
        expect(math.isclose(total, found.score, abs_tol=_CLOSE), f"reasons add up to the score: {total}, {found.score}")


def same_page_same_verdict(make: MakeJudge) -> None:
    """A verdict depends on the page alone, not on what was judged before."""
    judge = make()
    first = [judge.verdict(page) for page in sample_pages(judge)]
    backwards = [judge.verdict(page) for page in reversed(sample_pages(judge))]
    expect(first == backwards[::-1], "the same page gives the same verdict, whatever was judged before")


def a_copy_judges_the_same(make: MakeJudge) -> None:
    """A judge that may be sent to workers can be, and judges there as it does here."""
    judge = make()
    if not judge.can_be_sent:
        return
    try:
        again: Judge = pickle.loads(pickle.dumps(judge))
    except Exception as error:
        expect(False, f"a judge that says can_be_sent can be pickled: {error}")
        return
    pages = sample_pages(judge)
    expect(list(map(judge.verdict, pages)) == list(map(again.verdict, pages)), "a copy gives the same verdicts")


JUDGE_CHECKS: tuple[Callable[[MakeJudge], None], ...] = (
    has_all_of_the_port, verdicts_are_sound, same_page_same_verdict, a_copy_judges_the_same,
)  # fmt: skip


def check_judge(make: MakeJudge) -> None:
    """Run every check on a judge, made anew for each. Raises :class:`~dowse.testing.contract.ContractBroken`."""
    for check in JUDGE_CHECKS:
        check(make)
