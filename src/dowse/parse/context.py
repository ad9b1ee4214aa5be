"""The context of a link: its anchor, its paragraph, its content block, the nearest heading, its tag path and its URL.

Each is measured by its similarity to the topic. A target that a page mentions several times has the best of each, or,
for a strategy in its paper's form, the mean over those mentions that have one (METHODS, section 1). Its tag path is
that of its best mention, the one in the most similar block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dowse.compiled import core
from dowse.model.page import Context

__all__ = ["Measures", "Mentions", "in_context", "line_groups", "mentions"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Mentions:
    """Every mention of a page's targets, as columns."""

    rows: NDArray[np.intp]  # the target
    lines: Ints  # its paragraph
    blocks: NDArray[np.intp]
    headings: Ints  # the line of the nearest heading above; 0: the title's
    paths: NDArray[np.uint32]


def mentions(
    rows: Sequence[int] | Ints,
    lines: Sequence[int] | Ints,
    paths: Sequence[int] | NDArray[np.uint32],
    starts: Sequence[int] | Ints,
    headings: Sequence[int] | Ints,
) -> Mentions:
    """The mentions of a page whose blocks begin at the lines ``starts``, its headings at the lines ``headings``."""
    at = np.asarray(lines, np.int32)
    above = np.zeros(len(headings) + 1, np.int32)
    above[1:] = headings
    return Mentions(
        np.asarray(rows, np.intp),
        at,
        np.asarray(starts, np.int32).searchsorted(at, side="right") - 1,
        above[above[1:].searchsorted(at, side="right")],
        np.asarray(paths, np.uint32),
    )


def line_groups(starts: Sequence[int] | Ints, lines: int) -> NDArray[np.intp]:
    """The number of the block that each line is in; -1 for the title's, which is in none."""
    return np.asarray(starts, np.intp).searchsorted(np.arange(lines), side="right") - 1


@dataclass(frozen=True, slots=True)
class Measures:
    """How near the parts of a page are to the topic; NaN where there is no word."""

    by_anchor: Floats  # of each mention
    by_url: Floats  # of each target: the words of its path
    by_line: Floats
    by_block: Floats
    weights: Floats  # of each block: below 1 where it repeats over the site


def in_context(found: Mentions, measures: Measures, *, mean: bool = False) -> NDArray[np.float32]:
    """The similarities of each target, columns as in ``Context``. ``mean``: over its mentions, in place of the best."""
    targets = len(measures.by_url)
    similarity = np.empty((targets, len(Context)), np.float32)
    of_target = measures.by_anchor if len(found.rows) == targets else _best(found.rows, measures.by_anchor, targets)
    if mean and len(found.rows) != targets:
        _fill_in(found, measures, of_target, similarity, mean=True)
    elif core is None or not core.in_context(
        found.rows, found.lines, found.blocks, found.headings, found.paths,
        of_target, measures.by_url, measures.by_line, measures.by_block, measures.weights, similarity,
    ):  # fmt: skip
        _fill_in(found, measures, of_target, similarity)
    return similarity


def _best(rows: NDArray[np.intp], values: Floats, targets: int) -> Floats:
    """The greatest value of each target's mentions; NaN where none has one."""
    best = np.full(targets, np.nan)
    np.fmax.at(best, rows, values)
    return best


def _fill_in(
    found: Mentions, measures: Measures, by_anchor: Floats, similarity: NDArray[np.float32], *, mean: bool = False
) -> None:
    """:func:`in_context`, written to ``similarity``; ``by_anchor`` is the best of each target."""
    rows = found.rows
    of_line = measures.by_line[found.lines]
    # an image or a widget alone in its block: the anchor is all the paragraph there is
    of_line = np.where(np.isnan(of_line), measures.by_anchor if mean else by_anchor[rows], of_line)
    values = np.stack((of_line, measures.by_block[found.blocks], measures.by_line[found.headings]), axis=1)
    values *= measures.weights[found.blocks, None]
    order = np.lexsort((-np.fmax(values[:, 1], 0.0), rows))  # the mentions of a target, the best one first
    first = rows[order].searchsorted(np.arange(len(by_anchor)))
    if mean:
        by_anchor = _means(measures.by_anchor[order, None], first)[:, 0]
    similarity[:, Context.ANCHOR] = by_anchor
    similarity[:, Context.PARAGRAPH : Context.HEADING + 1] = (
        _means(values[order], first) if mean else np.fmax.reduceat(values[order], first, axis=0)
    )
    similarity[:, Context.URL] = measures.by_url
    similarity[:, Context.PATH] = _mean_by_path(found.paths[order[first]], by_anchor)


def _means(values: Floats, first: NDArray[np.intp]) -> Floats:
    """The mean of each run of rows, what is no number left out; NaN where nothing is left."""
    told = ~np.isnan(values)
    counts = np.add.reduceat(told, first, axis=0, dtype=np.int64)
    sums = np.add.reduceat(np.where(told, values, 0.0), first, axis=0)
    means = np.full(sums.shape, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


def _mean_by_path(paths: NDArray[np.uint32], by_anchor: Floats) -> Floats:
    """How near the anchors are, on average, that stand where this one does in the page's make-up; NaN where none of
    them has a word."""
    told = ~np.isnan(by_anchor)
    kinds, of = np.unique(paths, return_inverse=True)
    counts = np.bincount(of[told], minlength=len(kinds))
    sums = np.bincount(of[told], by_anchor[told], len(kinds))
    means = np.full(len(kinds), np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means[of]
