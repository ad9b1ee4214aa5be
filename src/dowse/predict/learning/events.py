"""What interest ratios are counted from, as sums over judged pages: how many there were, how many satisfied the
predicate, and of how many each event was true (METHODS, section 4)."""

from __future__ import annotations

from dataclasses import dataclass, field

from dowse.predict.learning.sums import Sums, no_pair

__all__ = ["Events"]


@dataclass(frozen=True, slots=True)
class Events:
    """Pages, and those of them that satisfy: of all, by word and by token. A word counts for the pages that some page
    with it links to, a token for the pages whose address has it. Additive, like all statistics."""

    pages: float = 0.0  # N
    satisfying: float = 0.0  # n(C)
    words: Sums = field(default_factory=no_pair)  # n(Q), and n(C and Q)
    tokens: Sums = field(default_factory=no_pair)
    pairs: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """Links between judged pages: both satisfy, the source only, the target only, neither (``f1`` to ``f4``)."""

    def merged(self, other: Events) -> Events:
        f1, f2, f3, f4 = (ours + theirs for ours, theirs in zip(self.pairs, other.pairs, strict=True))
        return Events(
            self.pages + other.pages, self.satisfying + other.satisfying, self.words.merged(other.words),
            self.tokens.merged(other.tokens), (f1, f2, f3, f4),
        )  # fmt: skip

    def aged(self, factor: float) -> Events:
        f1, f2, f3, f4 = (count * factor for count in self.pairs)
        return Events(
            self.pages * factor, self.satisfying * factor, self.words.aged(factor), self.tokens.aged(factor),
            (f1, f2, f3, f4),
        )  # fmt: skip

    def weighing(self, most: float) -> Events:
        """Aged so far that it counts as no more than so many pages."""
        return self if self.pages <= most else self.aged(most / self.pages)
