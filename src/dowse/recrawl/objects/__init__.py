"""Objects of the world, by what pages state of them (METHODS, section 5.2).

::

    FoundObject ─ identity ─► kind, name, day, place ─ blocks, similar names ─► clusters ─► DistinctObject

:func:`distinct` joins what is one thing; :mod:`~dowse.recrawl.objects.lines` reads and writes objects as lines of JSON.
"""

from __future__ import annotations

from dowse.recrawl.objects.distinct import distinct
from dowse.recrawl.objects.identity import Identity, Told, identity, told
from dowse.recrawl.objects.lines import distinct_line, found_line, read_found
from dowse.recrawl.objects.names import SIMILAR, check_distinct

__all__ = [
    "SIMILAR", "Identity", "Told", "check_distinct", "distinct", "distinct_line", "found_line", "identity",
    "read_found", "told",
]  # fmt: skip
