"""A page in its content blocks, each measured as the page is: as values, as a picture, and for the report.

::

    Document ─ blocked_page ─► BlockedPage ─┬─ block_layout ─┬─ block_html
                                            │                └─ block_picture (PNG, SVG)
                                            └─ tunnels_section (of the report)

``legend`` says what the colours mean.
"""

from __future__ import annotations

from dowse.lab.blocks.blocked_page import Block, BlockedPage, measure

__all__ = ["Block", "BlockedPage", "measure"]
