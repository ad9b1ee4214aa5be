"""The compiled core beside the Python that it must agree with."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from dowse.compiled import core

needs_core = pytest.mark.skipif(core is None, reason="the compiled core is not built, or DOWSE_PURE is set")


@contextmanager
def pure() -> Iterator[None]:
    """As if the core were not there. A context and no fixture: Hypothesis runs a test's body many times."""
    with pytest.MonkeyPatch.context() as patch:
        for name, module in list(sys.modules.items()):
            if name.startswith("dowse.") and "core" in vars(module):
                patch.setattr(module, "core", None)
        yield
