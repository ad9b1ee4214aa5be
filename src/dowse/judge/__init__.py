"""Is a page on the topic? Cosine similarity, ERID keywords or a predicate, with a threshold and reasons."""

from __future__ import annotations

from dowse.judge.build import DEFAULT_THRESHOLDS, build_judge, looking_judge
from dowse.judge.calibrate import calibrate
from dowse.judge.category import Category
from dowse.judge.category_file import load_category, save_category
from dowse.judge.erid import KeywordPool
from dowse.judge.frequencies import TERMS
from dowse.judge.judge import Judge
from dowse.judge.lexicon import Vocabulary
from dowse.judge.predicate import category_files, check_predicate
from dowse.judge.reading import Reading
from dowse.judge.similarity import TopicVector
from dowse.judge.subject import subject_of
from dowse.judge.terms import Terms, check_weighting

__all__ = [
    "DEFAULT_THRESHOLDS", "TERMS", "Category", "Judge", "KeywordPool", "Reading", "Terms", "TopicVector", "Vocabulary",
    "build_judge", "calibrate", "category_files", "check_predicate", "check_weighting", "load_category",
    "looking_judge", "save_category", "subject_of",
]  # fmt: skip
