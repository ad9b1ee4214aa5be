"""The words that decided about a page, as lines."""

from __future__ import annotations

from collections.abc import Sequence

from dowse.lab.finished.crawl_judge import Decided
from dowse.lab.wording import counted

__all__ = ["decided_lines"]

_FOR, _AGAINST = 8, 4  # words that are named
_DIGITS = 3


def decided_lines(found: Decided) -> list[str]:
    """The words that decided, for and against, as parts of the log odds. What is shown adds up to what stands above
    it, to the last digit."""
    total = round(found.log_odds, _DIGITS)
    above = [word for word in found.words if word[1] > 0]
    below = [word for word in found.words if word[1] < 0]
    parts = [("any page, before its words", found.base), *above[:_FOR], *below[:_AGAINST]]
    for what, named in (("its address", found.address), ("its site", found.domains)):
        parts += [(f"{what}: {name}", value) for name, value in named if round(value, _DIGITS)]
    rest = total - sum(round(value, _DIGITS) for _, value in parts)
    others = max(0, len(above) - _FOR) + max(0, len(below) - _AGAINST)
    if others or round(rest, _DIGITS):
        parts.append((counted(others, "other word") if found.words else "words that cannot be read again", rest))
    lines = [f"log odds {total:+.{_DIGITS}f}, where 0 is an even chance: the sum of"]
    return lines + _rows(parts)


def _rows(parts: Sequence[tuple[str, float]]) -> list[str]:
    return [f"    {value:+.{_DIGITS}f}  {name}" for name, value in parts]
