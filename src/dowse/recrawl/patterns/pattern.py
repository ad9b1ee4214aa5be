"""What a URL pattern is: a URL with wildcards, as ``https://example.org/events/{int}-{slug}?page={int}``.

What a wildcard stands for is in :data:`WILDCARDS`. ``{*}`` stands for all that follows, and only at the end. A brace
that is meant is doubled. Several patterns may match a URL; it belongs to the most *specific* one: one without ``{*}``
comes first, then the one that spells out more letters, then the one whose wildcards allow less.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from dowse.model.errors import UserError

__all__ = ["DATE", "ID", "INT", "REST", "SLUG", "WILDCARDS", "Pattern", "escaped", "parse_pattern"]

INT, DATE, ID, SLUG, REST = "{int}", "{date}", "{id}", "{slug}", "{*}"
WILDCARDS = {
    DATE: "[0-9]{4}[-_.][0-9]{1,2}[-_.][0-9]{1,2}",
    INT: "[0-9]+",
    ID: "[0-9A-Fa-f-]{8,}",
    SLUG: "[^/?&]+",
    REST: ".*",
}
"""What each stands for, the one that allows least first."""

_RANK = {name: rank for rank, name in enumerate(WILDCARDS)}
_MOST_IN_SEGMENT = 3  # each one more multiplies how long a URL may take
_APART = re.compile("(?<=[/?&])")  # behind what no wildcard but {*} stands for
_PIECE = re.compile(r"(\{\{|\}\})|(\{[^{}]*\})|([^{}]+)|([{}])")
_BRACES = str.maketrans({"{": "{{", "}": "}}"})


def escaped(url: str) -> str:
    """A URL as a pattern that matches nothing else."""
    return url.translate(_BRACES)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern that was read. ``order`` says how specific it is: lower comes first."""

    text: str
    head: str  # what is spelled out before the first wildcard, as it stands in URLs
    regex: str = field(compare=False)  # for the whole of a URL
    wildcards: tuple[str, ...] = ()
    literal: int = 0  # letters that are spelled out

    @property
    def order(self) -> tuple[bool, int, int, str]:
        return REST in self.wildcards, -self.literal, sum(_RANK[name] for name in self.wildcards), self.text

    @property
    def origin(self) -> str:
        """``scheme://host[:port]``; empty where a wildcard comes before its end."""
        slash = self.head.find("/", 8)
        return self.head[:slash] if slash > 0 else ""


def parse_pattern(text: str) -> Pattern:
    """Read a pattern, as a person may have written it. Raises UserError."""
    head, wildcards, literal = "", [], 0
    segments = _Segments(text)
    for doubled, wildcard, plain, brace in _PIECE.findall(text):
        if brace or (wildcard and wildcard not in WILDCARDS):
            raise UserError(
                f"the pattern {text!r} has {wildcard or brace!r}: there are {', '.join(WILDCARDS)}, and braces that are"
                " meant are doubled"
            )
        if wildcard:
            wildcards.append(wildcard)
            segments.add_wildcard(wildcard)
            continue
        piece = plain or doubled[0]
        head += piece if not wildcards else ""
        literal += len(piece)
        segments.add_plain(piece)
    if REST in wildcards and (wildcards.count(REST) > 1 or not text.endswith(REST)):
        raise UserError(f"the pattern {text!r} has {REST} before its end")
    found = Pattern(text, head, segments.regex, tuple(wildcards), literal)
    if not head.startswith(("http://", "https://")) or not found.origin:
        raise UserError(f"the pattern {text!r} does not begin with a whole host, as https://example.org/ does")
    return found


class _Segments:
    """The regular expression of a pattern, made segment by segment.

    A wildcard ends with its segment, so that there is one way on from there: what was found within is not tried anew
    when something behind does not fit. Else a stranger's pattern could make a URL take hours.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._whole = self._open = ""
        self._wildcards = 0  # of the segment that is open

    @property
    def regex(self) -> str:
        return self._whole + self._open

    def add_wildcard(self, name: str) -> None:
        self._wildcards += name != REST  # which takes all that is left at once
        if self._wildcards > _MOST_IN_SEGMENT:
            raise UserError(
                f"the pattern {self._text!r} has more than {_MOST_IN_SEGMENT} wildcards between two of / ? &"
            )
        self._open += WILDCARDS[name]

    def add_plain(self, piece: str) -> None:
        *closed, rest = _APART.split(piece)
        for part in closed:
            inner = self._open + re.escape(part)
            self._whole += f"(?>{inner})" if self._wildcards > 1 else inner
            self._open, self._wildcards = "", 0
        self._open += re.escape(rest)
