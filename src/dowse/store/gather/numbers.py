"""Which number a candidate or a site of a shard has in the whole crawl.

URLs are told apart by their fingerprints, as everywhere in a crawl: a map of 16 bytes a URL, which need not be in
memory. A number stays what it was when the crawl is gathered again, so that whoever keeps a copy of pages, or has given
verdicts, finds them again.
"""

from __future__ import annotations

import sqlite3

from dowse.model.url import fingerprint

__all__ = ["NUMBERS", "number_candidates", "number_sites", "numbers_before", "prepare"]

NUMBERS = """
CREATE TEMP TABLE known (print INTEGER PRIMARY KEY, id INTEGER NOT NULL);     -- every URL so far
CREATE TEMP TABLE origins (origin TEXT PRIMARY KEY, id INTEGER NOT NULL);     -- every site so far
CREATE TEMP TABLE prints (old INTEGER PRIMARY KEY, print INTEGER NOT NULL);   -- of the shard, as are the next two
CREATE TEMP TABLE ids (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);
CREATE TEMP TABLE places (old INTEGER PRIMARY KEY, new INTEGER NOT NULL);
"""
"""Tables of the connection that gathers."""


def prepare(records: sqlite3.Connection) -> None:
    """What the statements here ask for."""
    records.create_function("fingerprint", 1, _signed, deterministic=True)
    records.executescript(NUMBERS)


def _signed(url: str) -> int:
    value = fingerprint(url)
    return value - (1 << 64) if value >> 63 else value


def numbers_before(records: sqlite3.Connection) -> None:
    """What was gathered before (attached as ``before``) keeps its numbers."""
    records.execute(
        "INSERT OR IGNORE INTO known SELECT fingerprint(url) AS print, id FROM before.candidates ORDER BY print"
    )
    records.execute("INSERT OR IGNORE INTO origins SELECT origin, id FROM before.sites")


def number_sites(records: sqlite3.Connection) -> None:
    """Fill ``places`` for the attached ``shard``."""
    run = records.execute
    run("DELETE FROM places")
    run(
        "INSERT INTO origins SELECT origin, (SELECT ifnull(max(id) + 1, 0) FROM origins) - 1"
        " + row_number() OVER (ORDER BY min(id)) FROM shard.sites r"
        " WHERE NOT EXISTS (SELECT 1 FROM origins o WHERE o.origin = r.origin) GROUP BY origin"
    )
    run("INSERT INTO places SELECT r.id, o.id FROM shard.sites r CROSS JOIN origins o ON o.origin = r.origin")


def number_candidates(records: sqlite3.Connection) -> None:
    """Fill ``ids`` for the attached ``shard``."""
    run = records.execute
    run("DELETE FROM prints")
    run("DELETE FROM ids")
    run("INSERT INTO prints SELECT id, fingerprint(url) FROM shard.candidates")
    [(first,)] = run("SELECT ifnull(max(id) + 1, 0) FROM known")
    run(  # sorted as they are kept: in any other order each would be put into a place of its own
        "INSERT INTO known SELECT print, ? - 1 + row_number() OVER (ORDER BY old) FROM ("
        " SELECT print, min(old) AS old FROM prints p"
        " WHERE NOT EXISTS (SELECT 1 FROM known k WHERE k.print = p.print) GROUP BY print) ORDER BY print",
        (first,),
    )
    run("INSERT INTO ids SELECT p.old, k.id FROM prints p CROSS JOIN known k ON k.print = p.print")
