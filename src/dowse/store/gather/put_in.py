"""What somebody put into the gathered records of a crawl, read as they are: nothing is gathered for it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from dowse.model.files import check_plain
from dowse.model.found import FOUND, FoundRow
from dowse.model.statistic_names import OTHER_VERDICTS
from dowse.store import rows
from dowse.store.damage import damage_told
from dowse.store.database import connect_reader
from dowse.store.trust import DATABASE

__all__ = ["judged_by_other", "seeds_put_in"]


def seeds_put_in(folder: Path) -> list[FoundRow]:
    """The seeds that search engines found, those among them that were put in (``dowse seeds --to``)."""
    if not check_plain(folder / DATABASE, writes=False):
        return []
    with damage_told(folder), closing(connect_reader(folder)) as records:
        return list(map(rows.found, records.execute(f"{rows.select(FOUND)} ORDER BY id")))


def judged_by_other(folder: Path) -> bool:
    """Do the pages have verdicts by something else than the crawl's own topic (``dowse rejudge``)?"""
    if not check_plain(folder / DATABASE, writes=False):
        return False
    with damage_told(folder), closing(connect_reader(folder)) as records:
        found = records.execute("SELECT EXISTS (SELECT 1 FROM statistics WHERE name = ?)", (OTHER_VERDICTS,))
        return bool(found.fetchone()[0])
