"""An archive with several versions of its pages is a web that changes."""

from __future__ import annotations

from pathlib import Path

from dowse.engine.exchange.recorded_exchange import read_response, target_of
from dowse.lab.freshness.changing_web import ChangingWeb, Version
from dowse.model.errors import UserError
from dowse.store.sharded import parts_of
from dowse.store.times import seconds
from dowse.store.warc_records import RecordFile

__all__ = ["archived_web"]

_GONE = frozenset((404, 410))


def archived_web(folder: Path) -> ChangingWeb:
    """The web of a folder's WARC files, whoever wrote them: each response is a version from its date on, and a page
    that was not found is gone. A revisit says that what it repeats is there (again)."""
    files = [path for part in parts_of(folder) for path in sorted(part.glob("*.warc.gz"))]
    if not files:
        raise UserError(f"{folder} holds no WARC files (*.warc.gz)")
    versions: dict[str, list[Version]] = {}
    bodies: dict[str, bytes] = {}  # by digest
    for path in files:
        for record in RecordFile(path):
            url = target_of(record) if record.kind in ("response", "revisit") else None
            if url is None:
                continue
            at, digest = _date(record.headers.get("warc-date", "")), record.headers.get("warc-payload-digest", "")
            if record.kind == "revisit":
                if digest in bodies:
                    versions.setdefault(url, []).append((at, bodies[digest]))
                continue
            response = read_response(record, url)
            if response is None or (response.status != 200 and response.status not in _GONE):
                continue
            body = response.body if response.status == 200 else None
            versions.setdefault(url, []).append((at, body))
            if body is not None and digest:
                bodies[digest] = body
    return ChangingWeb(versions)


def _date(text: str) -> float:
    try:
        return seconds(text)
    except (TypeError, ValueError):
        return 0.0  # it was always so
