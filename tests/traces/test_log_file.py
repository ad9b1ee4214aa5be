"""Lines of logs that are plain, packed, cut off, damaged, or made to be too much."""

from __future__ import annotations

import gzip
import random
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from dowse.traces.readers.log_file import HalfLine, LogFile, TooLong

DICE = random.Random(7)
LINES = [f"{number} {DICE.random()} {DICE.random()}".encode() for number in range(4_000)]
LOG = b"".join(line + b"\n" for line in LINES)
HALVES = LOG[: len(LOG) // 2], LOG[len(LOG) // 2 :]


def lines(path: Path, data: bytes) -> tuple[list[bytes], str]:
    path.write_bytes(data)
    with LogFile(path) as log:
        return list(log.lines(lambda done: None)), log.fault


def zstd_in_blocks(data: bytes) -> bytes:
    """As a program that is still writing leaves it: what was flushed can be read."""
    packer = zstandard.ZstdCompressor(write_checksum=True).compressobj()
    parts = [
        packer.compress(data[start : start + 5_000]) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        for start in range(0, len(data), 5_000)
    ]
    return b"".join(parts) + packer.flush()


def gunzipped(data: bytes) -> bytes:
    return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data)


def unpacked(data: bytes) -> bytes:
    return zstandard.ZstdDecompressor().decompressobj().decompress(data)


@pytest.mark.parametrize("packed", [
    LOG, gzip.compress(LOG), zstd_in_blocks(LOG), gzip.compress(HALVES[0]) + gzip.compress(HALVES[1]),
    zstandard.compress(HALVES[0]) + zstandard.compress(HALVES[1]), gzip.compress(LOG) + bytes(1000),
    gzip.compress(b"") + gzip.compress(LOG), LOG.replace(b"\n", b"\r\n"), LOG.replace(b"\n", b"\n\n"),
])  # fmt: skip
def test_all_lines_come_however_they_are_packed(packed: bytes, tmp_path: Path) -> None:
    assert lines(tmp_path / "log", packed) == (LINES, "")


@pytest.mark.parametrize(("pack", "literal"), [(gzip.compress, gunzipped), (zstd_in_blocks, unpacked)])
def test_what_a_log_has_before_it_is_cut_off_is_read_and_the_cut_told(
    pack: Callable[[bytes], bytes], literal: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    packed = pack(LOG)
    for cut in (5, 50, 1000, 7_777, len(packed) // 2, len(packed) - 9, len(packed) - 1):
        found, fault = lines(tmp_path / "log", packed[:cut])
        assert found == literal(packed[:cut]).split(b"\n")[:-1], "the last one is half"
        assert fault == "it ends before its end: it was cut off, or is still being written"
    assert len(found) == len(LINES)


@pytest.mark.parametrize("pack", [gzip.compress, zstd_in_blocks])
def test_what_comes_before_damage_is_read(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    packed = bytearray(pack(LOG))
    place = len(packed) // 2
    packed[place : place + 40] = bytes(40)
    found, fault = lines(tmp_path / "log", bytes(packed))
    assert fault
    assert len(LINES) * 0.4 < len(found), "gzip may go on with garbage, which its check finds out at the end"
    assert found[: int(len(LINES) * 0.4)] == LINES[: int(len(LINES) * 0.4)]


def test_what_follows_a_packed_log_is_told(tmp_path: Path) -> None:
    found, fault = lines(tmp_path / "log", gzip.compress(LOG) + b"more")
    assert (found, bool(fault)) == (LINES, True)


def test_a_line_that_nothing_ends_is_marked(tmp_path: Path) -> None:
    for pack in (bytes, gzip.compress, zstandard.compress):
        found, fault = lines(tmp_path / "log", pack(b"one\ntwo\nthr"))
        assert (found, fault) == ([b"one", b"two", b"thr"], "")
        assert [type(line) is HalfLine for line in found] == [False, False, True]


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
@pytest.mark.parametrize("what", [b"\0", b"\n", b"a\n"])
def test_a_bomb_takes_little_memory(pack: Callable[[bytes], bytes], what: bytes, tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(pack(what * ((1 << 26) // len(what))))
    tracemalloc.start()
    try:
        with LogFile(tmp_path / "log") as log:
            kinds = {type(line) for line in log.lines(lambda done: None)}
        assert tracemalloc.get_traced_memory()[1] < 48_000_000
    finally:
        tracemalloc.stop()
    assert kinds == {b"\0": {TooLong}, b"\n": set(), b"a\n": {bytes}}[what]
