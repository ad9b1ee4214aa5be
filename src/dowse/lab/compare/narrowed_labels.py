"""Topics that a label and a predicate make together: ``Science.Biology and word("forest")``, the pages that have the
label and satisfy the predicate (Aggarwal's figures 4 and 5 are of such)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dowse.judge.predicate.evaluate import leaves
from dowse.judge.predicate.parser import parse
from dowse.lab.compare.yardstick import satisfying
from dowse.lab.corpus import Corpus, Labels
from dowse.model.errors import UserError
from dowse.model.topic import Expression, Topic
from dowse.model.words import words

__all__ = ["and_its_word", "labels_with", "narrowed"]

_AND = " and "
_OF_WORDS = ("word", "title")
_SHORTEST = 4
_LEAST, _MOST = 0.25, 0.6  # of a label's pages have the word


@lru_cache(256)
def narrowed(corpus: Corpus, name: str) -> Labels | None:
    """The pages of ``LABEL and EXPRESSION``; None where the corpus has no such label. The crawler is told the label's
    words and those that the expression asks for. UserError when the expression is none, or no page satisfies it."""
    known = corpus.labels
    label = max((one for one in known.pages if name.startswith(one + _AND)), key=len, default=None)
    if label is None:
        return None
    expression = name[len(label) + len(_AND) :].strip()
    topic = Topic(query=known.query(label), predicate=Expression(expression, f"the topic {label}{_AND}..."))
    found = satisfying(corpus, topic, sorted(known.pages[label]))
    if not found:
        raise UserError(f"no page of {corpus.folder} with the label {label!r} satisfies {expression}")
    asked = [leaf.argument for leaf, positive in leaves(parse(expression)) if positive and leaf.name in _OF_WORDS]
    query = " ".join(dict.fromkeys([*known.query(label).split(), *asked]))
    return Labels({name: frozenset(found)}, queries={name: query})


def labels_with(corpus: Corpus, name: str) -> Labels:
    """Labels that this is one of: those of the corpus, or the one that a label and an expression make."""
    if name in corpus.labels.pages:
        return corpus.labels
    return narrowed(corpus, name) or corpus.labels


def and_its_word(corpus: Corpus, label: str, min_pages: int) -> str | None:
    """The label and the word that stands for it best among those that a quarter to six tenths of its pages have, and
    at least ``min_pages``: the one whose pages have the label most often, the more pages the better among equals. None
    where there is none."""
    pages = np.array(sorted(corpus.labels.pages[label]), np.int64)
    on = _words_on(corpus)
    own = np.bincount(np.concatenate([on[page] for page in pages.tolist()]), minlength=_count(corpus))
    everywhere = _pages_with(corpus)
    share = own / len(pages)
    fit = np.flatnonzero((share >= _LEAST) & (share <= _MOST) & (own >= min_pages))
    strings, named = corpus.pages.strings["words"], set(words(label))
    order = fit[np.lexsort((fit, -own[fit], -own[fit] / everywhere[fit]))]
    for number in order.tolist():
        word = strings[number]
        if len(word) >= _SHORTEST and word.isascii() and word.isalpha() and word not in named:
            return f'{label}{_AND}word("{word}")'
    return None


def _count(corpus: Corpus) -> int:
    return len(corpus.pages.strings["words"])


@lru_cache(1)
def _words_on(corpus: Corpus) -> dict[int, np.ndarray]:
    """The numbers of the words on each page, each once."""
    tokens, pages = corpus.pages.columns["tokens"], corpus.pages
    return {
        page: np.unique(tokens[pages.bounds("token_ends", page)]) for page in np.flatnonzero(pages.is_page()).tolist()
    }


@lru_cache(1)
def _pages_with(corpus: Corpus) -> np.ndarray:
    return np.maximum(np.bincount(np.concatenate(list(_words_on(corpus).values())), minlength=_count(corpus)), 1)
