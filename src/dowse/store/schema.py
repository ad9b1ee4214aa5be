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

from dowse.store.trust import DATABASE

__all__ = ["APPLICATION", "CREATE", "DATABASE", "LACKING", "PAGE_COLUMNS", "UPGRADES", "VERSION"]

VERSION = 4
APPLICATION = 0x444F5753  # "DOWS": tells `file` and us whose database this is
_STRICT = "STRICT" if sqlite3.sqlite_version_info >= (3, 37) else ""  # a wrong type is an error, not a surprise

_PAGES = {
    "id": "INTEGER PRIMARY KEY",  # the candidate's id
    "ordinal": "INTEGER NOT NULL",  # order of recording, whatever the wall clock did
    "url": "TEXT NOT NULL",
    "final_url": "TEXT NOT NULL",  # where a redirect leads; else the same as url
    "fetched_at": "TEXT NOT NULL",
    "outcome": "TEXT NOT NULL",  # fetched, redirected, failed, refused
    "reason": "TEXT NOT NULL",
    "status": "INTEGER NOT NULL",
    "content_type": "TEXT NOT NULL",
    "bytes": "INTEGER NOT NULL",  # of the body, over the wire
    "body_bytes": "INTEGER NOT NULL",  # after content decoding
    "truncated": "TEXT NOT NULL",
    "score": "REAL",
    "relevant": "INTEGER",  # 0, 1, or null when not judged
    "similarity": "REAL",
    "erid": "REAL",
    "title": "TEXT NOT NULL",
    "language": "TEXT NOT NULL",
    "charset": "TEXT NOT NULL",
    "canonical": "TEXT",  # what the page itself names as its address
    "depth": "INTEGER NOT NULL",
    "words": "INTEGER NOT NULL",
    "text_len": "INTEGER NOT NULL",
    "n_links": "INTEGER NOT NULL",
    "duplicate_of": "INTEGER",
    "signature": "INTEGER NOT NULL",  # 64 bits, read as signed; 0: too few words
    "minhash": "BLOB NOT NULL",
    "etag": "TEXT",
    "last_modified": "TEXT",
    "attempts": "INTEGER NOT NULL",
    "dns_s": "REAL NOT NULL",
    "connect_s": "REAL NOT NULL",
    "first_byte_s": "REAL NOT NULL",
    "total_s": "REAL NOT NULL",
    "parse_s": "REAL NOT NULL",
    "judge_s": "REAL NOT NULL",
    "verdict": "TEXT NOT NULL",  # JSON: [[reason, value, weight], ..., [part, degree, 0, held, value, depth], ...]
    "warc_file": "TEXT",
    "warc_offset": "INTEGER",
    "warc_length": "INTEGER",
    "cached_from": "TEXT",  # the earlier crawl's folder that held it; null: asked for in this crawl
}
PAGE_COLUMNS = tuple(_PAGES)

CREATE = f"""
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) {_STRICT};
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) {_STRICT};  -- value: JSON
CREATE TABLE runs (id INTEGER PRIMARY KEY, started_at TEXT NOT NULL, ended_at TEXT, stop_reason TEXT) {_STRICT};
CREATE TABLE totals (              -- one row, kept with each transaction
  recorded INTEGER NOT NULL,       -- rows ever written to pages
  judged INTEGER NOT NULL, relevant INTEGER NOT NULL,
  pages INTEGER NOT NULL, bytes INTEGER NOT NULL, seconds REAL NOT NULL, requests INTEGER NOT NULL  -- budget spent
) {_STRICT};
CREATE TABLE archives (file TEXT PRIMARY KEY, bytes INTEGER NOT NULL) {_STRICT};  -- committed length of each WARC file
CREATE TABLE pages ({", ".join(f"{name} {kind}" for name, kind in _PAGES.items())}) {_STRICT};
CREATE TABLE links (page INTEGER NOT NULL, target INTEGER NOT NULL, anchor TEXT NOT NULL, count INTEGER NOT NULL,
  position INTEGER NOT NULL, rel TEXT NOT NULL) {_STRICT};
CREATE TABLE candidates (
  id INTEGER PRIMARY KEY, url TEXT NOT NULL, site INTEGER NOT NULL, depth INTEGER NOT NULL, parent INTEGER,
  priority REAL NOT NULL, run INTEGER NOT NULL, state INTEGER NOT NULL, reason TEXT NOT NULL,
  attempts INTEGER NOT NULL, via INTEGER, evidence BLOB  -- evidence: what the strategy knows of it, in its own form
) {_STRICT};
CREATE TABLE settled (candidate INTEGER PRIMARY KEY, more BLOB NOT NULL) {_STRICT};  -- the end of its evidence
CREATE TABLE sites (
  id INTEGER PRIMARY KEY, origin TEXT NOT NULL, host TEXT NOT NULL, address TEXT NOT NULL,
  robots_status TEXT NOT NULL, robots_fetched_at TEXT, delay_s REAL NOT NULL, requests INTEGER NOT NULL,
  pages INTEGER NOT NULL, relevant INTEGER NOT NULL, failures INTEGER NOT NULL, bytes INTEGER NOT NULL,
  latency_s REAL NOT NULL, download_s REAL NOT NULL, not_before TEXT, closed TEXT NOT NULL DEFAULT ''
) {_STRICT};
CREATE TABLE decisions (
  candidate INTEGER PRIMARY KEY, at TEXT NOT NULL, priority REAL NOT NULL, strategy TEXT NOT NULL,
  version INTEGER NOT NULL, features TEXT NOT NULL  -- JSON: name -> [value, weight]
) {_STRICT};
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
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
"""  # noqa: E501

# Once, what was settled stood behind the 136 bytes that change; only one strategy had such rows.
_SETTLED_BEFORE = """SELECT id AS candidate, substr(evidence, 137) AS more FROM candidates
  WHERE length(evidence) > 136 AND (SELECT value FROM statistics WHERE name = 'evidence') = '"learning"'"""

# What makes records of an older version ones of the next; each ends with that version's number.
UPGRADES = {
    1: """
ALTER TABLE sites ADD COLUMN not_before TEXT;
ALTER TABLE sites ADD COLUMN closed TEXT NOT NULL DEFAULT '';
UPDATE meta SET value = '2' WHERE name = 'schema_version';
PRAGMA user_version = 2;
""",
    2: """
ALTER TABLE candidates ADD COLUMN evidence BLOB;
ALTER TABLE pages ADD COLUMN cached_from TEXT;
UPDATE meta SET value = '3' WHERE name = 'schema_version';
PRAGMA user_version = 3;
""",
    3: f"""
CREATE TABLE settled (candidate INTEGER PRIMARY KEY, more BLOB NOT NULL) {_STRICT};
INSERT INTO settled {_SETTLED_BEFORE};
UPDATE candidates SET evidence = substr(evidence, 1, 136) WHERE id IN (SELECT candidate FROM settled);
UPDATE meta SET value = '4' WHERE name = 'schema_version';
PRAGMA user_version = 4;
""",
}
# Who only reads may not upgrade: what records before a version lack is shown to him as they would have it now.
LACKING = {
    3: """
CREATE TEMP VIEW pages AS SELECT *, NULL AS cached_from FROM main.pages;
CREATE TEMP VIEW candidates AS SELECT *, NULL AS evidence FROM main.candidates;
""",
    4: f"CREATE TEMP VIEW settled AS {_SETTLED_BEFORE};",
}
