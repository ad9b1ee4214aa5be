"""Files written whole, and read up to a size."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from dowse.model.errors import NotPlain, TopicError, UserError
from dowse.model.files import check_plain, check_writable, open_plain, read_limited, write_whole


def test_a_file_is_there_when_it_is_whole(tmp_path: Path) -> None:
    out = tmp_path / "a.txt"
    out.write_text("old")

    def broken(path: Path) -> None:
        path.write_text("ha")
        raise OSError(28, "No space left on device")

    with pytest.raises(UserError, match=r"cannot write .*a\.txt: No space left on device"):
        write_whole(out, broken)
    assert out.read_text() == "old"
    assert write_whole(out, lambda path: path.write_text("new")) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert out.read_text() == "new"


def test_it_is_known_beforehand_where_nothing_can_be_written(tmp_path: Path) -> None:
    check_writable(tmp_path / "new.txt", force=False)
    with pytest.raises(UserError, match="it is a folder"):
        check_writable(tmp_path, force=False)
    with pytest.raises(UserError, match="No such file"):
        check_writable(tmp_path / "none" / "new.txt", force=False)
    assert not list(tmp_path.iterdir())
    (tmp_path / "old.txt").write_text("old")
    with pytest.raises(UserError, match=r"old.txt already exists: .* --force"):
        check_writable(tmp_path / "old.txt", force=False)
    check_writable(tmp_path / "old.txt", force=True)


@pytest.mark.parametrize("place", [".", "/", "", ".."])
def test_a_folder_is_never_written_over(place: str) -> None:
    with pytest.raises(UserError, match="it is a folder"):
        write_whole(Path(place), lambda path: path.write_text("new"))


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert read_limited(path, 5, "sums") == b"12345"
    with pytest.raises(TopicError, match="is too large for sums"):
        read_limited(path, 4, "sums")
    with pytest.raises(TopicError, match="cannot read the sums: no such file"):
        read_limited(tmp_path / "b", 4, "sums")


def test_a_plain_file_is_opened_and_nothing_else(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.write_bytes(b"mine")
    os.close(open_plain(real))
    assert check_plain(real, writes=True)
    assert not check_plain(tmp_path / "none", writes=True)
    with pytest.raises(FileNotFoundError):
        open_plain(tmp_path / "none")
    (tmp_path / "link").symlink_to(real)
    (tmp_path / "dangling").symlink_to(tmp_path / "new")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "dangling", "folder", "pipe"):
        for flags in (os.O_RDONLY, os.O_RDWR | os.O_CREAT, os.O_WRONLY | os.O_CREAT | os.O_TRUNC):
            with pytest.raises(NotPlain, match=f"{name} is "):
                open_plain(tmp_path / name, flags)
        with pytest.raises(NotPlain):
            check_plain(tmp_path / name, writes=False)
    assert real.read_bytes() == b"mine"
    assert not (tmp_path / "new").exists()


def test_a_hard_link_may_be_read(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"mine")
    os.link(tmp_path / "real", tmp_path / "other")
    os.close(open_plain(tmp_path / "other"))
    for flags in (os.O_RDWR, os.O_WRONLY | os.O_TRUNC):
        with pytest.raises(NotPlain, match="hard link"):
            open_plain(tmp_path / "other", flags)
    assert (tmp_path / "real").read_bytes() == b"mine"


def test_what_lies_where_a_file_is_begun_is_not_written_to(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_bytes(b"mine")
    (tmp_path / f".out.{os.getpid()}.part").symlink_to(precious)
    (tmp_path / "out").symlink_to(precious)
    write_whole(tmp_path / "out", lambda path: path.write_bytes(b"ours"), private=True)
    assert (tmp_path / "out").read_bytes() == b"ours"
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o600
    assert precious.read_bytes() == b"mine"
