"""The records of a WARC file, whoever wrote it: in order, or one by its place.

A file may hold one gzip member a record (as the standard asks), one for all, or be plain. Files are cut by crashes and
full disks: what cannot be read is passed over and counted, and reading goes on where the next record may begin.
"""

from __future__ import annotations

import re
import zlib
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from dowse.model.errors import UserError

__all__ = ["Record", "RecordFile", "read_record"]

_GZIP = 31  # window bits of zlib: 15, and 16 for the gzip wrapper
_MAGIC = b"\x1f\x8b\x08"
_READ_BYTES = 1 << 18
_PIECE_BYTES = 1 << 20  # the most that is inflated at a time
_MAX_HEAD = 1 << 18
_MAX_BLOCK = 1 << 26  # a longer one is no page
_head_end = re.compile(rb"\r?\n\r?\n").search
_blank = re.compile(rb"\s*").match
_LOOK_BACK = 8  # as long as what is searched for
_next_start = re.compile(rb"(?<=\n)WARC/[01]\.").search


@dataclass(frozen=True, slots=True)
class Record:
    """One record, ``skip`` bytes into what is inflated from ``offset`` on (0: it has a gzip member of its own).

    Header names are in lower case; of several with one name the first counts.
    """

    headers: dict[str, str]
    block: bytes
    offset: int
    skip: int

    @property
    def kind(self) -> str:
        """The record's type: response, request, ..."""
        return self.headers.get("warc-type", "").lower()


