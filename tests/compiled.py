"""The compiled core beside the Python that it must agree with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import pytest

from dowse.compiled import core

MODULES = [
    import_module(f"dowse.{name}")  # not by attribute: one of them has the name of a function
    for name in (
        *(
            "judge.reading",
            "model.words",
            "parse.blocks",
            "parse.bounds",
            "parse.context",
            "parse.decode",
            "parse.html",
        ),
        *("parse.links", "parse.signature"),
    )
]
needs_core = pytest.mark.skipif(core is None, reason="the compiled core is not built, or DOWSE_PURE is set")


@contextmanager
def pure() -> Iterator[None]:
    """As if the core were not there. A context and no fixture: Hypothesis runs a test's body many times."""
    with pytest.MonkeyPatch.context() as patch:
        for module in MODULES:
            patch.setattr(module, "core", None)
        yield
