"""Names beside the ends of curves, without one lying on another."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["spread"]


def spread(wanted: Sequence[float], low: float, high: float, step: float) -> list[float]:
    """Places as near to the wanted ones as the height of a label (``step``) allows, in the same order, between the
    bounds; closer together where they do not fit.

    >>> spread([100.0, 110.0, 300.0], 0, 400, 38)
    [86.0, 124.0, 300.0]
    """
    step = min(step, (high - low) / max(1, len(wanted) - 1))
    groups: list[tuple[float, list[int]]] = []  # the middle of labels that touch each other, and they, upwards
    for index in sorted(range(len(wanted)), key=lambda i: (wanted[i], -i)):
        middle, members = wanted[index], [index]
        while groups and middle - groups[-1][0] < step * (len(members) + len(groups[-1][1])) / 2:
            members = groups.pop()[1] + members
            half = step * (len(members) - 1) / 2
            middle = min(max(sum(wanted[i] for i in members) / len(members), low + half), high - half)
        groups.append((middle, members))
    places = list(wanted)
    for middle, members in groups:
        for rank, index in enumerate(members):
            places[index] = middle + step * (rank - (len(members) - 1) / 2)
    return places
