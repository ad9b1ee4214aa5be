"""The crawl: joins the rooms into one engine.

::

    seeds ─► frontier ─► fetch ─► parse ─► judge ─► predict ─► frontier
               ▲                                        │
               └─────────── learned statistics ◄────────┘        store records every step

``build`` puts the parts together, ``engine`` runs the loop, ``errands`` gets addresses and robots.txt, ``conclude``
ends each URL's life, ``intake`` takes up what was found, ``step`` is the pure work on one page, ``pool`` runs it in
processes, ``recorder`` writes everything down, ``watchdog`` looks after the loop, ``api`` is the door for Python.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from types import ModuleType
from typing import Any


class _Crawl(ModuleType):
    """``dowse.crawl`` is this room and, for users, the function that crawls: calling the one calls the other."""

    def __call__(self, *args: Any, **options: Any) -> AsyncGenerator[Any, None]:
        from dowse.crawl.api import crawl

        return crawl(*args, **options)


sys.modules[__name__].__class__ = _Crawl
