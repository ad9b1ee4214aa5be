"""Values of the model from plain ones that somebody else may have written: of the right types, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from functools import cache
from math import isfinite, isnan
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

__all__ = ["revived", "typed"]

T = TypeVar("T")
_SHOWN = 60
_GREATEST = 1 << 63  # of what should be a real number; a longer one may not become a float


def revived(hint: Any, value: Any) -> Any:
    """JSON as a value of that type: dataclasses from objects, tuples from lists. ValueError or TypeError when it cannot
    be one."""
    if hint is Any:
        return value
    if is_dataclass(hint):
        return _dataclass(hint, value)
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _one_of(parts, value)
    if origin is tuple and isinstance(value, list):
        return tuple(revived(parts[0], item) for item in value)
    if origin is dict and isinstance(value, dict):
        return {key: revived(parts[1], item) for key, item in value.items()}
    if origin is None and _is(hint, value):
        return value
    raise TypeError(f"{_told(value)} is no {getattr(hint, '__name__', hint)}")


def _dataclass(hint: Any, value: Any) -> Any:
    if not isinstance(value, dict):
        raise TypeError(f"{_told(value)} is no table of settings")
    hints = get_type_hints(hint)
    unknown = set(value) - {field.name for field in fields(hint)}
    if unknown:
        raise ValueError(f"unknown setting {min(unknown)[:_SHOWN]!r}")
    return hint(**{name: _named(name, hints[name], item) for name, item in value.items()})


def _named(name: str, hint: Any, value: Any) -> Any:
    try:
        return revived(hint, value)
    except TypeError as error:
        raise ValueError(f"{name}: {error}") from None


def _one_of(hints: Iterable[Any], value: Any) -> Any:
    for hint in hints:
        try:
            return revived(hint, value)
        except (TypeError, ValueError):
            continue
    raise TypeError(f"{_told(value)} is of the wrong kind")


def _is(hint: Any, value: Any) -> bool:
    if hint is float:
        return (type(value) is float and not isnan(value)) or (type(value) is int and abs(value) < _GREATEST)
    return type(value) is hint


def _told(value: Any) -> str:
    text = repr(value) if not isinstance(value, (str, int)) else repr(value if isinstance(value, str) else hex(value))
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


@cache
def _checks(of: Any) -> tuple[tuple[str, Callable[[Any], bool]], ...]:
    hints = get_type_hints(of)
    return tuple((field.name, _check(hints[field.name])) for field in fields(of))


def _check(hint: Any) -> Callable[[Any], bool]:
    kinds = frozenset(get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,))
    if float in kinds:
        kinds |= {int}
        return lambda value: type(value) in kinds and (type(value) is not float or isfinite(value))
    if kinds <= {int, str, bytes, bool, NoneType}:
        return lambda value: type(value) in kinds
    return lambda value: True  # made of parts that were checked one by one


def typed(of: type[T], **values: Any) -> T:
    """A dataclass of values from a database; TypeError when one is not of its field's type, or not finite."""
    for name, fits in _checks(of):  # type: ignore[arg-type]  # a class has a hash
        if name in values and not fits(values[name]):
            raise TypeError(f"{name} is {_told(values[name])}")
    return of(**values)
