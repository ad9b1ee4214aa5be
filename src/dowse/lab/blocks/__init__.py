"""A page in its content blocks, each measured as the page is: as values, as a picture, and for the report.

::

    Document ─ measure ─► BlockedPage ─┬─ layout ─┬─ markup (HTML)
                                       │          └─ picture (PNG)
                                       └─ tunnels (the report's section)
"""

from __future__ import annotations

from dowse.lab.blocks.measure import Block, BlockedPage, measure

__all__ = ["Block", "BlockedPage", "measure"]
