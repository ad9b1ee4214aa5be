"""What a page must satisfy, as an expression or a function (METHODS, section 4).

::

    text ─ tokens ─► parser (check) ─► tree ─ build ─► Predicate ─ evaluate, grade ─► held, score, parts

``category("sports") > 0.6 and word("hockey")``: tests of words, the address, measures, categories, the language and
structured data, joined by ``and``, ``or`` and ``not``. Nothing of an expression is ever run as code. Its length, its
depth and the number of its tests are bounded. The language is told in ``docs/predicates.md``, the score in
:mod:`~dowse.judge.predicate.grade`.
"""

from __future__ import annotations

from dowse.judge.predicate.build import build_predicate, category_files, check_measurable, check_predicate
from dowse.judge.predicate.function import FunctionPredicate
from dowse.judge.predicate.grade import Predicate, Satisfied

__all__ = [
    "FunctionPredicate", "Predicate", "Satisfied", "build_predicate", "category_files", "check_measurable",
    "check_predicate",
]  # fmt: skip
