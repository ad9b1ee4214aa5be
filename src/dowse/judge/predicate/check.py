"""What there is to ask of a page, and which comparisons make sense."""

from __future__ import annotations

import difflib
import math
import re
import warnings
from dataclasses import dataclass

from dowse.judge.category import is_name
from dowse.judge.predicate.syntax import Leaf, SyntaxFault
from dowse.model.facts import object_type
from dowse.model.normal.texts import plain

__all__ = ["A_DAY", "LEAVES", "Kind", "Operand", "leaf"]

_FLIPPED = {">": "<", "<": ">", ">=": "<=", "<=": ">=", "==": "==", "!=": "!="}
_LONGEST_PATTERN = 500
_FIELD_EXAMPLE = 'object("Event").location == "Bratislava"'
A_DAY = re.compile(r"\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d)?)?)?")
"""A year, a month, a day or a minute, as a predicate names it."""
_CODES = {
    "language": (re.compile(r"[a-z]{2,3}"), "a code of two letters", "de"),
    "kind": (re.compile(r"[a-z0-9][a-z0-9.+-]{0,79}"), "a kind of page or document", "pdf"),
}
"""name -> how its codes are written, what they are, one of them"""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a name takes and gives: ``gives`` is "truth", "number", "count" (a number whose truth is that it is above
    0), "category" (one whose truth has a threshold of its own) or "code" (of a language, of a kind of document). No
    number is above ``most``."""

    gives: str
    takes_string: bool = True
    most: float = math.inf


LEAVES = {
    "word": Kind("count"),
    "title": Kind("count"),
    "url.host": Kind("truth"),
    "url.suffix": Kind("truth"),
    "url.glob": Kind("truth"),
    "url.regex": Kind("truth"),
    "url.contains": Kind("truth"),
    "object": Kind("truth"),
    "category": Kind("category", most=1.0),
    "similarity": Kind("number", False, 1.0),
    "erid": Kind("number", False, 1.0),
    "words": Kind("number", False),
    "links": Kind("number", False),
    "language": Kind("code", False),
    "kind": Kind("code", False),
}
"""name -> what it is. The reference for users is ``docs/predicates.md``."""


@dataclass(frozen=True, slots=True)
class Operand:
    """A name with or without its string, a number or a string, as the parser found it."""

    name: str  # or "a number", "a string"
    at: int
    end: int
    argument: str | None = None
    argument_at: int = 0
    number: float = 0.0
    field: str = ""  # of the objects that the argument names

    @property
    def is_literal(self) -> bool:
        return self.name in ("a number", "a string")


def leaf(text: str, left: Operand, operator: str = "", right: Operand | None = None, at: int = 0) -> Leaf:
    """A test of ``text``, found right: an operand alone, or two and the operator at ``at``. Raises SyntaxFault."""
    if right is None:
        return _alone(text, left)
    if left.is_literal:
        if right.is_literal:
            raise SyntaxFault("this compares two constants: one side is to be measured on the page", left.at)
        left, right, operator = right, left, _FLIPPED[operator]
    kind = _kind(left)
    if not right.is_literal:
        _kind(right)
        raise SyntaxFault(f"{left.name} is compared with a number or a string, not with {right.name}", right.at)
    begin, end = min(left.at, right.at), max(left.end, right.end)
    bound = _bound(left, kind, operator, right, at)
    return Leaf(left.name, left.argument or "", text[begin:end], begin, operator, bound, left.field)


def _alone(text: str, operand: Operand) -> Leaf:
    if operand.is_literal:
        raise SyntaxFault(f"{operand.name} alone tests nothing", operand.at)
    kind = _kind(operand)
    if kind.gives == "number":
        raise SyntaxFault(f"{operand.name} is a number: compare it, as in {operand.name} > 0.1", operand.at)
    if kind.gives == "code":
        raise SyntaxFault(
            f'{operand.name} is to be compared, as in {operand.name} == "{_CODES[operand.name][2]}"', operand.at
        )
    return Leaf(operand.name, operand.argument or "", text[operand.at : operand.end], operand.at, field=operand.field)


def _bound(left: Operand, kind: Kind, operator: str, right: Operand, at: int) -> float | str:
    """What the value is compared with."""
    if left.field:
        return _of_field(left, operator, right, at)
    if left.name == "object":
        raise SyntaxFault(
            f"object(...) is true or false: it cannot be compared, but its fields can: {_FIELD_EXAMPLE}", at
        )
    if kind.gives == "truth":
        raise SyntaxFault(f"{left.name}(...) is true or false: it cannot be compared", at)
    if kind.gives != "code":
        if right.name != "a number":
            raise SyntaxFault(f"{left.name} is a number: compare it with one, not with a string", right.at)
        if right.number > kind.most:
            raise SyntaxFault(f"{left.name} is a number from 0 to {kind.most:g}", right.at)
        return right.number
    if operator not in ("==", "!="):
        raise SyntaxFault(f"{left.name} can be compared with == and != only", at)
    code = (right.argument or "").lower()
    written, what, example = _CODES[left.name]
    if right.name != "a string" or not written.fullmatch(code):
        raise SyntaxFault(f'{left.name} is {what} in quotes, such as "{example}"', right.at)
    return code


def _of_field(left: Operand, operator: str, right: Operand, at: int) -> float | str:
    """What a field of an object is compared with: a number, a text, or a day, which may be before or after another."""
    if right.name == "a number":
        return right.number
    text = right.argument or ""
    if not plain(text):
        raise SyntaxFault(f"{left.field} of an object is compared with a number or a text", right.at)
    if operator not in ("==", "!=") and A_DAY.fullmatch(text) is None:
        raise SyntaxFault(
            f'only numbers and days have an order: write the day as in "2026-05-31" behind {operator}', at
        )
    return text


def _kind(operand: Operand) -> Kind:
    """What the operand's name is; what is wrong with the operand itself is told."""
    name = operand.name
    kind = LEAVES.get(name)
    if kind is None:
        raise SyntaxFault(_unknown(name), operand.at)
    if kind.takes_string and operand.argument is None:
        raise SyntaxFault(f'{name} needs a string, as in {name}("...")', operand.at)
    if not kind.takes_string and operand.argument is not None:
        raise SyntaxFault(f"{name} takes nothing in parentheses", operand.at)
    if operand.field and name != "object":
        raise SyntaxFault(f"only an object has fields, as in {_FIELD_EXAMPLE}", operand.at)
    if kind.takes_string:
        _check_argument(name, operand.argument or "", operand.argument_at)
    return kind


