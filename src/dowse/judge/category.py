"""A category: a text classifier that was trained once and serves in many topics. Here it is used, read and written;
``judge.training`` makes one.

A page has ``x = (1 + log tf) / |1 + log tf|`` of each term, where the length is that of all its terms, known to the
category or not. So a page that is mostly about something else has little of everything, and a term left out of the
file changes nothing for the others. Then::

    score       = bias + sum of x * scale * weight over the known terms (+ embedding of the text . its weights)
    probability = 1 / (1 + exp(-(slope * score + offset)))          Platt's scaling (1999)

A category is open data, one JSON file: ``docs/categories.md`` describes it. Whatever such a file may hold, reading it
runs no code, takes bounded memory, and ends in a category or in a TopicError of one line.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.judge.embedding import DIMENSIONS, MODEL, check_installed, embed
from dowse.judge.lexicon import Counts
from dowse.judge.measured import Figure, Measured
from dowse.judge.similarity import text_norm
from dowse.judge.terms import Terms, weights
from dowse.model.errors import TopicError, UserError
from dowse.model.words import word_hash

__all__ = [
    "ENDING", "FORMAT", "MAX_TERMS", "VERSION", "Category", "check_name", "is_name",
    "load_category", "made_category", "save_category",
]  # fmt: skip

FORMAT = "dowse category"
VERSION = 1
ENDING = ".category.json"
"""How the files of categories are called: the category's name, and this."""

MAX_TERMS = 20_000
_LARGEST_FILE = 8_000_000
_LONGEST_TERM = 200
_LONGEST_NAME = 200  # bytes: file systems take 255, endings included
_GREATEST = 1e6  # of a weight: so that no sum of them leaves the floats
_SURE = 1e-6  # no page is taken for less likely, or more likely than the rest to 1
_WEIGHTING = "log"
_name = re.compile(r"\w[\w .+-]{0,99}").fullmatch
_odd = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]").search  # no file or terminal should get them


