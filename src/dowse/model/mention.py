"""A link to another shard's URL as it is told there: what the page is that has it, and how the link stands on it.

So the receiver knows of the link what it would know had it judged the page itself, and values the URL anew whenever it
has learned more; what the sender thought it worth is for strategies that know nothing of links.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, isinf

from dowse.model.page import Context

__all__ = ["Mention"]

# relevant and by_words; depth, links of the page; score, threshold, worth, similarity; count, position, path; contexts
_HEAD = struct.Struct(f"<BHIffff fiI{len(Context)}fH")
_RELEVANT, _BY_WORDS = 1, 2
_MOST_DEPTH, _MOST_LINKS = 0xFFFF, 0xFFFFFFFF
_MOST_ANCHOR = 200  # characters
_MOST_PATH = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Mention:
    """One link. The fields are those of a judged page and of a row of its links."""

    page_url: str
    depth: int  # of the page
    n_links: int
    score: float
    relevant: bool
    threshold: float
    worth: float
    similarity: float
    by_words: bool
    count: float
    position: int
    path: int
    contexts: Sequence[float]  # nan where there is no word
    anchor: str

    def packed(self) -> bytes:
        """Some 60 bytes, the URL of the page and the anchor."""
        url = self.page_url.encode("utf-8", "surrogatepass")
        flags = _RELEVANT * self.relevant | _BY_WORDS * self.by_words
        head = _HEAD.pack(
            flags, min(self.depth, _MOST_DEPTH), min(self.n_links, _MOST_LINKS), self.score, self.threshold, self.worth,
            self.similarity, self.count, self.position, self.path & _MOST_PATH, *self.contexts, len(url),
        )  # fmt: skip
        return head + url + self.anchor[:_MOST_ANCHOR].encode("utf-8", "surrogatepass")

    @staticmethod
    def unpacked(data: bytes) -> Mention:
        """What was :meth:`packed`; ValueError where it cannot have been."""
        try:
            flags, depth, n_links, score, threshold, worth, similarity, count, position, path, *contexts, size = (
                _HEAD.unpack_from(data)
            )
            url = data[_HEAD.size : _HEAD.size + size].decode("utf-8", "surrogatepass")
            anchor = data[_HEAD.size + size :].decode("utf-8", "surrogatepass")
        except (struct.error, UnicodeDecodeError):
            raise ValueError("what is told of a link is damaged") from None
        measures = (score, threshold, worth, similarity, count)
        if not all(map(isfinite, measures)) or not 0 <= worth <= 1 or position < 0 or any(map(isinf, contexts)):
            raise ValueError("what is told of a link cannot be")
        return Mention(
            url, depth, n_links, score, bool(flags & _RELEVANT), threshold, worth, similarity,
            bool(flags & _BY_WORDS), count, position, path, contexts, anchor,
        )  # fmt: skip
