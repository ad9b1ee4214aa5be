"""Measured blocks in words."""

from __future__ import annotations

from dowse.lab.blocks.measure import Block, BlockedPage
from dowse.lab.tables import counted

__all__ = ["block_told", "tunnel_told"]


def block_told(block: Block) -> str:
    """A block in a few words: "block 3: 0.42, 12 links"."""
    return f"block {block.number}: {block.score:.2f}, {counted(block.links, 'link')}"


def tunnel_told(page: BlockedPage) -> str:
    """Is the page a gray tunnel? One line, with its own score beside that of its best block."""
    verdict, best = page.verdict, page.best
    own, threshold = f"{_name(verdict.method)} {verdict.score:.4f}", f"threshold {verdict.threshold:.4f}"
    if best is None:
        return f"no gray tunnel: nothing on the page is on the topic ({own}, {threshold})"
    if verdict.relevant:
        return f"relevant as a whole: {own}, {threshold}; the best is block {best.number} ({best.score:.4f})"
    if page.is_gray_tunnel:
        return f"gray tunnel: the page ({own}) is below the {threshold}, block {best.number} ({best.score:.4f}) is not"
    return f"no gray tunnel: page ({own}) and best block ({best.number}: {best.score:.4f}) are below the {threshold}"


def _name(method: str) -> str:
    return "ERID" if method == "erid" else method
