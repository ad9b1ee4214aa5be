"""What an import must come to, step by step as docs/traces.md says it: dicts and loops."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

__all__ = ["kept_of"]

Row = tuple[int, str, str]  # time, user, page


def kept_of(rows: Iterable[Row], order: dict[str, int], a_day: int, in_all: int) -> dict[str, list[tuple[int, str]]]:
    """By user: times and pages that count, in order. ``order`` puts pages of one second in a row."""
    by_user: dict[str, dict[tuple[str, int], int]] = defaultdict(dict)
    for at, user, page in rows:
        half_hour = (page, at // 1800)
        known = by_user[user].get(half_hour)
        by_user[user][half_hour] = at if known is None else min(at, known)
    found: dict[str, list[tuple[int, str]]] = {}
    for user, first_of in by_user.items():
        accesses = sorted(((at, page) for (page, _), at in first_of.items()), key=lambda row: (row[0], order[row[1]]))
        days: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for at, page in accesses:
            if len(days[at // 86400]) < a_day:
                days[at // 86400].append((at, page))
        found[user] = [row for day in sorted(days) for row in days[day]][-in_all:]
    return found
