"""Page-level robot directives: ``<meta name=robots>`` and the X-Robots-Tag header."""

from __future__ import annotations

import re

__all__ = ["directives"]

_AGENT = re.compile(r"^\s*([\w.*-]+)\s*:(?!\s*\d)")
_VALUED = frozenset({"max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"})


def directives(header: str | None, metas: list[str], agent: str = "dowse") -> tuple[bool, bool]:
    """(noindex, nofollow) of a page; rules that an X-Robots-Tag addresses to another agent do not count.

    >>> directives("otherbot: noindex, nofollow", ["NOFOLLOW"])
    (False, True)
    """
    tokens: set[str] = set()
    addressed = True
    for part in (header or "").lower().split(","):
        named = _AGENT.match(part)
        if named is not None and named[1] not in _VALUED:
            addressed = named[1] in (agent, "*")
            part = part[named.end() :]
        if addressed:
            tokens.add(part.strip())
    for content in metas:
        tokens.update(token.strip() for token in content.lower().split(","))
    everything = "none" in tokens
    return everything or "noindex" in tokens, everything or "nofollow" in tokens
