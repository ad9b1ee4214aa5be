"""Is a page on the topic? Cosine similarity, ERID keywords or a predicate, with a threshold and reasons."""

from __future__ import annotations

from dowse.judge.calibrate import calibrate
from dowse.judge.erid import KeywordPool
from dowse.judge.frequencies import TERMS
from dowse.judge.judge import DEFAULT_THRESHOLDS, Judge, build_judge, looking_judge
from dowse.judge.lexicon import Reading, Vocabulary
from dowse.judge.predicate import category_files
from dowse.judge.similarity import TopicVector
from dowse.judge.subject import subject_of
from dowse.judge.terms import Terms, check_weighting

__all__ = [
    "DEFAULT_THRESHOLDS", "TERMS", "Judge", "KeywordPool", "Reading", "Terms", "TopicVector", "Vocabulary",
    "build_judge", "calibrate", "category_files", "check_weighting", "subject_of", "looking_judge",
]  # fmt: skip