class RecordFile:
    """Iterates over the records of one file from a place on. Raises UserError when the file cannot be read.

    ``checked``: a record whose gzip member is broken behind it counts as broken. ``alone``: where there is no record at
    the place, nothing is looked for behind it.
    """

    def __init__(
        self, path: Path, offset: int = 0, skip: int = 0, *, checked: bool = True, alone: bool = False
    ) -> None:  # fmt: skip
        self.path = path
        self._checked = checked
        self._alone = alone
        self.bad = 0  # records that could not be read
        self.at = offset  # bytes of the file read so far
        self._start = offset
        self._skip = skip
        self._buffer = bytearray()
        self._first = 0  # bytes that were in the buffer and are not any more
        self._members: deque[tuple[int, int]] = deque()  # (first inflated byte, place in the file), in order
        self._run_over = self._file_over = False

    def __iter__(self) -> Iterator[Record]:
        try:
            with self.path.open("rb") as stream, closing(self._fill(stream)) as self._filling:
                while self._first < self._skip and self._wait_for(1):
                    self._drop(min(len(self._buffer), self._skip - self._first))
                while not self._file_over:
                    self._run_over = False
                    yield from self._run()
                    self._drop(len(self._buffer))
        except OSError as error:
            raise UserError(f"cannot read {self.path}: {error.strerror or error}") from error

    # -- bytes to records ------------------------------------------------------------------------------------------

    def _run(self) -> Iterator[Record]:
        """The records up to a break in the file, or its end."""
        buffer = self._buffer
        while self._wait_for(1):
            blank = _blank(buffer)
            self._drop(blank.end() if blank else 0)
            if not buffer:
                continue
            head = self._wait_for_head()
            headers = _headers(bytes(buffer[: head.start()])) if head and buffer.startswith(b"WARC/") else {}
            length = _length(headers)
            if head is None or not 0 <= length <= _MAX_BLOCK or not self._whole(end := head.end() + length):
                if self._alone:
                    self._file_over = True
                    return
                self._lose()
                continue
            yield Record(headers, bytes(buffer[head.end() : end]), *self._place())
            self._drop(end)

    def _whole(self, end: int) -> bool:
        """Is the record there up to its end? Behind that stand two empty lines and the checksum of its member, which
        is verified once a byte of the next member is there."""
        if not self._checked or self._wait_for(end + 5) or self._file_over:
            return self._wait_for(end)
        return False

    def _wait_for(self, count: int) -> bool:
        """Have so many bytes in the buffer; False when the run ends before."""
        while len(self._buffer) < count:
            if self._run_over:
                return False
            going_on = next(self._filling, None)
            self._file_over = going_on is None
            self._run_over = not going_on
        return True

    def _wait_for_head(self) -> re.Match[bytes] | None:
        found, searched = None, 0
        while found is None and searched < _MAX_HEAD:
            found = _head_end(self._buffer, searched)
            searched = max(0, len(self._buffer) - 4)
            if found is None and not self._wait_for(len(self._buffer) + 1):
                break
        return found

    def _lose(self) -> None:
        """Pass over what is no record, up to where one may begin."""
        self.bad += not self._run_over or self._file_over  # a break in the file is counted where it is met
        while (found := _next_start(self._buffer, 1)) is None:
            self._drop(max(0, len(self._buffer) - _LOOK_BACK))
            if not self._wait_for(len(self._buffer) + 1):
                return self._drop(len(self._buffer))
        return self._drop(found.start())

    def _drop(self, count: int) -> None:
        del self._buffer[:count]
        self._first += count
        while len(self._members) > 1 and self._members[1][0] <= self._first:
            self._members.popleft()

    def _place(self) -> tuple[int, int]:
        if not self._members:
            return self._start + self._first, 0
        first, offset = self._members[0]
        return offset, self._first - first

    # -- the file to bytes -----------------------------------------------------------------------------------------

    def _fill(self, stream: BinaryIO) -> Generator[bool, None, None]:
        """Fills the buffer a piece a step: True, or False where what follows does not join what came before."""
        stream.seek(self._start)
        raw = stream.read(_READ_BYTES)
        if raw.startswith(_MAGIC):
            yield from self._inflate(stream, raw)
            return
        while raw:
            self._buffer += raw
            self.at += len(raw)
            yield True
            raw = stream.read(_READ_BYTES)

    def _inflate(self, stream: BinaryIO, raw: bytes) -> Generator[bool, None, None]:
        while raw:
            member = self.at
            self._members.append((self._first + len(self._buffer), member))
            inflate = zlib.decompressobj(_GZIP)
            try:
                while raw and not inflate.eof:
                    size = len(raw)
                    self._buffer += inflate.decompress(raw, _PIECE_BYTES)
                    raw = inflate.unused_data if inflate.eof else inflate.unconsumed_tail
                    self.at += size - len(raw)
                    yield True
                    raw = raw or stream.read(_READ_BYTES)
                broken = not inflate.eof  # the file ends before it does
            except zlib.error:
                broken = True
            if broken:
                self.bad += 1
                yield False
                stream.seek(member + 1)
                raw, self.at = stream.read(_READ_BYTES), member + 1
            raw = self._next_member(stream, raw, told=broken)

    def _next_member(self, stream: BinaryIO, raw: bytes, *, told: bool) -> bytes:
        """What is to be inflated next, from the beginning of a member on; empty when there is none. What is passed
        over counts as a broken record, unless it is padding or what is broken was ``told``."""
        noise = False
        while (found := raw.find(_MAGIC)) < 0 and (more := stream.read(_READ_BYTES)):
            passed = max(0, len(raw) - 2)  # the mark may stand across the border
            noise = noise or any(raw[:passed])
            self.at += passed
            raw = raw[passed:] + more
        passed = found if found >= 0 else len(raw)
        self.bad += not told and (noise or any(raw[:passed]))
        self.at += passed
        return raw[passed:]


def _headers(head: bytes) -> dict[str, str]:
    """
    >>> _headers(b"WARC/1.0\\r\\nWARC-Type: response\\r\\nContent-Length: 5")
    {'warc-type': 'response', 'content-length': '5'}
    """
    found: dict[str, str] = {}
    for line in head.decode("utf-8", "replace").splitlines()[1:]:
        name, _, value = line.partition(":")
        found.setdefault(name.strip().lower(), value.strip())
    return found


def _length(headers: dict[str, str]) -> int:
    text = headers.get("content-length", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else -1


def read_record(path: Path, offset: int, skip: int = 0) -> Record:
    """The record at a place; UserError when there is none (any more)."""
    with closing(iter(RecordFile(path, offset, skip, checked=False, alone=True))) as records:  # type: ignore[type-var]
        record = next(records, None)
    if record is None or (record.offset, record.skip) != (offset, skip):
        raise UserError(f"{path} holds no record at byte {offset}: the file was changed")
    return record
