from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from dowse.model.errors import UserError
from dowse.store.warc_records import Record, RecordFile, read_record
from tests.lab.corpus.made import as_one_member, demo_pages, odd_pages, write_warc

WGET = Path(__file__).parents[1] / "lab" / "corpus" / "wget"


def by_warcio(path: Path) -> list[tuple[str, str | None, bytes]]:
    with path.open("rb") as stream:
        records = ArchiveIterator(stream, no_record_parse=True)
        return [(record.rec_type, record.rec_headers["WARC-Record-ID"], record.raw_stream.read()) for record in records]


def ours(records: RecordFile | list[Record]) -> list[tuple[str, str | None, bytes]]:
    return [(record.kind, record.headers.get("warc-record-id"), record.block) for record in records]


@pytest.fixture(params=["members", "plain", "one member", "wget"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "wget":
        return WGET / "first.warc.gz"
    path = write_warc(tmp_path / "x.warc.gz", odd_pages(), compress=request.param != "plain")
    if request.param == "one member":
        as_one_member(path)
    return path


def test_records_are_those_that_warcio_reads(path: Path, tmp_path: Path) -> None:
    records = RecordFile(path)
    found = ours(records)
    assert records.bad == 0
    assert records.at == path.stat().st_size
    data = path.read_bytes()
    plain = tmp_path / "plain.warc"  # warcio reads compressed files only with a member a record
    plain.write_bytes(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    assert found == by_warcio(plain)
    assert len(found) > 10


def test_each_record_is_found_again_by_its_place(path: Path) -> None:
    for record in RecordFile(path):
        assert read_record(path, record.offset, record.skip) == record


def test_long_records_and_one_large_member(tmp_path: Path) -> None:
    path = write_warc(tmp_path / "x.warc.gz", demo_pages(80))
    as_one_member(path)
    records = list(RecordFile(path))
    assert len({(record.offset, record.skip) for record in records}) == len(records) == 161
    assert {record.offset for record in records} == {0}


@pytest.mark.parametrize("compress", [True, False])
def test_a_file_cut_anywhere_gives_its_whole_records(tmp_path: Path, compress: bool) -> None:
    path = write_warc(tmp_path / "x.warc.gz", odd_pages(), compress=compress)
    whole, data = ours(RecordFile(path)), path.read_bytes()
    dice = random.Random(5)
    for size in [0, 1, len(data) - 1, *(dice.randrange(len(data)) for _ in range(60))]:
        path.write_bytes(data[:size])
        records = RecordFile(path)
        found = ours(records)
        assert found == whole[: len(found)]
        assert records.bad <= 1


@pytest.mark.parametrize("compress", [True, False])
def test_broken_bytes_cost_the_records_they_are_in(tmp_path: Path, compress: bool) -> None:
    path = write_warc(tmp_path / "x.warc.gz", odd_pages(), compress=compress)
    whole, data = ours(RecordFile(path)), path.read_bytes()
    dice = random.Random(7)
    for _ in range(60):
        start = dice.randrange(len(data))
        broken = data[:start] + dice.randbytes(20) + data[start + 20 :]
        path.write_bytes(broken)
        records = RecordFile(path)
        kept = [record for record in ours(records) if record in whole]
        assert len(kept) >= len(whole) - 3
        assert len(kept) == len(whole) or records.bad or not compress


def test_noise_between_records_is_passed_over(tmp_path: Path) -> None:
    path = write_warc(tmp_path / "x.warc.gz", odd_pages())
    whole, data = ours(RecordFile(path)), path.read_bytes()
    path.write_bytes(data + bytes(1000) + data)
    records = RecordFile(path)
    assert ours(records) == whole * 2
    assert records.bad == 0
    path.write_bytes(b"\r\nnoise\r\n" + gzip.decompress(data))
    records = RecordFile(path)
    assert ours(records) == whole
    assert records.bad == 1


def test_what_is_not_there_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot read"):
        list(RecordFile(tmp_path / "none.warc.gz"))
    path = write_warc(tmp_path / "x.warc.gz", odd_pages())
    with pytest.raises(UserError, match="no record at byte 3"):
        read_record(path, 3)
