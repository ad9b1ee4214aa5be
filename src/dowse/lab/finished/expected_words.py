"""What is expected of a crawl's verdicts, in words: what the figures go by, and where they fall short of what was asked
for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dowse.lab.wording import counted
from dowse.model.judge import LEARNED
from dowse.model.runs import JudgedBy
from dowse.model.unmet import BY_ANSWERS, BY_CHANCES, BY_WORDS, NO_MODEL, NONE_SO_LIKELY

__all__ = ["goes_by", "shortfall", "unpromised"]

_WHY = {
    NONE_SO_LIKELY: "no page is so likely. Ask for less, or give an example page or answers to dowse label",
    BY_WORDS: "the topic's words alone never do. An example page, or answers to dowse label, may",
    BY_CHANCES: "what is known of the pages called relevant does not come to it",
    BY_ANSWERS: "your answers about pages drawn by lot do not bear it out; more of them may",
    NO_MODEL: "too little was learned for a model. Give an example page, or crawl more pages",
}


def goes_by(final: Mapping[str, Any]) -> str:
    """What expected precision and recall rest on; ``final`` is the statistic of that name.

    >>> goes_by({"pages": 300, "positive": 8, "worth": 2.0})
    'by the chances of 300 pages, from 8 examples; no answer has checked them, so the intervals are as wide as if 2 had'
    >>> goes_by({"pages": 300, "positive": 0, "worth": 1.0})
    "by the chances of 300 pages, from the topic's words alone; no answer has checked them, so the intervals are as\
 wide as if 1 had"
    >>> goes_by({"pages": 300, "positive": 8, "by_lot": 5})
    'by 5 answers about pages drawn by lot, and the chances of 300 pages'
    >>> goes_by({"pages": 300, "positive": 2, "answers": 3, "by_lot": 0})
    'by the chances of 300 pages, from 2 examples; no answer is about a page drawn by lot, which alone would check them'
    """
    chances = f"the chances of {counted(final['pages'], 'page')}"
    if final.get("by_lot"):
        return f"by {counted(final['by_lot'], 'answer')} about pages drawn by lot, and {chances}"
    told = counted(final["positive"], "example") if final["positive"] else "the topic's words alone"
    worth = final.get("worth")
    wide = f"; no answer has checked them, so the intervals are as wide as if {worth:g} had" if worth else ""
    if final.get("answers"):
        wide = "; no answer is about a page drawn by lot, which alone would check them"
    return f"by {chances}, from {told}{wide}"


def shortfall(asked: float | None, unmet: str) -> str:
    """That the precision that was asked for is not promised, and why not; empty where it is, or none was asked for.

    >>> shortfall(0.9, "chances")
    'no threshold promises the precision of 0.90 that was asked for: what is known of the pages called relevant does\
 not come to it'
    >>> shortfall(0.9, ""), shortfall(None, "")
    ('', '')
    """
    if asked is None or unmet not in _WHY:
        return ""
    return f"no threshold promises the precision of {asked:.2f} that was asked for: {_WHY[unmet]}"


def unpromised(by: JudgedBy, settings: Mapping[str, Any]) -> str:
    """The same of a crawl with these settings, by what its verdicts go by."""
    if by.verdicts is not None:
        return shortfall(by.verdicts.get("asked"), by.verdicts.get("unmet", ""))
    if by.judge in ("", LEARNED):  # it runs yet, or was killed
        return ""
    topic = settings.get("topic")  # of a folder that may be anybody's
    judge = topic.get("judge") if isinstance(topic, Mapping) else None
    asked = judge.get("precision") if isinstance(judge, Mapping) else None
    return shortfall(asked if isinstance(asked, float) else None, NO_MODEL)
