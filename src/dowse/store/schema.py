"""The tables of a crawl; ``connect`` opens connections to them.

The file is made to be read by people and other tools: plain columns, JSON text where a value has parts, times as
ISO 8601 text in UTC (fixed width, so text order is time order; see ``times``).

**No secondary index on a table that grows with the crawl.** An index on a URL takes its rows in random order: once it
no longer fits the cache, each insert reads and writes a page of its own, and the cost of a page would grow with the
crawl. What grows is only ever appended (links, events), inserted by a dense integer key (candidates, sites, pages,
decisions) or updated by it. The writer needs nothing else; a reader that looks for a URL scans the table once.
Add an index to a copy when you ask often.
"""

from __future__ import annotations

import sqlite3

from dowse.model.records import TABLES
from dowse.store.changes import PAGES_CHANGED, SITES_CHANGED
from dowse.store.trust import DATABASE

__all__ = ["APPLICATION", "CREATE", "DATABASE", "PART_OF", "SHARD", "UPGRADES", "VERSION", "show_lacking"]

# Tables that came later than the first version, and what they are made with; other columns say it of themselves.
_LATER_TABLES: dict[int, dict[str, str]] = {4: {"settled": "candidate INTEGER PRIMARY KEY, more BLOB NOT NULL"}}
for _table in TABLES:
    if _table.since > 1:
        _LATER_TABLES.setdefault(_table.since, {})[_table.name] = _table.definition
VERSION = max(*_LATER_TABLES, *(column.stored.since for table in TABLES for column in table.columns))
APPLICATION = 0x444F5753  # "DOWS": tells `file` and us whose database this is
PART_OF, SHARD = "part_of", "shard"
"""The names in ``meta`` of the crawl that a shard's records are of, and of its number."""
_NEW_CRAWL = "INSERT INTO meta VALUES ('crawl', lower(hex(randomblob(16))));"
_FILLED = {
    8: f"{_NEW_CRAWL} {SITES_CHANGED} SELECT id FROM sites ORDER BY id; "
    f"{PAGES_CHANGED} SELECT id FROM pages ORDER BY ordinal;"
}
"""What older records get besides tables and columns."""
_STRICT = "STRICT" if sqlite3.sqlite_version_info >= (3, 37) else ""  # a wrong type is an error, not a surprise


def _create(table: str, columns: str) -> str:
    return f"CREATE TABLE {table} ({columns}) {_STRICT};"


_DECLARED = "\n".join([
    *(_create(table.name, table.definition) for table in TABLES if table.since == 1),
    *(_create(name, columns) for tables in _LATER_TABLES.values() for name, columns in tables.items()),
])  # fmt: skip

CREATE = f"""
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) {_STRICT};
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) {_STRICT};  -- value: JSON
CREATE TABLE totals (              -- one row, kept with each transaction
  recorded INTEGER NOT NULL,       -- rows ever written to pages
  judged INTEGER NOT NULL, relevant INTEGER NOT NULL,
  pages INTEGER NOT NULL, bytes INTEGER NOT NULL, seconds REAL NOT NULL, requests INTEGER NOT NULL  -- budget spent
) {_STRICT};
CREATE TABLE archives (file TEXT PRIMARY KEY, bytes INTEGER NOT NULL) {_STRICT};  -- committed length of each WARC file
{_DECLARED}
CREATE TABLE statistics (name TEXT PRIMARY KEY, value {"ANY" if _STRICT else ""}) {_STRICT};  -- bytes as BLOB, else JSON
CREATE TABLE events (id INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL) {_STRICT};
CREATE TABLE refusals (rule TEXT PRIMARY KEY, count INTEGER NOT NULL) {_STRICT};
CREATE TABLE refusal_samples (rule TEXT NOT NULL, url TEXT NOT NULL, PRIMARY KEY (rule, url)) {_STRICT};  -- 20 a rule

-- one that is changed: what folders of before have must go on to be taken for ours (trust.check_schema)
CREATE VIEW candidate_states AS
  SELECT c.id, c.url, CASE c.state WHEN 0 THEN 'waiting' WHEN 1 THEN 'leased' WHEN 2 THEN 'fetched'
    WHEN 3 THEN 'failed' ELSE 'refused' END AS state, c.reason, c.priority, c.depth, s.origin AS site,
    p.url AS parent_url, c.attempts
  FROM candidates c LEFT JOIN sites s ON s.id = c.site LEFT JOIN candidates p ON p.id = c.parent;
CREATE VIEW relevant_pages AS
  SELECT id, url, title, score, depth, language, words, fetched_at, warc_file, warc_offset FROM pages WHERE relevant = 1;
CREATE VIEW link_urls AS
  SELECT p.url AS page, t.url AS target, l.anchor, l.count
  FROM links l JOIN candidates p ON p.id = l.page JOIN candidates t ON t.id = l.target;

INSERT INTO totals VALUES (0, 0, 0, 0, 0, 0.0, 0);
INSERT INTO meta VALUES ('format', 'dowse crawl'), ('schema_version', '{VERSION}');
{_NEW_CRAWL}
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
"""  # noqa: E501


def _upgrade(before: int) -> str:
    """What makes records of a version ones of the next."""
    version = before + 1
    steps = [_create(name, columns) for name, columns in _LATER_TABLES.get(version, {}).items()]
    steps += [
        f"ALTER TABLE {table.name} ADD COLUMN {column.definition};"
        for table in TABLES
        for column in table.columns
        if column.stored.since == version > table.since
    ]
    steps.append(_FILLED.get(version, ""))
    steps.append(f"UPDATE meta SET value = '{version}' WHERE name = 'schema_version';")
    return "\n".join([*steps, f"PRAGMA user_version = {version};\n"])


UPGRADES = {before: _upgrade(before) for before in range(1, VERSION)}


def show_lacking(version: int) -> str:
    """SQL that shows records of this version as they would be now, to who only reads and may not upgrade them."""
    shown = []
    for table in TABLES:
        lacking = ", ".join(f"{column.empty} AS {column.name}" for column in table.lacking(version))
        if lacking and version >= table.since:
            shown.append(f"CREATE TEMP VIEW {table.name} AS SELECT *, {lacking} FROM main.{table.name};")
    for since, tables in _LATER_TABLES.items():
        if version < since:
            shown += [f"CREATE TEMP TABLE {name} ({columns});" for name, columns in tables.items()]
    return "\n".join(shown)
