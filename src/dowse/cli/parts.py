"""The parts of a predicate, as lines."""

from __future__ import annotations

from collections.abc import Iterable

from dowse.model.page import Part
from dowse.model.shown import shown

__all__ = ["part_lines"]

_WIDTH = len("did not hold")


def part_lines(parts: Iterable[Part]) -> list[str]:
    """The parts of a predicate as an indented tree, one per line: what held, and what was measured.

    >>> print(*part_lines([Part("and", False, 0.3), Part('word("a") > 2', False, 0.25, 1.0, 1)]), sep="\\n")
    did not hold  and
    did not hold    word("a") > 2  (1)
    """
    return [
        f"{'held' if part.held else 'did not hold':<{_WIDTH}}  {'  ' * part.depth}{shown(part.text)}{_told(part)}"
        for part in parts
    ]


def _told(part: Part) -> str:
    if part.value is None:
        return ""
    value = f"{part.value:.4g}" if isinstance(part.value, (int, float)) else shown(part.value) or "unknown"
    return f"  ({value})"
