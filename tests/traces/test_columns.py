"""A folder of traces from a stranger harms nobody."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import numpy as np
import pytest

from dowse.model.errors import UserError
from dowse.traces import is_traces, load_traces, read_imported
from dowse.traces.columns import FACTS
from tests.traces.test_import import ROWS, read, written

COLUMNS = (
    "users", "starts", "at", "page", "fingerprints", "by_page", "page_starts", "urls.text", "urls.ends",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    read(tmp_path, written(ROWS))
    return tmp_path / "out"


@pytest.mark.parametrize("name", COLUMNS)
def test_a_damaged_column_is_told(folder: Path, name: str) -> None:
    path = folder / f"{name}.npy"
    whole = path.read_bytes()
    huge = whole[:128].replace(b"'shape': (", b"'shape': (9") + whole[128:]
    objects = io.BytesIO()
    np.save(objects, np.array([print], object), allow_pickle=True)
    for damaged in (b"", whole[:60], whole[:-1], b"\0" * len(whole), huge, objects.getvalue(), b"[" * 5000):
        path.write_bytes(damaged)
        with pytest.raises(UserError, match=f"are damaged \\({name}.npy\\)"):
            load_traces(folder)
    path.unlink()
    with pytest.raises(UserError, match=f"are damaged \\({name}.npy\\)"):
        load_traces(folder)
    np.save(path, np.zeros((3, 3), np.uint64))
    with pytest.raises(UserError, match=f"are damaged \\({name}.npy\\)"):
        load_traces(folder)


@pytest.mark.parametrize(("name", "place", "value"), [
    ("page", 0, 3), ("by_page", 2, 3), ("starts", 0, 1), ("starts", 1, -1), ("starts", -1, 2**40),
    ("users", 0, 2**64 - 1), ("fingerprints", 2, 0), ("page_starts", 1, 9),
    ("page_starts", -1, 2), ("urls.ends", 0, -5), ("urls.ends", -1, 9),
    ("urls.text", 3, 200),
])  # fmt: skip
def test_what_points_beyond_is_told(folder: Path, name: str, place: int, value: int) -> None:
    path = folder / f"{name}.npy"
    column = np.load(path)
    column[place] = value
    np.save(path, column)
    with pytest.raises(UserError, match=f"are damaged \\({name}.npy\\)"):
        load_traces(folder)


def test_an_address_longer_than_any_is_told(folder: Path) -> None:
    """It would be read whole, however long."""
    ends, longest = np.load(folder / "urls.ends.npy"), 1 << 20
    for first in range(len(ends)):
        longer = ends.copy()
        longer[first:] += longest
        np.save(folder / "urls.ends.npy", longer)
        np.save(folder / "urls.text.npy", np.full(longer[-1], ord("a"), np.uint8))
        with pytest.raises(UserError, match=r"are damaged \(urls.ends.npy\)"):
            load_traces(folder)


def test_columns_of_two_imports_are_told_apart(folder: Path) -> None:
    facts = json.loads((folder / FACTS).read_text())
    (folder / FACTS).write_text(json.dumps(facts | {"accesses": facts["accesses"] + 1}))
    with pytest.raises(UserError, match="are damaged"):
        load_traces(folder)


def test_a_link_is_not_followed(folder: Path) -> None:
    (folder / "at.npy").rename(folder / "other.npy")
    os.symlink(folder / "other.npy", folder / "at.npy")
    with pytest.raises(UserError, match="link"):
        load_traces(folder)


@pytest.mark.parametrize("text", [
    "", "[]", "{}", "[" * 100_000, '{"version": 1}', '{"version": 1, "key": 5, "lines": 1, "accesses": 1}',
    '{"version": 1, "key": "a", "lines": -1, "accesses": 1}',
    '{"version": 1, "key": "a", "lines": 1, "accesses": true}',
    '{"version": 1, "key": "a", "lines": 1, "accesses": 1, "bad": {"x": "y"}}', " " * 2_000_000,
])  # fmt: skip
def test_damaged_facts_are_told(folder: Path, text: str) -> None:
    (folder / FACTS).write_text(text)
    with pytest.raises(UserError, match=r"damaged|too large"):
        read_imported(folder)


def test_another_version_and_no_traces(folder: Path, tmp_path: Path) -> None:
    facts = json.loads((folder / FACTS).read_text())
    (folder / FACTS).write_text(json.dumps(facts | {"version": 2}))
    with pytest.raises(UserError, match="version 2"):
        load_traces(folder)
    assert not is_traces(tmp_path)
    with pytest.raises(UserError, match="holds no traces"):
        load_traces(tmp_path)
