from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dowse import compiled
from dowse.compiled import core
from tests.compiled import needs_core

LOADED = "from dowse.compiled import core; print(core is not None)"


def test_a_variable_turns_it_off() -> None:
    environment = {**os.environ, "DOWSE_PURE": "1"}
    found = subprocess.run([sys.executable, "-c", LOADED], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout == "False\n"


def test_one_that_was_built_from_other_sources_is_not_used() -> None:
    stale = "import sys, types; sys.modules['dowse._core'] = types.ModuleType('dowse._core')"
    found = subprocess.run([sys.executable, "-c", f"{stale}; {LOADED}"], capture_output=True, text=True, check=True)
    assert found.stdout == "False\n"


def test_its_sources_and_the_package_are_of_one_version() -> None:
    """Else it would never be used, and nobody would notice."""
    source = (Path(__file__).parents[1] / "src/core/module.c").read_text()
    assert f"VERSION = {compiled._VERSION} " in source


@needs_core
def test_no_arguments_are_too_few() -> None:
    functions = [value for name, value in vars(core).items() if callable(value) and not name.startswith("_")]
    assert len(functions) > 20
    for function in functions:
        with pytest.raises(TypeError):
            function()


@needs_core
def test_tables_and_buffers_are_checked() -> None:
    assert core is not None
    with pytest.raises(ValueError, match="names have"):
        core.tags({"x" * 16: 1})
    with pytest.raises(ValueError, match="at most"):
        core.tags({str(number): 0 for number in range(151)})
    with pytest.raises(ValueError, match="four words"):
        core.minhash(b"12345678" * 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="half an item"):
        core.minhash(b"1234567")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="as many"):
        core.similarities(b"1234", b"", None, 1, b"", b"", bytearray(8))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="as many blocks"):
        core.blocks([], b"12345678", b"", b"", 0.7, 0.25, 9, *[bytearray()] * 4)  # type: ignore[arg-type]


@needs_core
def test_what_a_callback_raises_comes_through() -> None:
    assert core is not None
    html, table = b'<html style="display:none">x</html>', core.tags({"html": 4})
    nothing: dict[str, list[str]] = {}
    with pytest.raises(KeyError):
        core.read(html, table, nothing.__getitem__, tuple, {})
    known, recent = {"\0": 0}, bytearray(core.RECENT_SIZE)
    with pytest.raises(KeyError):
        core.read_words("a 日本", known, [], nothing.__getitem__, recent)
    with pytest.raises(TypeError, match="list of words"):
        core.read_words("a 日本", known, [], tuple, recent)  # type: ignore[arg-type]
