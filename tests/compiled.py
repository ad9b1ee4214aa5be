"""The compiled core beside the Python that it must agree with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import dowse.judge.reading
import dowse.model.words
import dowse.parse.blocks
import dowse.parse.bounds
import dowse.parse.context
import dowse.parse.html
import dowse.parse.links
import dowse.parse.signature
from dowse.compiled import core

MODULES = (
    dowse.judge.reading, dowse.model.words, dowse.parse.blocks, dowse.parse.bounds, dowse.parse.context,
    dowse.parse.html, dowse.parse.links, dowse.parse.signature,
)  # fmt: skip
needs_core = pytest.mark.skipif(core is None, reason="the compiled core is not built, or DOWSE_PURE is set")


@contextmanager
def pure() -> Iterator[None]:
    """As if the core were not there. A context and no fixture: Hypothesis runs a test's body many times."""
    with pytest.MonkeyPatch.context() as patch:
        for module in MODULES:
            patch.setattr(module, "core", None)
        yield
