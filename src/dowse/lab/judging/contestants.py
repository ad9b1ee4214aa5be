"""The judges that are measured. To measure another, make it a :class:`~dowse.lab.judging.port.Contestant` and add it to
:data:`CONTESTANTS`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from dowse.lab.corpus import Corpus
from dowse.lab.judging.learned_contestant import LearnedContestant
from dowse.lab.judging.port import Contestant
from dowse.lab.judging.word_judge import WordJudge
from dowse.model.judge import LEARNED

__all__ = ["CONTESTANTS", "MakeContestant"]

MakeContestant = Callable[[Corpus], Contestant]

CONTESTANTS: dict[str, MakeContestant] = {
    LEARNED: LearnedContestant,
    "similarity": partial(WordJudge, "similarity"),
    "erid": partial(WordJudge, "erid"),
}
"""Name -> what makes the judge, for a corpus; in the order of the tables."""
