"""How pages are cut into content blocks: the two numbers of Gray Tunneling's algorithm 1."""

from __future__ import annotations

from dataclasses import dataclass

from dowse.model.errors import TopicError

__all__ = ["BlockRule"]


@dataclass(frozen=True, slots=True)
class BlockRule:
    """An element falls into its children when one of them holds at least ``k`` links and its own ``Block_Height`` is at
    least ``alpha`` times that of the page. Raises TopicError for numbers that make no rule."""

    alpha: float = 0.5  # as published, like the next
    k: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1:
            raise TopicError(f"alpha = {self.alpha:g} is no share of a page's height: it is from 0 to 1")
        if self.k < 1:
            raise TopicError(f"k = {self.k} is no number of links: it is at least 1")
