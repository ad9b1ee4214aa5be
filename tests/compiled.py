"""The compiled core beside the Python that it must agree with."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest

from dowse.compiled import core
from tests.needs import needs

needs_core = needs("the compiled core", "apt install gcc python3-dev, without DOWSE_PURE", present=core is not None)


@contextmanager
def pure() -> Iterator[None]:
    """As if the core were not there. A context and no fixture: Hypothesis runs a test's body many times."""
    with pytest.MonkeyPatch.context() as patch:
        for name, module in list(sys.modules.items()):
            if name.startswith("dowse.") and "core" in vars(module):
                patch.setattr(module, "core", None)
        yield


def assert_agree(found: Any, expected: Any, where: str = "") -> None:
    """Numbers with a point within 1e-9, or what 32 bits can hold of that; everything else the same."""
    assert type(found) is type(expected), where
    if is_dataclass(found):
        for field in fields(found):
            name = field.name
            assert_agree(getattr(found, name), getattr(expected, name), f"{where}.{name}")
    elif isinstance(found, np.ndarray):
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape), where
        near = 1e-6 if found.dtype == np.float32 else 1e-9
        np.testing.assert_allclose(found, expected, rtol=near if found.dtype.kind == "f" else 0, err_msg=where)
    elif isinstance(found, float):
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9, nan_ok=True), where
    elif isinstance(found, Mapping):
        assert list(found) == list(expected), where
        assert_agree(list(found.values()), list(expected.values()), where)
    elif isinstance(found, Sequence) and not isinstance(found, str | bytes):
        assert len(found) == len(expected), where
        for one, other in zip(found, expected, strict=True):
            assert_agree(one, other, where)
    else:
        assert found == expected, where
