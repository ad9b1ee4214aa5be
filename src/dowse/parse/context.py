"""The context of a link: its anchor, its paragraph, its content block, the nearest heading, its tag path and its URL.

Each is measured by its similarity to the topic. A target that a page mentions several times has the best of each; its
tag path is that of its best mention, the one in the most similar block.
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

    by_anchor: Floats  # of each target
    by_url: Floats  # of each target: the words of its path
    by_line: Floats
    by_block: Floats
    weights: Floats  # of each block: below 1 where it repeats over the site


def in_context(found: Mentions, measures: Measures) -> NDArray[np.float32]:
    """The similarities of each target, columns as in ``Context``."""
    similarity = np.empty((len(measures.by_anchor), len(Context)), np.float32)
    if core is None or not core.in_context(
        found.rows, found.lines, found.blocks, found.headings, found.paths,
        measures.by_anchor, measures.by_url, measures.by_line, measures.by_block, measures.weights, similarity,
    ):  # fmt: skip
        _fill_in(found, measures, similarity)
    return similarity


def _fill_in(found: Mentions, measures: Measures, similarity: NDArray[np.float32]) -> None:
    """:func:`in_context`, written to ``similarity``."""
    by_anchor, rows = measures.by_anchor, found.rows
    of_line = measures.by_line[found.lines]
    # an image or a widget alone in its block: the anchor is all the paragraph there is
    of_line = np.where(np.isnan(of_line), by_anchor[rows], of_line)
    values = np.stack((of_line, measures.by_block[found.blocks], measures.by_line[found.headings]), axis=1)
    values *= measures.weights[found.blocks, None]
    order = np.lexsort((-np.fmax(values[:, 1], 0.0), rows))  # the mentions of a target, the best one first
    first = rows[order].searchsorted(np.arange(len(by_anchor)))
    similarity[:, Context.ANCHOR] = by_anchor
    similarity[:, Context.PARAGRAPH : Context.HEADING + 1] = np.fmax.reduceat(values[order], first, axis=0)
    similarity[:, Context.URL] = measures.by_url
    similarity[:, Context.PATH] = _mean_by_path(found.paths[order[first]], by_anchor)


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