@dataclass(frozen=True, slots=True, eq=False)
class Category:
    """A classifier of texts. A pure value: it can be sent to another process and gives the same answers.

    ``threshold`` is the probability from which on a page is best taken for one of the category.
    """

    name: str
    language: str  # terms are stems of it, as ``judge.language`` of a topic
    threshold: float
    bias: float
    slope: float
    offset: float
    terms: tuple[str, ...]  # in the order of their hashes
    hashes: NDArray[np.uint64] = field(repr=False)
    scales: NDArray[np.float64] = field(repr=False)  # how telling a term is by itself
    weights: NDArray[np.float64] = field(repr=False)
    embedding: NDArray[np.float64] | None = field(repr=False)  # weights of the text's embedding, where it is used
    positive: int  # examples it was trained on
    negative: int
    measured: Measured
    made_at: str  # ISO 8601, UTC
    made_by: str

    @property
    def needs_text(self) -> bool:
        """Does :meth:`probability` need the page's text besides its terms?"""
        return self.embedding is not None

    def probability(self, terms: NDArray[np.uint64], counts: Counts, text: str | None = None) -> float:
        """How likely a page is one of the category: above 0 and below 1. ``terms`` are the hashes of its distinct
        terms, ``counts`` how often each occurs; ``text`` is its title and text, where :attr:`needs_text`."""
        if self.embedding is None:
            return self.likelihood(self.score(terms, counts))
        if text is None:
            raise ValueError(f"the category {self.name} needs the text of a page")
        return self.likelihood(self.score(terms, counts, embed(text)))

    def likelihood(self, score: float) -> float:
        """The probability that belongs to a score."""
        exponent = max(-50.0, min(50.0, self.slope * score + self.offset))
        return min(1.0 - _SURE, max(_SURE, 1.0 / (1.0 + math.exp(-exponent))))

    def score(self, terms: NDArray[np.uint64], counts: Counts, embedding: NDArray[np.float64] | None = None) -> float:
        """The score of a page, whatever the order of its terms."""
        _, parts = self._parts(terms, counts)
        score = self.bias + float(parts.sum())
        if self.embedding is None:
            return score
        assert embedding is not None
        return score + float(embedding @ self.embedding)

    def telling(self, terms: NDArray[np.uint64], counts: Counts) -> list[tuple[str, float]]:
        """What each known term of a page adds to its score, the greatest first."""
        places, parts = self._parts(terms, counts)
        found = zip(places.tolist(), parts.tolist(), strict=True)
        return sorted([(self.terms[place], part) for place, part in found], key=lambda pair: (-pair[1], pair[0]))

    def _parts(self, terms: NDArray[np.uint64], counts: Counts) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The place of each known term of a page, rising, and what it adds to the score."""
        if not len(terms) or not len(self.hashes):
            return np.zeros(0, np.intp), np.zeros(0)
        order = np.argsort(terms)  # what is looked up in order is found in half of the time
        terms, counts = terms[order], counts[order]
        places = np.searchsorted(self.hashes, terms)
        places[places == len(self.hashes)] = 0
        known = np.flatnonzero(self.hashes[places] == terms)
        places = places[known]
        values = weights(counts[known], _WEIGHTING) / text_norm(counts, _WEIGHTING)
        return places, values * self.scales[places] * self.weights[places]

    def strongest(self, n: int) -> list[tuple[str, float]]:
        """The terms that speak most for the category, with their weights (scale times weight, above 0)."""
        return self._strongest(n, 1.0)

    def strongest_against(self, n: int) -> list[tuple[str, float]]:
        """The terms that speak most against it, with their weights (below 0)."""
        return self._strongest(n, -1.0)

    def _strongest(self, n: int, sign: float) -> list[tuple[str, float]]:
        values = (self.scales * self.weights).tolist()
        found = [pair for pair in zip(self.terms, values, strict=True) if sign * pair[1] > 0]
        return sorted(found, key=lambda pair: (-sign * pair[1], pair[0]))[:n]


def made_category(
    vocabulary: Sequence[tuple[str, float, float]], *, embedding: Sequence[float] | None = None, **facts: Any
) -> Category:
    """A category from its terms (term, scale, weight), which are distinct, and its other fields by name."""
    hashes = np.fromiter((word_hash(term) for term, _, _ in vocabulary), np.uint64, len(vocabulary))
    order = np.argsort(hashes)
    scales, values = (
        np.fromiter((row[column] for row in vocabulary), np.float64, len(vocabulary))[order] for column in (1, 2)
    )
    of_text = None if embedding is None else np.array(embedding, np.float64)
    category = Category(
        terms=tuple(vocabulary[place][0] for place in order.tolist()), hashes=hashes[order], scales=scales,
        weights=values, embedding=of_text, **facts,
    )  # fmt: skip
    for array in (category.hashes, category.scales, category.weights):
        array.setflags(write=False)
    return category


def is_name(name: str) -> bool:
    """Is it fit for a category, a file and a predicate?"""
    return _name(name) is not None and name == name.strip() and len(name.encode()) <= _LONGEST_NAME


def check_name(name: str) -> str:
    """The name, when it is fit for a category, a file and a predicate; TopicError when not."""
    if not is_name(name):
        raise TopicError(f"{name!r} cannot name a category: write letters, digits, blanks and . _ + -, at most 100")
    return name


# -- the file ----------------------------------------------------------------------------------------------------------


def save_category(category: Category, path: Path) -> None:
    """Write the file, whole or not at all; UserError when it cannot be written."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        partial.write_text(_as_json(category), encoding="utf-8")
        os.replace(partial, path)
    except OSError as error:
        raise UserError(f"cannot write {path}: {(error.strerror or str(error)).lower()}") from error
    finally:
        with suppress(OSError):
            partial.unlink()


def _as_json(category: Category) -> str:
    """One term a line, the strongest first, so that a reader sees them and a diff is short."""
    rows = zip(category.terms, category.scales.tolist(), category.weights.tolist(), strict=True)
    ordered = sorted(rows, key=lambda row: (-abs(row[1] * row[2]), row[0]))
    head = {
        "format": FORMAT, "version": VERSION, "name": category.name, "language": category.language,
        "made_at": category.made_at, "made_by": category.made_by,
        "examples": {"positive": category.positive, "negative": category.negative},
        "measured": asdict(category.measured), "threshold": category.threshold, "weighting": _WEIGHTING,
        "bias": category.bias, "calibration": {"slope": category.slope, "offset": category.offset},
        "embedding": None if category.embedding is None
        else {"model": MODEL, "weights": category.embedding.tolist()},
    }  # fmt: skip
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
    terms = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in ordered)
    return "{\n" + ",\n".join([*lines, f'  "terms": [\n{terms}\n  ]']) + "\n}\n"


