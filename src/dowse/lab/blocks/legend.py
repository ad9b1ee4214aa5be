"""What is told of a block: how near it is to the topic, as one of six shades, and in words.

Shades are grays below the threshold, blues from it on. Gray against blue, and lighter against darker, tell apart for
every kind of colour vision; what reaches the threshold has a blue frame besides, and each block its number in writing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from dowse.lab.blocks.blocked_page import Block, BlockedPage
from dowse.lab.wording import counted

__all__ = ["FRAME", "LINE", "SHADES", "block_told", "shade", "shades_told", "tunnel_told"]

SHADES = ("#ffffff", "#f1f2f4", "#e0e4e9", "#cfe5f4", "#93c6e8", "#4fa3d8")
"""On white; the style sheet has those for dark pages as well."""

LINE, FRAME = "#c6ccd4", "#0072b2"  # around blocks below the threshold, and from it on
_NEAR = 3  # the first shade from the threshold on
_LEAST = 0.001  # a threshold of 0 has no half


def _bounds(threshold: float) -> list[float]:
    base = max(threshold, _LEAST)
    return [base / 2, base, 2 * base, 4 * base]


def shade(score: float, threshold: float) -> int:
    """0: nothing of the topic; 1 and 2: below the threshold; 3 to 5: from it on, twice and four times it.

    >>> [shade(score, 0.06) for score in (0, 0.01, 0.03, 0.06, 0.12, 0.9)]
    [0, 1, 2, 3, 4, 5]
    """
    if score <= 0:
        return 0
    return max(1 + bisect_right(_bounds(threshold), score), _NEAR if score >= threshold else 0)


def shades_told(threshold: float) -> list[tuple[int, str]]:
    """The shades that scores up to 1 can have, each with what it means.

    >>> shades_told(0.3)[2:]
    [(2, '0.15 to 0.3'), (3, '0.3 (threshold) to 0.6'), (4, 'from 0.6')]
    """
    half, base, twice, much = (f"{bound:.3g}" for bound in _bounds(threshold))
    texts = ["0", f"below {half}", f"{half} to {base}", f"{base} (threshold) to {twice}", f"{twice} to {much}",
             f"from {much}"]  # fmt: skip
    last = max(_NEAR, 2 + bisect_left(_bounds(threshold)[1:], 1.0))
    if last < len(texts) - 1:
        texts[last] = f"from {texts[last].partition(' to ')[0]}"
    return list(enumerate(texts))[: last + 1]


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
