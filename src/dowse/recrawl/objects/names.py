"""Names that are similar, grouped: a token-set ratio of at least 0.9 (METHODS, section 5.2).

Among up to 400 names all pairs are compared. Among more, which stand on one day at one place, a name is compared with
those that have one of its rarer words. That loses no pair where the words that both have are similar enough to one of
the names: its other words make up less of it than the rare ones that are asked for. It may lose a pair that differs by
a letter in every rare word.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.errors import UserError

__all__ = ["SIMILAR", "check_distinct", "similar_names"]

SIMILAR = 0.9
_ALL_PAIRS = 400
_MOST_COMPARED = 2_000  # names that one is compared with, those with its rarest words first
_Groups = list[list[str]]


def similar_names(names: Sequence[str], similar: float = SIMILAR) -> _Groups:
    """Normalised names, each once, in groups: any two with a ratio of at least ``similar`` are in one group. In order
    of their first names."""
    if len(names) == 1:
        return [[names[0]]]
    same: dict[str, list[str]] = defaultdict(list)  # the ratio goes by the set of words alone
    for name in names:
        same[" ".join(sorted(set(name.split())))].append(name)
    keys = list(same)
    groups: dict[int, list[str]] = defaultdict(list)
    for place, root in enumerate(_roots(keys, similar)):
        groups[root] += same[keys[place]]
    return list(groups.values())


def _roots(keys: list[str], similar: float) -> list[int]:
    """Of each, the first of its group."""
    root = np.arange(len(keys))
    if len(keys) == 1:
        return [0]
    fuzz, process = _rapidfuzz()
    for place, others in _compared(keys, similar):
        others = others[root[others] != root[place]]  # what is one already need not be compared
        if not len(others):
            continue
        row = process.cdist(
            [keys[place]], [keys[other] for other in others.tolist()], scorer=fuzz.token_set_ratio,
            score_cutoff=100 * similar, dtype=np.float32,
        )[0]  # fmt: skip
        joined = np.unique(root[others[row > 0]])
        if len(joined):
            root[np.isin(root, joined)] = root[place]
    _, first, inverse = np.unique(root, return_index=True, return_inverse=True)
    return first[inverse].tolist()  # type: ignore[no-any-return]


def _compared(keys: list[str], similar: float) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """With what each is compared."""
    if len(keys) <= _ALL_PAIRS:
        places = np.arange(len(keys))
        yield from ((place, places[place + 1 :]) for place in places.tolist())
        return
    words = [key.split() for key in keys]
    having: dict[str, list[int]] = defaultdict(list)
    for place, own in enumerate(words):
        for word in own:
            having[word].append(place)
    # of a name with a and a common part with c letters, 2 c / (a + c) is the ratio of both: a - c is at most this of a
    outside = 2 * (1 - similar) / (2 - similar)
    for place, own in enumerate(words):
        found: dict[int, None] = {}
        for word in _rarest(own, having, outside * len(keys[place])):
            found.update(dict.fromkeys(having[word][:_MOST_COMPARED]))
        found.pop(place, None)
        yield place, np.fromiter(found, np.intp, len(found))[:_MOST_COMPARED]


def _rarest(words: list[str], having: dict[str, list[int]], most: float) -> Iterator[str]:
    """The rarest words of a name, until they have more letters than may be outside of a similar name."""
    seen = 0
    for word in sorted(words, key=lambda word: (len(having[word]), word)):
        yield word
        seen += len(word) + 1
        if seen > most + 1:
            return


def check_distinct() -> None:
    """UserError where what :func:`similar_names` needs is not installed: asked before long work."""
    _rapidfuzz()


def _rapidfuzz() -> tuple[Any, Any]:
    try:
        from rapidfuzz import fuzz, process
    except ImportError:
        raise UserError("distinct objects need rapidfuzz: install it with: pip install 'dowse[objects]'") from None
    return fuzz, process