def load_category(path: Path) -> Category:
    """Read a category; TopicError when there is none, or none that this version of Dowse can use."""
    try:
        with path.open("rb") as stream:
            data = stream.read(_LARGEST_FILE + 1)
    except OSError as error:
        why = (error.strerror or "unreadable").lower()
        raise TopicError(f"cannot read the category: {why}", source=str(path)) from None
    try:
        return _category(data)
    except _Damage as damage:
        raise TopicError(str(damage), source=str(path)) from None
    except TopicError as error:
        raise TopicError(error.message, source=str(path)) from None


class _Damage(Exception):
    """What is wrong with a file."""


def _category(data: bytes) -> Category:
    if len(data) > _LARGEST_FILE:
        raise _Damage("is too large for a category")
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError):
        raise _Damage("is no category: it is not JSON, or was cut") from None
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        raise _Damage(f'is no category: it does not say "format": "{FORMAT}"')
    version = _number(whole, "version", 1, _GREATEST)
    if version > VERSION:
        raise _Damage(f"was made by a newer Dowse (format {version:g}, this one reads {VERSION}): upgrade Dowse")
    if _text(whole, "weighting") != _WEIGHTING:
        raise _Damage("is damaged: weighting is not one that this Dowse knows")
    language = Terms(_text(whole, "language")).language
    examples, calibration = _object(whole, "examples"), _object(whole, "calibration")
    return made_category(
        _vocabulary(whole.get("terms")),
        embedding=_embedding(whole.get("embedding")),
        name=check_name(_text(whole, "name")), language=language, threshold=_number(whole, "threshold", 0, 1),
        bias=_number(whole, "bias"), slope=_number(calibration, "slope"), offset=_number(calibration, "offset"),
        positive=int(_number(examples, "positive", 0)), negative=int(_number(examples, "negative", 0)),
        measured=_measured(_object(whole, "measured")),
        made_at=_text(whole, "made_at"), made_by=_text(whole, "made_by"),
    )  # fmt: skip


def _measured(found: dict[str, Any]) -> Measured:
    figures = {
        name: Figure(**{part.name: _number(_object(found, name), part.name, 0, 1) for part in fields(Figure)})
        for name in ("precision", "recall", "f1", "auc")
    }
    return Measured(int(_number(found, "folds", 0)), int(_number(found, "rounds", 0)), **figures)


def _vocabulary(rows: Any) -> list[tuple[str, float, float]]:
    if not isinstance(rows, list) or len(rows) > MAX_TERMS:
        raise _Damage(f"is damaged: terms is no list of at most {MAX_TERMS:,}")
    found = {}
    for row in rows:
        if not isinstance(row, list) or len(row) != 3 or not isinstance(row[0], str):
            raise _Damage("is damaged: a term is not [term, scale, weight]")
        if not 0 < len(row[0]) <= _LONGEST_TERM or _odd(row[0]):
            raise _Damage("is damaged: a term is empty, too long or no text")
        found[word_hash(row[0])] = (row[0], _checked(row[1], "a scale", 0), _checked(row[2], "a weight"))
    if len(found) < len(rows):
        raise _Damage("is damaged: a term stands there twice")
    return list(found.values())


def _embedding(found: Any) -> list[float] | None:
    if found is None:
        return None
    if not isinstance(found, dict) or found.get("model") != MODEL:
        raise _Damage(f"was trained with an embedding that this Dowse does not know; it knows {MODEL}")
    values = found.get("weights")
    if not isinstance(values, list) or len(values) != DIMENSIONS:
        raise _Damage(f"is damaged: the embedding has not {DIMENSIONS} weights")
    check_installed()
    return [_checked(value, "a weight of the embedding") for value in values]


def _object(whole: dict[str, Any], key: str) -> dict[str, Any]:
    value = whole.get(key)
    if not isinstance(value, dict):
        raise _Damage(f"is damaged: {key} is missing or of the wrong kind")
    return value


def _text(whole: dict[str, Any], key: str) -> str:
    value = whole.get(key)
    if not isinstance(value, str) or len(value) > _LONGEST_TERM or _odd(value):
        raise _Damage(f"is damaged: {key} is missing or of the wrong kind")
    return value


def _number(whole: dict[str, Any], key: str, low: float = -_GREATEST, high: float = _GREATEST) -> float:
    return _checked(whole.get(key), key, low, high)


def _checked(value: Any, what: str, low: float = -_GREATEST, high: float = _GREATEST) -> float:
    """A number between the bounds, which no NaN is and no infinity."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise _Damage(f"is damaged: {what} is no number from {low:g} to {high:g}")
    return float(value)
