"""Is a page on the topic, and how near are its lines and links?

A *judge* gives the verdict, with a threshold and reasons: by similarity, ERID keywords or a predicate (``judges``), or
one from outside (``guarded``), all behind the port of ``model/judge.py``. Where it learns from the crawl (``learned``),
it judges in the engine, after one of those had a first look in a worker. The *nearness* of any text to the topic's
words is measured apart from it (``nearness``), and is what a judge and the links of a page go by. ``build_judge`` makes
both from a topic.
"""

from __future__ import annotations

from dowse.judge.build_judge import (
    DEFAULT_THRESHOLDS,
    METHODS,
    build_judge,
    check_judge,
    learned_judge,
    learns,
    looking_judge,
)
from dowse.judge.calibrate import calibrate
from dowse.judge.category import Category
from dowse.judge.category_file import load_category, save_category
from dowse.judge.erid import KeywordPool
from dowse.judge.frequencies import TERMS
from dowse.judge.guarded import GuardedJudge
from dowse.judge.judges import SimilarityJudge, TopicJudge
from dowse.judge.learned.learned_judge import LearnedJudge
from dowse.judge.lexicon import Vocabulary
from dowse.judge.nearness import Nearness
from dowse.judge.predicate import category_files, check_predicate
from dowse.judge.reading import Reading
from dowse.judge.similarity import TopicVector
from dowse.judge.subject import subject_of
from dowse.judge.terms import Terms, check_weighting

__all__ = [
    "DEFAULT_THRESHOLDS", "METHODS", "TERMS", "Category", "GuardedJudge", "KeywordPool", "LearnedJudge", "Nearness",
    "Reading", "SimilarityJudge", "Terms", "TopicJudge", "TopicVector", "Vocabulary", "build_judge", "calibrate",
    "category_files", "check_judge", "check_predicate", "check_weighting", "learned_judge", "learns", "load_category",
    "looking_judge",
    "save_category", "subject_of",
]  # fmt: skip
