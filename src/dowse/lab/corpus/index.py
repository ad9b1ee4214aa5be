"""The index of a corpus: what is known of each recorded URL, and where its record lies.

One row a URL. Of several records of one URL the one with the best status counts, 2xx before 3xx before all others;
among equals the first, files taken in the order of their names. The number of a row is the number of its page
everywhere in the lab.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.engine.exchange.recorded_exchange import KINDS, read_http, read_response, target_of
from dowse.lab.corpus.code_version import source_version
from dowse.model.arrays import ArrayFile, StringFile, Strings, load_array, load_strings
from dowse.model.errors import StoreError, UserError
from dowse.model.http import REDIRECTS, Response, Timings
from dowse.model.url import Base, fingerprint
from dowse.store import CrawlReader
from dowse.store.sharded import check_archive_name, holds_crawl
from dowse.store.warc_records import Record, RecordFile, read_record

__all__ = ["INDEX_VERSION", "Index", "Progress", "load_index", "write_index"]

INDEX_VERSION = source_version(
    "model/url.py", "lab/corpus", "store/warc_records.py", "engine/exchange/recorded_exchange.py"
)[:16]

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and of how much: bytes of the archive, or pages."""

_COLUMNS: dict[str, type[np.generic]] = {
    "file": np.int32, "offset": np.int64, "skip": np.int64,
    "body_file": np.int32, "body_offset": np.int64, "body_skip": np.int64,
    "status": np.int16, "wire_bytes": np.int64, "body_bytes": np.int64, "first_byte_s": np.float32,
    "total_s": np.float32,
}  # fmt: skip
_META = "index.json"


@dataclass(frozen=True, slots=True)
class Index:
    """Columns, one value a URL. A time that was not recorded is NaN."""

    folder: Path
    files: tuple[str, ...]
    urls: Strings  # canonical
    fingerprints: NDArray[np.uint64]
    content_types: Strings  # lower case, without parameters
    locations: Strings  # where a redirect leads, canonical; else empty
    columns: dict[str, NDArray[Any]]
    skipped: dict[str, int]  # records that are not in the index: why -> how many

    def __len__(self) -> int:
        return len(self.urls)

    def response(self, number: int) -> Response:
        """The recorded response. UserError when the files are not what they were."""
        return self._response(number, self._record(number, ""))

    def responses(self, numbers: Sequence[int]) -> Iterator[tuple[int, Response]]:
        """Several, by their numbers in ascending order. Records that share a gzip member are read in one go: each by
        itself would be inflated from the member's beginning."""
        places = {name: self.columns[name] for name in ("file", "offset", "skip")}
        for file, group in groupby(numbers, key=lambda number: int(places["file"][number])):
            wanted = list(group)
            if not places["skip"][wanted].any():
                yield from ((number, self.response(number)) for number in wanted)
                continue
            by_place = {(int(places["offset"][number]), int(places["skip"][number])): number for number in wanted}
            for record in RecordFile(self.folder / self.files[file], *min(by_place)):
                number = by_place.pop((record.offset, record.skip), None)
                if number is not None:
                    yield number, self._response(number, record)
                if not by_place:
                    break
            if by_place:
                raise self._changed(file)

    def _response(self, number: int, record: Record) -> Response:
        original = self._record(number, "body_") if record.kind == "revisit" else None
        response = read_response(record, self.urls[number], original)
        if response is None:
            raise self._changed(int(self.columns["file"][number]))  # it could be read when the index was made
        first_byte_s, total_s = (float(self.columns[name][number]) for name in ("first_byte_s", "total_s"))
        return replace(
            response,
            wire_bytes=int(self.columns["wire_bytes"][number]),
            timings=Timings(first_byte_s=np.nan_to_num(first_byte_s), total_s=np.nan_to_num(total_s)),
        )

    def _changed(self, file: int) -> UserError:
        return UserError(f"{self.folder / self.files[file]} was changed while it was read: start anew")

    def _record(self, number: int, of: str) -> Record:
        file, offset, skip = (int(self.columns[of + name][number]) for name in ("file", "offset", "skip"))
        return read_record(self.folder / self.files[file], offset, skip)


@dataclass(slots=True)
class _Row:
    url: str
    place: tuple[int, int, int]
    payload: tuple[int, int, int]  # where the body lies
    status: int
    content_type: str
    location: str
    wire_bytes: int
    body_bytes: int
    total_s: float = math.nan

    @property
    def rank(self) -> int:
        """Which of several records of one URL counts: the lowest."""
        return 0 if 200 <= self.status < 300 else 1 if 300 <= self.status < 400 else 2


