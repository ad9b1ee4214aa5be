"""What the learners of several shards tell each other: sums over the URLs that each has asked for.

Told are the pages and what they are worth, in all and by token; how many URLs were asked for and how many in vain, in
all and by token; and the sums that the mix is made of. All are additive, so that what a shard goes by is what one
engine would have counted that asked for all these URLs; the evidence that was set against what pages are worth was
worked out at each page's own shard, and so is a little behind. Not told are sites, since each belongs to one shard,
which has all that is known of it; siblings, since a page's links are known where the page is; and paths of tags, which
are of one site. Of a large crawl only the tokens that were met most are told: one that hardly a page has says little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import xxhash
from numpy.typing import NDArray

from dowse.model.sharing import Arrays, array_of
from dowse.predict.learning.link_tokens import BUCKETS
from dowse.predict.learning.notes import EXACT

__all__ = ["MOST_TOKENS", "Told"]

Floats = NDArray[np.float64]
Counted = NDArray[np.complex128]
MOST_TOKENS = 1 << 15
_ROUNDING = 1e-9
_GREATEST = 1e12


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """What one shard has counted."""

    pages: Counted  # how many, and i times what they are worth: of all, and of those that no page linked to
    asked: complex  # URLs that were asked for, and i times those that failed
    buckets: NDArray[np.intp]  # of tokens, rising
    pages_with: Counted  # by bucket
    asked_with: Counted
    products: Floats
    targets: Floats
    examples: float

    @classmethod
    def of_tables(
        cls, pages: complex, alone: complex, asked: complex, buckets: NDArray[np.intp], pages_with: Counted,
        asked_with: Counted, mix: tuple[Floats, Floats, float],
    ) -> Told:  # fmt: skip
        """By the tables over all buckets, of which these were met."""
        if len(buckets) > MOST_TOKENS:
            most = np.argsort(-asked_with.real[buckets], kind="stable")[:MOST_TOKENS]
            buckets = buckets[np.sort(most)]
        return cls(np.array([pages, alone]), asked, buckets, pages_with[buckets], asked_with[buckets], *mix)

    def arrays(self, names: Sequence[str]) -> Arrays:
        """To be told; ``names`` are those of the evidence."""
        return {
            "evidence": np.array([_mark(names)], np.uint64),
            "totals": np.array([
                *self.pages.real, *self.pages.imag, self.asked.real, self.asked.imag, self.examples
            ], np.float64),
            "steps": np.diff(self.buckets, prepend=0).astype(np.uint32),
            "pages": self.pages_with.real.astype(np.uint32),
            "values": np.round(self.pages_with.imag * EXACT).astype(np.int64),
            "asked": self.asked_with.real.astype(np.uint32),
            "failed": self.asked_with.imag.astype(np.uint32),
            "products": self.products[_lower(len(self.targets))],
            "targets": self.targets,
        }  # fmt: skip

    @classmethod
    def of_arrays(cls, told: Arrays, names: Sequence[str]) -> Told:
        """As another has told it; ValueError where it cannot be so."""
        if array_of(told, "evidence", np.uint64, 1).item() != _mark(names):
            raise ValueError("it goes by other evidence")
        totals = array_of(told, "totals", np.float64, 7)
        buckets = np.cumsum(array_of(told, "steps", np.uint32, -1), dtype=np.int64)
        count = len(buckets)
        pages, asked, failed = (array_of(told, name, np.uint32, count) for name in ("pages", "asked", "failed"))
        values = array_of(told, "values", np.int64, count) / EXACT
        size = len(names)
        targets = array_of(told, "targets", np.float64, size)
        lower = array_of(told, "products", np.float64, size * (size + 1) // 2)
        if count > MOST_TOKENS or (np.diff(buckets, prepend=0) <= 0).any() or buckets[-1:].sum() >= BUCKETS:
            raise ValueError("its tokens are none")
        all_pages, all_asked, all_failed = totals[0], totals[4], totals[5]
        if (totals < 0).any() or not max(all_pages, all_failed) <= all_asked <= _GREATEST or totals[1] > all_pages:
            raise ValueError("its counts cannot be")
        if (totals[2:4] > totals[:2] * (1 + _ROUNDING)).any() or (failed > asked).any() or (pages > asked).any():
            raise ValueError("its counts cannot be")
        if (np.abs(values) > all_asked).any() or asked.max(initial=0) > all_asked or totals[6] > all_asked:
            raise ValueError("its counts cannot be")
        products = np.zeros((size, size))
        products[_lower(size)] = lower
        products += np.tril(products, -1).T
        _check_products(products, targets)
        return cls(
            totals[:2] + 1j * totals[2:4], complex(totals[4], totals[5]), buckets, pages + 1j * values,
            asked + 1j * failed, products, targets, float(totals[6]),
        )  # fmt: skip


@cache
def _lower(size: int) -> tuple[NDArray[np.intp], ...]:
    """The places of a table of this size on its diagonal and below."""
    return np.tril_indices(size)


def _mark(names: Sequence[str]) -> int:
    return xxhash.xxh3_64_intdigest("\n".join(names).encode())


def _check_products(products: Floats, targets: Floats) -> None:
    """Sums of squares have no negative direction; else a fit has no end."""
    greatest = float(np.abs(products).max(initial=0.0))
    if greatest > _GREATEST or np.abs(targets).max(initial=0.0) > _GREATEST:
        raise ValueError("its sums cannot be")
    beyond = _ROUNDING * max(greatest, 1.0) * len(targets)
    try:  # it has a root, as soon as there is a little more of each square
        np.linalg.cholesky(products + beyond * np.eye(len(targets)))
    except np.linalg.LinAlgError:
        raise ValueError("its sums cannot be") from None
