"""Writes the tables of docs/database.md from the columns: ``.venv/bin/python -m tests.docs.database_reference``."""

from __future__ import annotations

import re
from pathlib import Path

from sqlalchemy.dialects import postgresql

from dowse.store.shared.connect import open_server
from dowse.store.shared.tables import SHARED, SharedTable

__all__ = ["REGENERATE", "TARGET", "reference"]

TARGET = Path(__file__).parents[2] / "docs" / "database.md"
REGENERATE = ".venv/bin/python -m tests.docs.database_reference"
_END = "<!-- end of columns -->"
_SHORT = {"TIMESTAMP WITH TIME ZONE": "timestamptz", "DOUBLE PRECISION": "double"}


def _columns(shared: SharedTable) -> str:
    made = open_server("postgresql://localhost/none").tables[shared.name]
    rows = []
    for column in shared.table.columns:
        name = made.c[column.name].type.compile(dialect=postgresql.dialect())  # type: ignore[no-untyped-call]
        rows.append(f"| `{column.name}` | {_SHORT.get(name, name.lower())} | {column.stored.told} |")
    return "\n".join(["| column | type | meaning |", "|---|---|---|", *rows])


def reference(page: str) -> str:
    """The page with its tables made anew. LookupError when one has no place in it."""
    for shared in SHARED:
        start = f"<!-- columns of {shared.name}, written by tests/docs/database_reference.py -->"
        made = f"{start}\n{_columns(shared)}\n{_END}"
        found = re.search(f"{re.escape(start)}.*?{_END}", page, re.DOTALL)
        if found is None:
            raise LookupError(f"docs/database.md has no place for the columns of {shared.name}")
        page = page[: found.start()] + made + page[found.end() :]
    return page


if __name__ == "__main__":
    TARGET.write_text(reference(TARGET.read_text(encoding="utf-8")), encoding="utf-8")
