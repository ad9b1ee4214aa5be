from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from dowse.model.errors import StoreError
from dowse.store.archive import Archive
from dowse.store.warc import compose, read_response
from tests.store.made import WALL, body, response, warc_records

FIRST, SECOND = "dowse-00000.warc.gz", "dowse-00001.warc.gz"


def test_pages_lie_where_it_says(tmp_path: Path) -> None:
    archive = Archive(tmp_path, {}, {"software": "dowse"})
    places = [archive.append(compose(response(n), WALL + n), 1, WALL) for n in range(5)]
    archive.sync()
    archive.close()
    size = (tmp_path / FIRST).stat().st_size
    assert archive.lengths == {FIRST: size}
    data = (tmp_path / FIRST).read_bytes()
    for n, (file, offset, length) in enumerate(places):
        assert (file, offset is not None, length is not None) == (FIRST, True, True)
        assert read_response(tmp_path, FIRST, offset or 0)[1] == body(n)
        assert gzip.decompress(data[offset or 0 :][: length or 0]).startswith(b"WARC/1.1")
    kinds = [record.rec_type for record in warc_records(tmp_path / FIRST)]
    assert kinds == ["warcinfo"] + ["request", "response"] * 5


def test_the_response_may_follow_redirect_hops(tmp_path: Path) -> None:
    archive = Archive(tmp_path, {}, {})
    hops = compose(response(1, status=301), WALL) + compose(response(2), WALL, {"depth": 1})
    place = archive.append(hops, 3, WALL)
    archive.sync()
    archive.close()
    assert place.offset is not None
    assert read_response(tmp_path, FIRST, place.offset)[1] == body(2)


def test_a_new_file_starts_when_one_is_full(tmp_path: Path) -> None:
    archive = Archive(tmp_path, {}, {}, file_bytes=1500)
    files = [archive.append(compose(response(n), WALL + n), 1, WALL).file for n in range(8)]
    archive.sync()
    archive.close()
    assert len(set(files)) > 2
    for name in set(files):
        assert name is not None
        kinds = [record.rec_type for record in warc_records(tmp_path / name)]
        assert kinds == ["warcinfo"] + ["request", "response"] * files.count(name)
    assert archive.lengths == {path.name: path.stat().st_size for path in tmp_path.iterdir()}


def test_a_full_file_is_not_opened_again(tmp_path: Path) -> None:
    archive = Archive(tmp_path, {}, {}, file_bytes=100)
    archive.append(compose(response(1), WALL), 1, WALL)
    archive.sync()
    archive.close()
    again = Archive(tmp_path, archive.lengths, {}, file_bytes=100)
    assert again.append(compose(response(2), WALL), 1, WALL).file == SECOND
    again.sync()
    again.close()


def test_opening_cuts_tails_and_removes_only_our_newer_files(tmp_path: Path) -> None:
    archive = Archive(tmp_path, {}, {})
    archive.append(compose(response(1), WALL), 1, WALL)
    archive.sync()
    archive.close()
    committed = dict(archive.lengths)
    whole = (tmp_path / FIRST).read_bytes()
    with (tmp_path / FIRST).open("ab") as stream:
        stream.write(compose(response(2), WALL)[0][:50])
    (tmp_path / SECOND).write_bytes(b"begun")
    strangers = ["other-00001.warc.gz", "dowse-00001.warc.gz.bak", "dowse-1.warc.gz", "notes.txt"]
    for name in strangers:
        (tmp_path / name).write_bytes(b"mine")

    Archive(tmp_path, committed, {}).close()
    assert (tmp_path / FIRST).read_bytes() == whole
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([FIRST, *strangers])


def test_cut_goes_back_and_appending_goes_on(tmp_path: Path) -> None:
    archive = Archive(tmp_path, {}, {}, file_bytes=1500)
    archive.append(compose(response(1), WALL), 1, WALL)
    archive.sync()
    committed = dict(archive.lengths)
    for n in range(2, 9):
        archive.append(compose(response(n), WALL), 1, WALL)
    archive.sync()
    assert len(list(tmp_path.iterdir())) > 1
    archive.cut(committed)
    assert {path.name: path.stat().st_size for path in tmp_path.iterdir()} == committed == archive.lengths
    place = archive.append(compose(response(9), WALL), 1, WALL)
    archive.sync()
    archive.close()
    assert place.file is not None
    assert read_response(tmp_path, place.file, place.offset or 0)[1] == body(9)


def test_a_file_that_lost_committed_bytes_is_an_error(tmp_path: Path) -> None:
    (tmp_path / FIRST).write_bytes(b"12345")
    with pytest.raises(StoreError, match="5 bytes of the 10 recorded"):
        Archive(tmp_path, {FIRST: 10}, {})
    with pytest.raises(StoreError, match="is gone"):
        Archive(tmp_path, {SECOND: 10}, {})
