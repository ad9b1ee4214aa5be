"""What the records keep of a strategy's memory."""

from __future__ import annotations

from dowse.model.strategy import Memory


def kept_rows(memory: Memory, count: int) -> list[bytes | None]:
    """Of the candidates below ``count``, as a later run loads them; what was found out since this was last asked."""
    rows: dict[int, bytes] = dict(zip(*memory.changes(), strict=True))
    for id_, more in zip(*memory.settled(), strict=True):
        rows[id_] += more
    return [rows.get(id_) for id_ in range(count)]
