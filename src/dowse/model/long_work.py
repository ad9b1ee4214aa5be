"""Work that may take a while before anything can be shown: whoever talks to the user is told of it as it begins.

>>> from contextlib import contextmanager
>>> @contextmanager
... def told(what):
...     print("began", what)
...     yield
...     print("ended")
>>> tell_long_work(told)
>>> with long_work("counting"):
...     print(2)
began counting
2
ended
>>> tell_long_work(None)
>>> with long_work("counting"):
...     print(2)
2
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

__all__ = ["long_work", "tell_long_work"]

_told: list[Callable[[str], AbstractContextManager[None]]] = []


def tell_long_work(told: Callable[[str], AbstractContextManager[None]] | None) -> None:
    """From now on this goes around long work, and is given a few words about it. Set by a program's entry point."""
    _told[:] = [] if told is None else [told]


def long_work(what: str) -> AbstractContextManager[None]:
    """To go around it."""
    return _told[0](what) if _told else nullcontext()
