"""Are the topic's words too vague to tell pages apart? Asked each time a judge has learned."""

from __future__ import annotations

import re

from dowse.judge.learned.learned_judge import LearnedJudge
from dowse.judge.learned.vague import ABSENT, COMMON, MOST, UNCLEAR

__all__ = ["VAGUE", "VagueWords", "vague_cause"]

VAGUE = "vague words"
"""The kind of event that tells a crawl's user why its words do not tell pages apart."""

_EARLY = 100  # pages: before, one cannot say, since a crawl begins where the topic's words are
_LEAST = 20  # pages of a run that is over
_TOO_MANY = 2  # one word in so many is found nowhere
_IN_WORDS = {
    ABSENT: "hardly a page has any of its words",
    COMMON: "even the rarest of its words is on most pages",
    MOST: "by its words, most pages would be relevant",
    UNCLEAR: "many pages have something of its words, and few stand out",
}


def vague_cause(judge: LearnedJudge, *, over: bool = False) -> str:
    """Why the topic's words are too vague, in a few words; empty: they are not, or it is too early to say, which it is
    longer while the run is not ``over``. Who has given examples is not asked for better words."""
    if judge.positive or judge.pages < (_LEAST if over else _EARLY):
        return ""
    missing, words = judge.missing()
    if 0 < missing < words <= _TOO_MANY * missing:
        return f"{missing} of its {words} words {'is' if missing == 1 else 'are'} on no page so far"
    return _IN_WORDS.get(judge.vague() or "", "")


class VagueWords:
    """Tells each cause once, however often it comes up; figures in it make it no other cause."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def new(self, cause: str) -> bool:
        """Is this a cause, and one that was not told yet?"""
        key = re.sub(r"[\d.,]+", "", cause)
        if not cause or key in self._told:
            return False
        self._told.add(key)
        return True
