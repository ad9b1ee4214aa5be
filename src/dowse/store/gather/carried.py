"""What readers did to the gathered records, brought into those that take their place; and what has changed in them.

Who gives verdicts again writes them into the gathered records, and says so in ``changes``. So a page that somebody else
changed last than who gathers has a verdict of theirs, which stays until the page is fetched again.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Sequence

from dowse.model.records import PAGES, SITES
from dowse.model.statistic_names import FINAL_VERDICTS, OTHER_VERDICTS
from dowse.store.changes import PAGES_CHANGED, SITES_CHANGED
from dowse.store.schema import PART_OF

__all__ = ["keep_verdicts", "name_as_before", "name_as_told", "note_changes", "prepare"]

_MARK = "g"  # in front of a writer's name: who gathers. Others have hexadecimal digits
_VERDICT = ("score", "relevant", "model", "verdict")
_OTHERS = (
    "SELECT c.page FROM (SELECT page, max(number) AS number FROM main.changes WHERE page IS NOT NULL GROUP BY page) c"
    " WHERE (SELECT w.writer FROM main.change_writers w WHERE w.first <= c.number ORDER BY w.first DESC LIMIT 1)"
    f" NOT LIKE '{_MARK}%'"
)
_GIVEN = "CREATE TEMP TABLE given (id INTEGER PRIMARY KEY)"  # pages whose verdicts are somebody's


def prepare(records: sqlite3.Connection) -> None:
    """What the statements here ask for."""
    records.execute(_GIVEN)


def name_as_told(records: sqlite3.Connection) -> None:
    """The crawl has the name that the attached ``shard`` was told; where it was told none, its own."""
    records.execute("INSERT OR REPLACE INTO main.meta SELECT 'crawl', value FROM shard.meta WHERE name = ?", (PART_OF,))


def name_as_before(records: sqlite3.Connection) -> None:
    """The crawl keeps the name by which shared databases know it, its first one, and its changes so far."""
    run = records.execute
    run("INSERT OR REPLACE INTO main.meta SELECT name, value FROM before.meta WHERE name IN ('crawl', 'first')")
    run("INSERT INTO main.changes SELECT * FROM before.changes ORDER BY number")
    run("INSERT INTO main.change_writers SELECT * FROM before.change_writers")


def keep_verdicts(records: sqlite3.Connection) -> None:
    """Pages that are what they were have the verdicts that somebody gave them."""
    run = records.execute
    run(
        f"INSERT INTO given SELECT p.id FROM main.pages p CROSS JOIN before.pages b ON b.id = p.id"
        f" WHERE p.id IN ({_OTHERS}) AND b.fetched_at = p.fetched_at AND p.score IS NOT NULL AND b.score IS NOT NULL"
    )
    if not run("SELECT EXISTS (SELECT 1 FROM given)").fetchone()[0]:
        return
    first = ", ".join(f"first_{name} = {name}" for name in _VERDICT[:3])
    run(f"UPDATE main.pages SET {first} WHERE first_score IS NULL AND id IN given")
    names = ", ".join(_VERDICT)
    theirs = f"SELECT {names} FROM before.pages b WHERE b.id = pages.id"
    run(f"UPDATE main.pages SET ({names}) = ({theirs}) WHERE id IN given")
    run(
        "UPDATE main.sites SET relevant = (SELECT ifnull(sum(p.relevant), 0) FROM main.pages p"
        " CROSS JOIN main.candidates c ON c.id = p.id WHERE c.site = sites.id)"
        " WHERE id IN (SELECT site FROM main.candidates WHERE id IN given)"
    )
    run("INSERT OR REPLACE INTO main.statistics SELECT name, value FROM before.statistics WHERE name IN (?, ?)",
        (FINAL_VERDICTS, OTHER_VERDICTS))  # fmt: skip


def note_changes(records: sqlite3.Connection, *, before: bool) -> None:
    """Tell what is other than it was ``before``: all that is there, where nothing was. Pages with a verdict that
    somebody gave come last, and as somebody's: by that they are known the next time."""
    run = records.execute
    pages = [name for name in PAGES.names if name != "ordinal"]
    _begin(records, _MARK + secrets.token_hex(8)[1:])
    run(f"{SITES_CHANGED} {_changed('sites', SITES.names, before)}")
    run(f"{PAGES_CHANGED} {_changed('pages', pages, before)} AND n.id NOT IN given ORDER BY n.ordinal")
    _begin(records, secrets.token_hex(8))
    run(f"{PAGES_CHANGED} {_changed('pages', pages, before)} AND n.id IN given ORDER BY n.ordinal")
    run("DELETE FROM main.change_writers WHERE first > (SELECT ifnull(max(number), 0) FROM main.changes)")


def _begin(records: sqlite3.Connection, writer: str) -> None:
    records.execute(
        "INSERT OR REPLACE INTO main.change_writers VALUES ((SELECT ifnull(max(number), 0) + 1 FROM main.changes), ?)",
        (writer,),
    )


def _changed(table: str, names: Sequence[str], before: bool) -> str:
    if not before:
        return f"SELECT n.id FROM main.{table} n WHERE true"
    differs = " OR ".join(f"n.{name} IS NOT b.{name}" for name in names)
    return (
        f"SELECT n.id FROM main.{table} n LEFT JOIN before.{table} b ON b.id = n.id WHERE (b.id IS NULL OR {differs})"
    )
