"""Markdown of numbers: tables, and means with their intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

__all__ = ["Bounds", "bounds", "gain", "mean_of", "number", "percent", "table", "times", "with_interval"]

Bounds = Mapping[str, Any]
"""A mean with the ends of its interval: ``mean``, ``low``, ``high``; None where there was nothing to tell."""

_DIGITS = 5  # that are kept


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> str:
    """A table whose first columns hold names, the others numbers.

    >>> print(table(["", "area"], [["`bfs`", "0.5"]]))
    | | area |
    |---|---:|
    | `bfs` | 0.5 |
    """
    ruler = "|" + "".join("---|" if place < left else "---:|" for place in range(len(heads)))
    lines = ("|" + "".join(f" {cell} |" if cell else " |" for cell in row) for row in (heads, *rows))
    first, *others = lines
    return "\n".join((first, ruler, *others))


def number(value: float | None) -> float | None:
    """As much of a number as is kept.

    >>> number(0.123456789), number(None)
    (0.12346, None)
    """
    return None if value is None else float(f"{value:.{_DIGITS}g}")


def bounds(told: Bounds) -> dict[str, float | None]:
    """What is kept of a mean and its interval."""
    return {name: number(told[name]) for name in ("mean", "low", "high")}


def mean_of(told: Bounds | None, form: str) -> str:
    """The mean alone; empty where there is none."""
    return "" if told is None or told["mean"] is None else format(told["mean"], form)


def with_interval(told: Bounds | None, show: Callable[[float], str]) -> str:
    """The mean with its interval in brackets.

    >>> with_interval({"mean": 0.5, "low": 0.25, "high": 1.0}, percent)
    '50.0 (25.0 to 100.0)'
    """
    if told is None or told["mean"] is None:
        return ""
    ends = "" if told["low"] is None else f" ({show(told['low'])} to {show(told['high'])})"
    return show(told["mean"]) + ends


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def times(ratio: float) -> str:
    return f"{ratio:.2f}"


def gain(ratio: Bounds | None) -> str:
    """The interval of a ratio as what it adds.

    >>> gain({"mean": 1.1, "low": 0.97, "high": 1.2})
    '(-3 to +20 %)'
    """
    if ratio is None or ratio["low"] is None:
        return ""
    return f"({100 * (ratio['low'] - 1):+.0f} to {100 * (ratio['high'] - 1):+.0f} %)"
