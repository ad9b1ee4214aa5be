"""Why the words of a topic are too vague to tell pages apart, so that a crawl can say so while it runs."""

from __future__ import annotations

import numpy as np

from dowse.judge.learned.model import FEWEST_NEAR, MOSTLY, Known
from dowse.judge.learned.texts import Floats

__all__ = ["ABSENT", "COMMON", "MOST", "UNCLEAR", "why_vague"]

ABSENT = "absent"
"""Hardly a page has any of the words."""
COMMON = "common"
"""Most pages have even the rarest word."""
MOST = "most"
"""By the words, most pages would be on the topic."""
UNCLEAR = "unclear"
"""Many pages have something of the words, and few stand out."""

_FEWEST = 30  # pages, before anything is said
_MAY_BE, _EVEN, _SURELY = 0.2, 0.5, 0.8
_MOST = 0.5  # of the pages
_IN_DOUBT = 0.7  # of the pages that may be on the topic: with more, F1 was 0.31 on labelled corpora, with fewer 0.48


def why_vague(known: Known, chances: Floats | None) -> str | None:
    """The cause, one of the above, or None. ``chances`` are those of the background by the model, None where there is
    no model. Examples are never vague."""
    if known.positive or len(known.background) < _FEWEST:
        return None
    if chances is None:
        return COMMON if known.having > MOSTLY else ABSENT if len(known.near) < FEWEST_NEAR else UNCLEAR
    if np.count_nonzero(chances >= _EVEN) > _MOST * len(chances):
        return MOST
    may_be = np.count_nonzero(chances > _MAY_BE)
    doubtful = np.count_nonzero((chances > _MAY_BE) & (chances < _SURELY))
    return UNCLEAR if doubtful > _IN_DOUBT * may_be else None
