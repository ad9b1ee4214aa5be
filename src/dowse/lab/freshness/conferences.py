"""Listings of conferences, recorded over years (confs.tech), as a web: a page a year and subject, and one that links to
all of them."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Any

from dowse.lab.freshness.changing_web import ChangingWeb, Version
from dowse.model.errors import UserError

__all__ = ["ENTRY", "LISTINGS", "conferences_web"]

ENTRY = "http://conferences.test/"
LISTINGS = "versions.jsonl.xz"
_FIELDS = ("startDate", "endDate", "city", "country", "cfpEndDate", "twitter", "url")


def conferences_web(path: Path) -> ChangingWeb:
    """The web of ``versions.jsonl.xz``: ``{time, page, status, items}`` a line. UserError where it is none."""
    versions: dict[str, list[Version]] = {}
    try:
        with lzma.open(path, "rt", encoding="utf-8") as stream:
            for row in _rows(stream):
                name = str(row["page"]).removeprefix("conferences/").removesuffix(".json")
                at = datetime.fromisoformat(str(row["time"]).replace("Z", "+00:00")).timestamp()
                body = None if row.get("status") == "D" else _listing(name, row.get("items"))
                versions.setdefault(f"{ENTRY}{name}", []).append((at, body))
    except (OSError, EOFError, lzma.LZMAError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"cannot read {path} as versions of listings: {error}") from error
    return ChangingWeb({**versions, ENTRY: list(_entry(versions))})


def _rows(stream: Any) -> Iterator[dict[str, Any]]:
    for line in stream:
        if line.strip():
            row = json.loads(line)
            if not isinstance(row, dict):
                raise TypeError("a line is no table")
            yield row


def _entry(versions: dict[str, list[Version]]) -> Iterator[Version]:
    """The page that links to all that have begun, anew with each."""
    begun: list[str] = []
    for at, url in sorted((min(at for at, _ in found), url) for url, found in versions.items()):
        begun.append(url)
        links = "".join(f'<li><a href="{escape(each)}">{escape(each[len(ENTRY) :])}</a>' for each in begun)
        yield at, f"<title>Conferences</title><h1>Conferences</h1><ul>{links}</ul>".encode()


def _listing(name: str, recorded: Any) -> bytes:
    items = [item for item in recorded or [] if isinstance(item, dict)]  # some were broken for a day
    year, _, subject = name.partition("/")
    rows = "".join(
        f"<h2>{escape(str(item.get('name', '')))}</h2>"
        + "".join(f"<p>{field}: {escape(str(item[field]))}</p>" for field in _FIELDS if item.get(field))
        for item in items
    )
    title = f"{escape(subject)} conferences in {escape(year)}"
    return f"<title>{title}</title><p><a href='/'>All conferences</a><h1>{title}</h1>{rows}".encode()
