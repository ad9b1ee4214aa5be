"""A field is declared once, and found wherever a page or a link goes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Annotated

import pytest

from dowse.model.columns import Form, Stored, Table, columns_of
from dowse.model.records import LINKS, TABLES
from dowse.store import CrawlStore
from dowse.store.schema import VERSION
from tests.docs.markdown import ROOT
from tests.model.new_field import URL
from tests.store.made import WALL, batch, page


class Colour(IntEnum):
    RED = 0


@dataclass
class Inner:
    size: Annotated[float, Stored("Its size.", since=2)] = 0.0
    unstored: int = 0


@dataclass
class Row:
    id: Annotated[int, Stored("Its number.", key=True)]
    colour: Annotated[Colour, Stored("Its colour.")]
    at: Annotated[float | None, Stored("When.", Form.TIME, column="seen")]
    inner: Inner
    note: Annotated[str, Stored("A note.", since=3)] = ""
    parts: Annotated[list[int] | None, Stored("Parts.", Form.JSON, since=3)] = None
    names: Annotated[list[str], Stored("Names.")] = ()  # type: ignore[assignment]


def test_columns_follow_from_the_fields() -> None:
    table = Table("rows", columns_of(Row))
    assert {column.field: column.definition for column in table.columns} == {
        "id": "id INTEGER PRIMARY KEY",
        "colour": "colour INTEGER NOT NULL",
        "at": "seen TEXT",
        "inner.size": "size REAL NOT NULL DEFAULT 0",
        "note": "note TEXT NOT NULL DEFAULT ''",
        "parts": "parts TEXT",
        "names": "names TEXT NOT NULL",
    }
    assert [column.name for column in table.lacking(1)] == ["size", "note", "parts"]
    assert [(column.name, column.empty) for column in table.lacking(2)] == [("note", "''"), ("parts", "NULL")]
    assert table.lacking(3) == ()


def test_no_two_columns_have_one_name_and_each_is_told() -> None:
    for table in TABLES:
        assert len(set(table.names)) == len(table.names)
        assert all(column.stored.told.endswith(".") for column in table.columns), table.name
    assert LINKS.names[:2] == ("page", "target")


# What somebody writes who wants two more things to be stored: the lines of a page, the length of a link's anchor.
PAGE_FIELD = {
    "model/page.py": {
        "= 0  # L(p)\n": '= 0\n    n_lines: Annotated[int, Stored("Lines of visible text.", since='
        f"{VERSION + 1})] = 0\n",
    },
    "engine/page/parsed.py": {
        "n_links=self.links.n_links,": "n_links=self.links.n_links,\n"
        "            n_lines=len(document.visible.split(b'\\n')),"
    },
}
LINK_FIELD = {
    "model/page.py": {
        "    rels: Annotated[": "    lengths: Annotated[\n"
        '        NDArray[np.int32], Stored("Characters of its anchor.", column="length", kind=int, '
        f"since={VERSION + 1})\n"
        "    ] = field(default_factory=_none(np.int32))\n    rels: Annotated["
    },
    "parse/links.py": {
        "    refused: dict[str, int] = field(default_factory=dict)\n": ""
        "    refused: dict[str, int] = field(default_factory=dict)\n"
        "    lengths: list[int] = field(default_factory=list)\n",
        "    return found\n\n\ndef _gather(": "    found.lengths = [len(anchor) for anchor in found.anchors]\n"
        "    return found\n\n\ndef _gather(",
        "        similarity=in_context(mentioned, measures, mean=mean),\n": ""
        "        similarity=in_context(mentioned, measures, mean=mean),\n"
        "        lengths=np.array(found.lengths, np.int32),\n",
    },
}


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """The source with both fields, in a copy."""
    source = tmp_path / "src"
    shutil.copytree(ROOT / "src" / "dowse", source / "dowse", ignore=shutil.ignore_patterns("__pycache__"))
    for fields in (PAGE_FIELD, LINK_FIELD):
        assert len(fields) <= 3, "a field costs three files or fewer"
        for name, edits in fields.items():
            path = source / "dowse" / name
            text = path.read_text(encoding="utf-8")
            for before, after in edits.items():
                assert text.count(before) == 1, (name, before)
                text = text.replace(before, after)
            path.write_text(text, encoding="utf-8")
    return source


def test_a_new_field_is_found_everywhere(changed: Path, tmp_path: Path) -> None:
    with CrawlStore.create(tmp_path / "old", {}, WALL) as store:
        made = batch(0, 2)
        made.pages = [page(0, url=URL, title="Old")]
        store.commit(made)
    done = subprocess.run(
        [sys.executable, "-m", "tests.model.new_field", str(tmp_path / "new"), str(tmp_path / "old")],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(changed)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["wire"] == found["lab"] == [4, [11, 4]]
    assert found["records"] == [4, [11, 4], 4]
    assert found["read as it was"] == [0, [0, 0], 0]
    assert found["upgraded"] == [4, [0, 0, 11, 4], 4]
    assert found["manual"] == [
        "| `n_lines` | INTEGER | Lines of visible text. |",
        "| `length` | INTEGER | Characters of its anchor. |",
    ]
