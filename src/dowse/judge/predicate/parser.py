"""From tokens to a tree, by recursive descent.

::

    either     = both { "or" both }
    both       = negated { "and" negated }
    negated    = "not" negated | test
    test       = "(" either ")" | operand [ comparison operand ]
    operand    = name [ "(" string ")" [ field ] ] | number | string

What an operand may be compared with is for :mod:`~dowse.judge.predicate.check`.
"""

from __future__ import annotations

from collections.abc import Callable

from dowse.judge.predicate.check import Operand, leaf
from dowse.judge.predicate.syntax import And, Node, Not, Or, SyntaxFault
from dowse.judge.predicate.tokens import COMPARISONS, Token, tokens

__all__ = ["parse"]

_DEEPEST = 50
_MOST_LEAVES = 200


def parse(text: str) -> Node:
    """The tree of an expression, its types checked. Raises SyntaxFault."""
    parser = _Parser(text)
    return parser.whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tokens(text)
        self._at = 0
        self._depth = 0
        self._leaves = 0

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _take(self) -> Token:
        token = self._next
        self._at += 1
        return token

    def whole(self) -> Node:
        if self._next.kind == "end":
            raise SyntaxFault('the predicate is empty: write a test, as in word("hockey")', 0)
        node = self._either()
        if self._next.kind != "end":
            raise self._unexpected(self._next)
        return node

    def _unexpected(self, token: Token) -> SyntaxFault:
        if token.kind == ")":
            return SyntaxFault("this ) closes nothing", token.at)
        if token.kind in COMPARISONS:
            return SyntaxFault("one comparison at a time: join two with and", token.at)
        return SyntaxFault("a test ends before this: join two with and, or or", token.at)

    def _either(self) -> Node:
        return self._joined(self._both, "or", Or)

    def _both(self) -> Node:
        return self._joined(self._negated, "and", And)

    def _joined(self, part: Callable[[], Node], word: str, kind: type[And] | type[Or]) -> Node:
        parts: list[Node] = []
        while True:
            found = part()
            parts += found.parts if isinstance(found, kind) else [found]
            if self._next.kind != word:
                return parts[0] if len(parts) == 1 else kind(tuple(parts))
            self._take()

    def _negated(self) -> Node:
        if self._next.kind != "not":
            return self._test()
        token = self._take()
        self._descend(token)
        node = Not(self._negated())
        self._depth -= 1
        return node

    def _descend(self, token: Token) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise SyntaxFault(f"nested too deeply: {_DEEPEST} levels of ( and not are allowed", token.at)

    def _test(self) -> Node:
        if self._next.kind == "(":
            opening = self._take()
            self._descend(opening)
            node = self._either()
            if self._next.kind != ")":
                if self._next.kind == "end":
                    raise SyntaxFault("this ( is never closed: add )", opening.at)
                raise self._unexpected(self._next)
            self._take()
            self._depth -= 1
            return node
        return self._comparison()

    def _comparison(self) -> Node:
        self._leaves += 1
        if self._leaves > _MOST_LEAVES:
            raise SyntaxFault(f"a predicate has at most {_MOST_LEAVES} tests", self._next.at)
        left = self._operand()
        if self._next.kind not in COMPARISONS:
            return leaf(self._text, left)
        operator = self._take()
        return leaf(self._text, left, operator.kind, self._operand(), operator.at)

    def _operand(self) -> Operand:
        token = self._take()
        if token.kind == "number":
            number = float(token.text)
            if abs(number) > 1e15:
                raise SyntaxFault("this number is too large", token.at)
            return Operand("a number", token.at, token.end, number=number)
        if token.kind == "string":
            return Operand("a string", token.at, token.end, argument=token.string())
        if token.kind != "name":
            raise self._missing(token)
        if self._next.kind != "(":
            return Operand(token.text, token.at, token.end)
        self._take()
        argument = self._take()
        if argument.kind != "string":
            raise SyntaxFault(f'{token.text} takes a string in quotes, as in {token.text}("...")', argument.at)
        closing = self._take()
        if closing.kind != ")":
            raise SyntaxFault(f"{token.text} takes one string: write ) behind it", closing.at)
        field = self._take() if self._next.kind == "field" and self._next.at == closing.end else None
        return Operand(
            token.text, token.at, closing.end if field is None else field.end, argument=argument.string(),
            argument_at=argument.at, field="" if field is None else field.text[1:],
        )  # fmt: skip

    def _missing(self, token: Token) -> SyntaxFault:
        if token.kind == "end":
            return SyntaxFault("something is missing at the end", token.at)
        return SyntaxFault(f"a test was expected before {token.text}", token.at)
