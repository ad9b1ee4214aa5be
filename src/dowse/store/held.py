"""Pages that earlier crawls hold: where each lies, in a few bytes a URL, and how one is read again.

What may be taken from there is a page that was fetched whole with status 200, or a redirect, that is not older than the
chosen age. Their fingerprints and row numbers are read in one scan of the folder's pages and stay in memory (13 bytes a
URL); everything else is looked up when a page is wanted: it may have aged, or its file may have been changed, and then
it is not held any more. Nothing is written to the folders, and one in which a crawl is running can be used as well.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dowse.model.errors import DowseError, StoreError
from dowse.model.http import Response, Timings, Truncation
from dowse.model.revive import typed
from dowse.model.url import fingerprint
from dowse.store.archive import all_archive_files
from dowse.store.current import connect_reader
from dowse.store.damage import FAULTS, damage_told
from dowse.store.times import iso, seconds
from dowse.store.warc import MOST_BYTES, read_back

__all__ = ["Held", "HeldPages"]

_BLOCK = 20_000  # rows at a time
_MOST_FOLDERS = 255
_USABLE = (
    "warc_file IS NOT NULL AND ((outcome = 'fetched' AND status = 200 AND truncated = '')"
    " OR (outcome = 'redirected' AND truncated IN ('', 'type')))"
)
_SCAN = (
    f"SELECT id, url, fetched_at FROM pages WHERE fetched_at >= ? AND {_USABLE}"
    " AND warc_file IN (SELECT value FROM json_each(?))"
)
_LOOK_UP = (
    "SELECT url, fetched_at, truncated, bytes, dns_s, connect_s, first_byte_s, total_s, warc_file, warc_offset"
    f" FROM pages WHERE id = ? AND {_USABLE}"
)
_NO_STORE = re.compile(r"(?i)(?:^|[\s,])no-store(?:$|[\s,])").search
_Rows = tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.float64]]  # fingerprints, row numbers, fetched when


@dataclass(frozen=True, slots=True)
class Held:
    """A page taken from an earlier crawl. ``response`` names the folder, and tells the wire bytes and timings of its
    download; ``fetched_at`` is when that was."""

    response: Response
    fetched_at: float


class HeldPages:
    """Finds and reads pages in the folders of earlier crawls; of several copies the newest counts. One thread at a
    time may :meth:`read`."""

    def __init__(
        self, folders: Sequence[Path], max_age_s: float, now_wall: float, most_bytes: int = MOST_BYTES
    ) -> None:  # fmt: skip
        """Scan the folders; NotACrawl when one of them holds no crawl, StoreError when it cannot be read. A record with
        more than ``most_bytes`` is not held."""
        if len(folders) > _MOST_FOLDERS:
            raise StoreError(f"{len(folders)} caches are too many: at most {_MOST_FOLDERS} can be used")
        self.folders = tuple(folders)
        self._max_age_s = max_age_s
        self._most_bytes = most_bytes
        self._connections: list[sqlite3.Connection] = []
        try:
            found = []
            for folder in folders:
                self._connections.append(connect_reader(folder))
                found.append(self._scan(self._connections[-1], folder, now_wall))
        except BaseException:
            self.close()
            raise
        self.counts = tuple(len(prints) for prints, _, _ in found)  # pages and redirects of each folder
        self._prints, self._ids, self._folder = _merged(found)

    def __len__(self) -> int:
        return len(self._prints)

    @property
    def nbytes(self) -> int:
        return int(self._prints.nbytes + self._ids.nbytes + self._folder.nbytes)

    def holds(self, url: str) -> bool:
        """Is there a copy of this canonical URL that seems usable?"""
        return self._place(url) is not None

    def forget(self, url: str) -> None:
        """Hold no copy of this URL any more: the one there was is of no use."""
        place = self._place(url)
        if place is not None:
            self._ids[place] = -1

    def read(self, url: str, now_wall: float) -> Held | None:
        """The copy; None when it has aged, is damaged, or asked not to be stored. Blocks: for a thread."""
        place = self._place(url)
        if place is None:
            return None
        number = int(self._folder[place])
        try:
            return self._look_up(url, number, int(self._ids[place]), now_wall)
        except (DowseError, OSError, *FAULTS):
            return None  # whatever became of the folder: the page is still on the web

    def close(self) -> None:
        """Let go of the folders."""
        for connection in self._connections:
            connection.close()

    # -- within --------------------------------------------------------------------------------------------------

    def _place(self, url: str) -> int | None:
        wanted = np.uint64(fingerprint(url))
        place = int(np.searchsorted(self._prints, wanted))
        if place < len(self._prints) and self._prints[place] == wanted and self._ids[place] >= 0:
            return place
        return None

    def _scan(self, connection: sqlite3.Connection, folder: Path, now_wall: float) -> _Rows:
        prints, ids, times = [], [], []
        with damage_told(folder):
            files = json.dumps(all_archive_files(folder))  # what lies in others cannot be had
            rows = connection.execute(_SCAN, (iso(max(0.0, now_wall - self._max_age_s)), files))
            while block := rows.fetchmany(_BLOCK):
                numbers, urls, when = zip(*block, strict=True)
                ids.append(np.array(numbers, np.int32))
                prints.append(np.fromiter(map(fingerprint, urls), np.uint64, len(urls)))
                times.append(np.fromiter(map(seconds, when), np.float64, len(when)))
        none = (np.empty(0, np.uint64), np.empty(0, np.int32), np.empty(0))
        return (np.concatenate(prints), np.concatenate(ids), np.concatenate(times)) if prints else none

    def _look_up(self, url: str, folder: int, id_: int, now_wall: float) -> Held | None:
        row = self._connections[folder].execute(_LOOK_UP, (id_,)).fetchone()
        if row is None or row[0] != url:  # the records were replaced, or two URLs share a fingerprint
            return None
        _, when, truncated, wire_bytes, dns_s, connect_s, first_byte_s, total_s, file, offset = row
        fetched_at = seconds(when)
        if now_wall - fetched_at > self._max_age_s:
            return None
        response = read_back(self.folders[folder], file, offset, self._most_bytes)
        if response.url != url or any(map(_NO_STORE, response.header_values("Cache-Control"))):
            return None
        if type(wire_bytes) is not int or not 0 <= wire_bytes < 1 << 53:
            return None
        times = typed(Timings, dns_s=dns_s, connect_s=connect_s, first_byte_s=first_byte_s, total_s=total_s)
        response = replace(
            response, wire_bytes=wire_bytes, truncated=Truncation(truncated), timings=times,
            cached_from=str(self.folders[folder]),
        )  # fmt: skip
        return Held(response, fetched_at)


def _merged(found: Sequence[_Rows]) -> tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.uint8]]:
    """Sorted fingerprints, and the row and the folder of the newest page of each."""
    prints = np.concatenate([rows[0] for rows in found])
    ids = np.concatenate([rows[1] for rows in found])
    times = np.concatenate([rows[2] for rows in found])
    folder = np.repeat(np.arange(len(found), dtype=np.uint8), [len(rows[0]) for rows in found])
    order = np.lexsort((-times, prints))
    prints = prints[order]
    first = np.ones(len(prints), np.bool_)
    first[1:] = prints[1:] != prints[:-1]
    order = order[first]
    return prints[first], ids[order], folder[order]
