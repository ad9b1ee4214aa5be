"""One way to write what pages write in many: days, places, prices, and the texts that are compared.

Each function takes what a stranger wrote, looks at a bounded part of it, and says None (or nothing) where it cannot
tell. What is read and what is not is told in ``docs/objects.md``.
"""

from __future__ import annotations

from dowse.model.normal.dates import read_date
from dowse.model.normal.places import place_key
from dowse.model.normal.prices import Price, read_price
from dowse.model.normal.texts import one_line, plain

__all__ = ["Price", "one_line", "place_key", "plain", "read_date", "read_price"]