class _Indexer:
    def __init__(self) -> None:
        self.rows: list[_Row] = []
        self.skipped: dict[str, int] = {}
        self._by_id: dict[str, _Row] = {}  # WARC-Record-ID
        self._payloads: dict[str, tuple[tuple[int, int, int], int, int]] = {}  # digest -> place, wire and body bytes

    def skip(self, why: str, count: int = 1) -> None:
        if count:
            self.skipped[why] = self.skipped.get(why, 0) + count

    def take(self, record: Record, file: int) -> None:
        if record.kind == "metadata":
            self._time(record)
            return
        if record.kind not in KINDS:
            return
        url = target_of(record)
        if url is None:
            return
        revisit = record.kind == "revisit"
        response = read_http(record, url) if revisit else read_response(record, url)
        if response is None:
            self.skip("not an HTTP response")
            return
        place = (file, record.offset, record.skip)
        digest = record.headers.get("warc-payload-digest", "")
        own = (place, response.wire_bytes, len(response.body))
        if revisit and digest not in self._payloads:
            self.skip("revisits of what is not here")
            return
        if digest and not revisit:
            self._payloads.setdefault(digest, own)
        payload, wire_bytes, body_bytes = self._payloads[digest] if revisit else own
        row = _Row(url, place, payload, response.status, _media_type(response), _location(response), wire_bytes,
                   body_bytes)  # fmt: skip
        self._by_id[record.headers.get("warc-record-id", "")] = row
        self.rows.append(row)

    def _time(self, record: Record) -> None:
        """Dowse and Heritrix tell the time of the exchange in a metadata record of the response."""
        about = record.headers.get("warc-concurrent-to") or record.headers.get("warc-refers-to", "")
        row = self._by_id.get(about)
        if row is None:
            return
        for line in record.block.decode("utf-8", "replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "fetchTimeMs" and value.strip().isdecimal():
                row.total_s = int(value) / 1000

    def chosen(self) -> list[_Row]:
        """One row a URL, in the order of their records."""
        best: dict[str, _Row] = {}
        for row in self.rows:
            known = best.get(row.url)
            if known is None or row.rank < known.rank:
                best[row.url] = row
        self.skip("other records of a URL", len(self.rows) - len(best))
        return sorted(best.values(), key=lambda row: row.place)


def _media_type(response: Response) -> str:
    return (response.header("Content-Type") or "").partition(";")[0].strip().lower()


def _location(response: Response) -> str:
    if response.status not in REDIRECTS:
        return ""
    return Base(response.url).join(response.header("Location") or "") or ""


def write_index(corpus: Path, files: Sequence[Path], folder: Path, progress: Progress | None = None) -> None:
    """Read every record of the files of a corpus, and write what the index knows into ``folder``."""
    indexer = _Indexer()
    sizes = [path.stat().st_size for path in files]
    for number, path in enumerate(files):
        records = RecordFile(path)
        for record in records:
            indexer.take(record, number)
            if progress is not None:
                progress("indexing", sum(sizes[:number]) + records.at, sum(sizes))
        indexer.skip("unreadable", records.bad)
    rows = indexer.chosen()
    values: dict[str, list[Any]] = {
        "file": [row.place[0] for row in rows],
        "offset": [row.place[1] for row in rows],
        "skip": [row.place[2] for row in rows],
        "body_file": [row.payload[0] for row in rows],
        "body_offset": [row.payload[1] for row in rows],
        "body_skip": [row.payload[2] for row in rows],
        "status": [row.status for row in rows],
        "wire_bytes": [row.wire_bytes for row in rows],
        "body_bytes": [row.body_bytes for row in rows],
        "first_byte_s": [math.nan] * len(rows),
        "total_s": [row.total_s for row in rows],
    }
    for name, dtype in _COLUMNS.items():
        _write(ArrayFile(folder, name, dtype), values[name])
    _write(ArrayFile(folder, "fingerprints", np.uint64), [fingerprint(row.url) for row in rows])
    _write(StringFile(folder, "urls"), [row.url for row in rows])
    _write(StringFile(folder, "content_types"), [row.content_type for row in rows])
    _write(StringFile(folder, "locations"), [row.location for row in rows])
    meta = {"files": [str(path.relative_to(corpus)) for path in files], "skipped": indexer.skipped}
    (folder / _META).write_text(json.dumps(meta), encoding="utf-8")


def _write(file: ArrayFile | StringFile, values: list[Any]) -> None:
    with file:
        file.append(values)


def load_index(corpus: Path, folder: Path) -> Index:
    """The index kept in ``folder``. Times and sizes that a Dowse crawl has in its records count before those of the
    archive, which knows less."""
    meta = json.loads((folder / _META).read_text(encoding="utf-8"))
    columns = {name: load_array(folder, name) for name in _COLUMNS}
    files = tuple(map(str, meta["files"]))
    try:
        for name in files:
            check_archive_name(name)
    except StoreError as error:
        raise ValueError("it names files elsewhere") from error
    if holds_crawl(corpus):
        columns = _with_records(corpus, files, columns)
    return Index(
        corpus, files, load_strings(folder, "urls"), load_array(folder, "fingerprints"),
        load_strings(folder, "content_types"), load_strings(folder, "locations"), columns, meta["skipped"],
    )  # fmt: skip


def _with_records(corpus: Path, files: Sequence[str], columns: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    numbers = {name: number for number, name in enumerate(files)}
    with CrawlReader(corpus) as crawl:
        known = {(numbers[file], offset): values for file, offset, *values in crawl.exchanges() if file in numbers}
    changed = {name: columns[name].copy() for name in ("wire_bytes", "first_byte_s", "total_s")}
    for row, place in enumerate(zip(columns["file"].tolist(), columns["offset"].tolist(), strict=True)):
        if place in known:
            for column, value in zip(changed.values(), known[place], strict=True):
                column[row] = value
    return columns | changed
