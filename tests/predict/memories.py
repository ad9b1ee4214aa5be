"""What the records keep of a strategy's memory."""

from __future__ import annotations

from dowse.model.strategy import Memory


def hand_over(before: Memory, after: Memory, count: int) -> None:
    """What the records would keep of the candidates below ``count`` is loaded by a later run: what was found out since
    the first was last asked."""
    rows: dict[int, bytes] = dict(zip(*before.changes(), strict=True))
    after.load(0, [rows.get(id_) for id_ in range(count)])
