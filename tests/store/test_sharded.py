"""Folders of sharded crawls: what is in them, and what is not let in."""

from __future__ import annotations

from pathlib import Path

import pytest

from dowse.model.errors import NotPlain, StoreError
from dowse.store.archive import all_archive_files
from dowse.store.sharded import (
    archive_path,
    check_archive_name,
    holds_crawl,
    is_sharded,
    parts_of,
    shard_folders,
    whole_of,
)


def sharded(folder: Path, *names: str, mark: str = "cluster.sqlite") -> Path:
    for name in names:
        (folder / "shards" / name).mkdir(parents=True)
    (folder / mark).touch()
    return folder


@pytest.mark.parametrize("mark", ["cluster.sqlite", "cluster.json"])
def test_shards_are_folders_with_numbers(tmp_path: Path, mark: str) -> None:
    sharded(tmp_path, "10", "02", "00", "x1", "1", mark=mark)
    (tmp_path / "shards" / "11").touch()
    assert is_sharded(tmp_path)
    assert holds_crawl(tmp_path)
    assert [shard.name for shard in shard_folders(tmp_path)] == ["00", "02", "10"]
    assert [part.name for part in parts_of(tmp_path)] == [tmp_path.name, "00", "02", "10"]


def test_a_shard_belongs_to_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sharded(tmp_path, "00")
    assert whole_of(tmp_path / "shards" / "00") == tmp_path
    assert whole_of(tmp_path) == tmp_path
    monkeypatch.chdir(tmp_path / "shards")
    assert whole_of(Path("00")) == tmp_path
    (tmp_path / "cluster.sqlite").unlink()
    assert whole_of(Path("00")) == Path("00")


def test_a_folder_of_one_engine_has_none(tmp_path: Path) -> None:
    (tmp_path / "shards" / "00").mkdir(parents=True)
    assert not is_sharded(tmp_path)
    assert not holds_crawl(tmp_path)
    assert parts_of(tmp_path) == (tmp_path,)
    assert shard_folders(tmp_path / "none") == []


def test_archive_files_are_named_by_their_path(tmp_path: Path) -> None:
    sharded(tmp_path, "00", "01")
    for name in ("00/dowse-00000.warc.gz", "01/dowse-00001.warc.gz", "01/other.warc.gz"):
        (tmp_path / "shards" / name).touch()
    assert all_archive_files(tmp_path) == ["shards/00/dowse-00000.warc.gz", "shards/01/dowse-00001.warc.gz"]
    for name in all_archive_files(tmp_path):
        assert archive_path(tmp_path, name) == tmp_path / name


@pytest.mark.parametrize(
    "name",
    ["", "..", "../x", "/etc/passwd", "a/b", "shards/00", "shards/00/..", "shards/../x", "shards/00/../x", "shards/0/x",
     "shards/00/a/b", "x\0y", "shards/\u0661\u0661/x", None, 7],
)  # fmt: skip
def test_no_name_leads_elsewhere(name: object) -> None:
    with pytest.raises(StoreError, match="damaged"):
        check_archive_name(name)


@pytest.mark.parametrize("link", ["shards", "shards/00"])
def test_links_are_told(tmp_path: Path, link: str) -> None:
    folder = sharded(tmp_path / "crawl", "00")
    (folder / link).rename(tmp_path / "elsewhere")
    (folder / link).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(NotPlain, match="is a link"):
        archive_path(folder, "shards/00/dowse-00000.warc.gz")
    with pytest.raises(NotPlain, match="is a link"):
        shard_folders(folder)
