"""What changed in a crawl's records, in order: for whoever keeps a copy of them, such as a shared database.

Pages are recorded once, but their verdicts change, and a site's figures change with each of its pages. Whoever has seen
all changes up to a number (a high-water mark) reads on from there. A row says what changed, not how: the page or site
is read as it is by then, so that a change that is read twice does no harm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from dowse.model.columns import Stored, Table, columns_of

__all__ = ["CHANGES", "CHANGE_WRITERS", "ChangeRow", "ChangeWriter"]

_SINCE = 8


@dataclass(slots=True)
class ChangeRow:
    """A page or a site that changed."""

    number: Annotated[int, Stored("Counted from 1, without gaps.", since=_SINCE, key=True)]
    page: Annotated[
        int | None, Stored("`pages.id`: it was recorded, or given another verdict. Null: a site changed.", since=_SINCE)
    ] = None
    site: Annotated[int | None, Stored("`sites.id`. Null: a page changed.", since=_SINCE)] = None


@dataclass(slots=True)
class ChangeWriter:
    """Who wrote changes, so that two copies of a folder that went on by themselves can be told apart."""

    first: Annotated[int, Stored("`changes.number` of the first change it wrote.", since=_SINCE, key=True)]
    writer: Annotated[str, Stored("A random name, another for each time the folder was opened to be written to.",
                                  since=_SINCE)]  # fmt: skip


CHANGES = Table("changes", columns_of(ChangeRow), since=_SINCE)
CHANGE_WRITERS = Table("change_writers", columns_of(ChangeWriter), since=_SINCE)
