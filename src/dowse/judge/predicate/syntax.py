"""The parts of a predicate: what the parser leaves of an expression, and how a mistake in it is told."""

from __future__ import annotations

from dataclasses import dataclass

from dowse.model.errors import TopicError
from dowse.model.topic import Expression

__all__ = ["And", "Leaf", "Node", "Not", "Or", "SyntaxFault", "told"]

_SHOWN = 40  # characters of the expression from the place of a mistake on


@dataclass(frozen=True, slots=True)
class Leaf:
    """A test. ``operator`` is empty where it stands alone; else its value is compared with ``bound``."""

    name: str  # "word", "url.host", "similarity", ...
    argument: str
    text: str  # as it was written, comparison included
    at: int  # where it begins in the expression
    operator: str = ""
    bound: float | str = 0.0
    field: str = ""  # of the objects that the argument names


@dataclass(frozen=True, slots=True)
class Not:
    part: Node


@dataclass(frozen=True, slots=True)
class And:
    """Two parts or more; none of them is an ``And`` itself, since parentheses among equals say nothing."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Two parts or more; none of them is an ``Or`` itself."""

    parts: tuple[Node, ...]


Node = And | Or | Not | Leaf


class SyntaxFault(Exception):
    """A mistake in an expression, and where."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


def told(fault: SyntaxFault, expression: Expression) -> TopicError:
    """The mistake on one line, with the file and line where there are any, the column and what stands there."""
    before, rest = expression.text[: fault.at], expression.text[fault.at :].split("\n")[0]
    line, column = before.count("\n") + 1, fault.at - before.rfind("\n")
    place = f"column {column}"
    if expression.line is None and line > 1:
        place = f"line {line}, {place}"
    if rest.strip():
        place += f", at {_printable(rest)}"
    return TopicError(
        f"{place}: {fault.message}",
        source=expression.source,
        line=None if expression.line is None else expression.line + line - 1,
        key=None if expression.source and expression.line is None else "predicate",
    )


def _printable(text: str) -> str:
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in shown).strip()
