"""How each strategy of a comparison looks, the same in every picture: strategies by colour, references by dashes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from dowse.lab.results import ORACLE, Kind

__all__ = ["Look", "looks"]

_COLOURS = 7
_MORE = ((), (7.0, 2.5), (7.0, 2.5, 1.5, 2.5), (1.5, 2.0))  # when the colours have all been used
_REFERENCES = {ORACLE: (5.0, 3.0), "oracle-greedy": (8.0, 3.0, 1.5, 3.0), "bfs": (3.0, 2.5), "random": (1.2, 2.5)}


@dataclass(frozen=True, slots=True)
class Look:
    """A colour by its number from 0, or the grey of a reference; and dashes (on, off, ...; none: a whole line)."""

    colour: int | Literal["ink", "soft"]
    dashes: tuple[float, ...]


def looks(strategies: Iterable[tuple[str, Kind]]) -> dict[str, Look]:
    """Colours in the order given, so that the first strategies differ most.

    >>> looks([("oracle-path", "oracle"), ("hybrid", "strategy"), ("bfs", "baseline")])["hybrid"]
    Look(colour=0, dashes=())
    """
    made: dict[str, Look] = {}
    used = 0
    for name, kind in strategies:
        if kind == "strategy":
            made[name] = Look(used % _COLOURS, _MORE[used // _COLOURS % len(_MORE)])
            used += 1
        else:
            made[name] = Look("ink" if kind == "oracle" else "soft", _REFERENCES.get(name, (4.0, 4.0)))
    return made
