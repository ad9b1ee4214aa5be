"""The file of a category: one JSON object, described in ``docs/categories.md``.

Whatever such a file may hold, reading it runs no code, takes bounded memory, and ends in a category or in a TopicError
of one line.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from dowse.judge.category import MAX_TERMS, WEIGHTING, Category, check_name, made_category
from dowse.judge.embedding import DIMENSIONS, MODEL, check_installed
from dowse.judge.measured import Figure, Measured
from dowse.judge.terms import Terms
from dowse.model.errors import TopicError
from dowse.model.files import read_limited, write_whole
from dowse.model.words import word_hash

__all__ = ["ENDING", "FORMAT", "VERSION", "load_category", "save_category"]

FORMAT = "dowse category"
VERSION = 1
ENDING = ".category.json"
"""How the files of categories are called: the category's name, and this."""

_LARGEST_FILE = 8_000_000
_LONGEST_TERM = 200
_GREATEST = 1e6  # of a weight: so that no sum of them leaves the floats
_odd = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]").search  # no file or terminal should get them
_MOST_VALUES = 4 * MAX_TERMS + 4_000  # each takes ten times its text once it is read


def save_category(category: Category, path: Path, *, private: bool = False) -> None:
    """Write the file, whole or not at all; UserError when it cannot be written."""
    write_whole(path, lambda partial: partial.write_text(_as_json(category), encoding="utf-8"), private=private)


def _as_json(category: Category) -> str:
    """One term a line, the strongest first, so that a reader sees them and a diff is short."""
    rows = zip(category.terms, category.scales.tolist(), category.weights.tolist(), strict=True)
    ordered = sorted(rows, key=lambda row: (-abs(row[1] * row[2]), row[0]))
    head = {
        "format": FORMAT, "version": VERSION, "name": category.name, "language": category.language,
        "made_at": category.made_at, "made_by": category.made_by,
        "examples": {"positive": category.positive, "negative": category.negative},
        "measured": asdict(category.measured), "threshold": category.threshold, "weighting": WEIGHTING,
        "bias": category.bias, "calibration": {"slope": category.slope, "offset": category.offset},
        "embedding": None if category.embedding is None
        else {"model": MODEL, "weights": category.embedding.tolist()},
    }  # fmt: skip
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
    terms = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in ordered)
    return "{\n" + ",\n".join([*lines, f'  "terms": [\n{terms}\n  ]']) + "\n}\n"


def load_category(path: Path) -> Category:
    """Read a category; TopicError when there is none, or none that this version of Dowse can use."""
    data = read_limited(path, _LARGEST_FILE, "category")
    try:
        return _category(data)
    except TopicError as error:
        raise TopicError(error.message, source=str(path)) from None


def _category(data: bytes) -> Category:
    if data.count(b",") + data.count(b"[") + data.count(b"{") > _MOST_VALUES + len(data) // 16:
        raise TopicError("is no category: it has too many parts")
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError):
        raise TopicError("is no category: it is not JSON, or was cut") from None
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        raise TopicError(f'is no category: it does not say "format": "{FORMAT}"')
    version = _number(whole, "version", 1, _GREATEST)
    if version > VERSION:
        raise TopicError(f"was made by a newer Dowse (format {version:g}, this one reads {VERSION}): upgrade Dowse")
    if _text(whole, "weighting") != WEIGHTING:
        raise TopicError("is damaged: weighting is not one that this Dowse knows")
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
        raise TopicError(f"is damaged: terms is no list of at most {MAX_TERMS:,}")
    found = {}
    for row in rows:
        if not isinstance(row, list) or len(row) != 3 or not isinstance(row[0], str):
            raise TopicError("is damaged: a term is not [term, scale, weight]")
        if not 0 < len(row[0]) <= _LONGEST_TERM or _odd(row[0]):
            raise TopicError("is damaged: a term is empty, too long or no text")
        found[word_hash(row[0])] = (row[0], _checked(row[1], "a scale", 0), _checked(row[2], "a weight"))
    if len(found) < len(rows):
        raise TopicError("is damaged: a term stands there twice")
    return list(found.values())


def _embedding(found: Any) -> list[float] | None:
    if found is None:
        return None
    if not isinstance(found, dict) or found.get("model") != MODEL:
        raise TopicError(f"was trained with an embedding that this Dowse does not know; it knows {MODEL}")
    values = found.get("weights")
    if not isinstance(values, list) or len(values) != DIMENSIONS:
        raise TopicError(f"is damaged: the embedding has not {DIMENSIONS} weights")
    check_installed()
    return [_checked(value, "a weight of the embedding") for value in values]


def _object(whole: dict[str, Any], key: str) -> dict[str, Any]:
    value = whole.get(key)
    if not isinstance(value, dict):
        raise TopicError(f"is damaged: {key} is missing or of the wrong kind")
    return value


def _text(whole: dict[str, Any], key: str) -> str:
    value = whole.get(key)
    if not isinstance(value, str) or len(value) > _LONGEST_TERM or _odd(value):
        raise TopicError(f"is damaged: {key} is missing or of the wrong kind")
    return value


def _number(whole: dict[str, Any], key: str, low: float = -_GREATEST, high: float = _GREATEST) -> float:
    return _checked(whole.get(key), key, low, high)


def _checked(value: Any, what: str, low: float = -_GREATEST, high: float = _GREATEST) -> float:
    """A number between the bounds, which no NaN is and no infinity."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise TopicError(f"is damaged: {what} is no number from {low:g} to {high:g}")
    return float(value)
