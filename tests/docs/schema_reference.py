"""Writes the tables of docs/schema.md from the columns themselves: ``.venv/bin/python -m tests.docs.schema_reference``.

What stands between the marks of a table is made anew; everything else of the page is left as it is.
"""

from __future__ import annotations

import re
from pathlib import Path

from dowse.model.columns import Table
from dowse.model.records import TABLES

__all__ = ["REGENERATE", "TARGET", "reference"]

TARGET = Path(__file__).parents[2] / "docs" / "schema.md"
REGENERATE = ".venv/bin/python -m tests.docs.schema_reference"
_END = "<!-- end of columns -->"


def _columns(table: Table) -> str:
    rows = [f"| `{column.name}` | {column.sql} | {column.stored.told} |" for column in table.columns]
    return "\n".join(["| column | type | meaning |", "|---|---|---|", *rows])


def reference(page: str) -> str:
    """The page with its tables made anew. LookupError when one has no place in it."""
    for table in TABLES:
        start = f"<!-- columns of {table.name}, written by tests/docs/schema_reference.py -->"
        made = f"{start}\n{_columns(table)}\n{_END}"
        found = re.search(f"{re.escape(start)}.*?{_END}", page, re.DOTALL)
        if found is None:
            raise LookupError(f"docs/schema.md has no place for the columns of {table.name}")
        page = page[: found.start()] + made + page[found.end() :]
    return page


if __name__ == "__main__":
    TARGET.write_text(reference(TARGET.read_text(encoding="utf-8")), encoding="utf-8")
