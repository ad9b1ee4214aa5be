"""Objects as queries, to find more sites that know of such objects (Zhou et al., section 2.1)."""

from __future__ import annotations

from collections.abc import Sequence

from dowse.model.objects import DistinctObject

__all__ = ["queries_for"]

_SHORTEST = 4  # letters of a name that says anything
_NAMES = ("name", "headline", "title")


def queries_for(objects: Sequence[DistinctObject], most: int) -> list[str]:
    """Their names as phrases, at most so many, evenly from all there are, each once.

    >>> queries_for([DistinctObject("Event", {"name": 'The "Ring"'}, ()), DistinctObject("Event", {}, ())], 5)
    ['"The Ring"']
    """
    names: dict[str, str] = {}
    for one in objects:
        name = next((str(one.fields[key]) for key in _NAMES if key in one.fields), "")
        plain = " ".join(name.replace('"', " ").split())
        if len(plain) >= _SHORTEST:
            names.setdefault(plain.casefold(), f'"{plain}"')
    found = list(names.values())
    if len(found) <= most:
        return found
    return [found[place * len(found) // most] for place in range(most)]