def _unknown(name: str) -> str:
    close = difflib.get_close_matches(name[:40].lower(), LEAVES, 1, 0.6)
    if not close and any(known.startswith(f"{name.lower()}.") for known in LEAVES):
        close = [known for known in LEAVES if known.startswith(f"{name.lower()}.")]
    hint = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(LEAVES)}"
    return f"unknown name {name[:40]}: {hint}"


def _check_argument(name: str, argument: str, at: int) -> None:
    if not argument.strip():
        raise SyntaxFault(f"{name} needs something to look for", at)
    if name.startswith("url.") and len(argument) > _LONGEST_PATTERN:
        raise SyntaxFault(f"a pattern has at most {_LONGEST_PATTERN} characters", at)
    if name == "url.regex":
        _check_regex(argument, at)
    elif name == "url.glob" and argument[0] not in "/*":
        raise SyntaxFault("a path pattern begins with / or *, as in /papers/* or *.html", at)
    elif name == "category" and not is_name(argument):
        raise SyntaxFault("a category's name has letters, digits, blanks and . + - _", at)
    elif name == "object" and not object_type(argument):
        raise SyntaxFault("object needs the name of a type, such as Event", at)


def _check_regex(pattern: str, at: int) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise SyntaxFault(f"this is no regular expression: {error}".replace("\n", " "), at) from None
