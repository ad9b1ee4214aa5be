"""The examples in the docstrings of the figures are true."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest
from bench.figures.declared import comparisons

from bench.figures import figure, tables


@pytest.mark.parametrize("module", [figure, tables, comparisons], ids=lambda module: module.__name__)
def test_examples_are_true(module: ModuleType) -> None:
    done = doctest.testmod(module)
    assert done.attempted > 0
    assert done.failed == 0
