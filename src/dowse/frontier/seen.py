"""The links of a page looked up at once: which are known, what they are worth, how they stand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dowse.compiled import core
from dowse.frontier.candidates import Candidates, priorities_of
from dowse.frontier.table import Table

__all__ = ["ENDED", "GONE", "LOW", "NEW", "WAITS", "Seen", "look_up"]

NEW, ENDED, WAITS, GONE, LOW = range(5)
"""How a URL stands: never seen; given up or refused; waiting, now or for a retry; fetched, or being fetched; refused
for its low priority, so far, or another shard's."""


class Seen(NamedTuple):
    """Columns of equal length, a row a link."""

    ids: NDArray[np.int64]  # -1 where it is new
    priorities: NDArray[np.float64]  # nan where it is new
    standing: NDArray[np.uint8]


def look_up(table: Table, candidates: Candidates, kinds: bytes, fingerprints: NDArray[np.uint64]) -> Seen:
    """What is known of URLs. ``kinds`` says for each state a candidate may have how it stands with that."""
    if core is None:
        return look_up_plainly(table, candidates, kinds, fingerprints)
    count, links = len(candidates), len(fingerprints)
    found = Seen(np.empty(links, np.int64), np.empty(links), np.empty(links, np.uint8))
    core.look_up(
        fingerprints, table.keys, table.values, candidates.order[:count], candidates.state[:count], kinds, *found
    )
    return found


def look_up_plainly(table: Table, candidates: Candidates, kinds: bytes, fingerprints: NDArray[np.uint64]) -> Seen:
    """:func:`look_up` without the compiled core."""
    ids = table.find(fingerprints)
    known = ids >= 0
    priorities, standing = np.full(len(ids), np.nan), np.full(len(ids), NEW, np.uint8)
    priorities[known] = priorities_of(candidates.order[ids[known]])
    standing[known] = np.frombuffer(kinds, np.uint8)[candidates.state[ids[known]]]
    return Seen(ids, priorities, standing)
