"""An expression cut into tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dowse.judge.predicate.syntax import SyntaxFault

__all__ = ["COMPARISONS", "MOST_CHARACTERS", "WORDS", "Token", "tokens"]

MOST_CHARACTERS = 4_000
"""Of an expression: it is stored, part by part, with each page that it judged."""

COMPARISONS = ("==", "!=", ">=", "<=", ">", "<")
WORDS = ("and", "or", "not")
_TOKEN = re.compile(
    r"""(?P<blank>\s+)
      | (?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)
      | (?P<field>\.[A-Za-z_]\w*(?:[.-]\w+)*)
      | (?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
      | (?P<string>"(?:\\"|[^"\n])*"|'(?:\\'|[^'\n])*')
      | (?P<sign>==|!=|>=|<=|[<>(),])""",
    re.VERBOSE | re.ASCII,
)
_INSTEAD = {"=": "==", "&": "and", "|": "or", "!": "not", "“": '"', "”": '"', "‘": "'", "’": "'"}


@dataclass(frozen=True, slots=True)
class Token:
    """``kind`` is "name", "field", "number", "string", "and", "or", "not", "end", or the sign itself."""

    kind: str
    text: str
    at: int

    @property
    def end(self) -> int:
        return self.at + len(self.text)

    def string(self) -> str:
        """What a string says: a backslash stands for itself, except before the quote that would end it."""
        quote = self.text[0]
        return self.text[1:-1].replace(f"\\{quote}", quote)


def tokens(text: str) -> list[Token]:
    """All tokens, and one at the end. Raises SyntaxFault.

    >>> [token.kind for token in tokens('word("a") > 2')]
    ['name', '(', 'string', ')', '>', 'number', 'end']
    """
    if len(text) > MOST_CHARACTERS:
        raise SyntaxFault(f"a predicate has at most {MOST_CHARACTERS:,} characters, this has {len(text):,}", 0)
    found, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise _unreadable(text, at)
        kind, token = match.lastgroup or "", match[0]
        if kind == "name" and token.lower() in WORDS:
            kind = token.lower()
        elif kind == "sign":
            kind = token
        elif kind == "string":
            _check_string(token, at)
        if kind != "blank":
            found.append(Token(kind, token, at))
        at = match.end()
    return [*found, Token("end", "", len(text))]


def _check_string(token: str, at: int) -> None:
    for place, char in enumerate(token):
        if not char.isprintable():
            raise SyntaxFault(f"a string cannot hold the character {char!r}", at + place)


def _unreadable(text: str, at: int) -> SyntaxFault:
    char = text[at]
    if char in "\"'":
        return SyntaxFault(f"this string has no end: add {char}", at)
    if char in _INSTEAD:
        return SyntaxFault(f"{char} means nothing here: write {_INSTEAD[char]}", at)
    if char.isdigit() or char in "+-.":
        return SyntaxFault("this is no number", at)
    return SyntaxFault(f"{char if char.isprintable() else repr(char)} means nothing here", at)
