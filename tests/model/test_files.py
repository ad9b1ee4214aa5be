"""Files written whole, and read up to a size."""

from __future__ import annotations

from pathlib import Path

import pytest

from dowse.model.errors import TopicError, UserError
from dowse.model.files import check_writable, read_limited, write_whole


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
    check_writable(tmp_path / "new.txt")
    with pytest.raises(UserError, match="it is a folder"):
        check_writable(tmp_path)
    with pytest.raises(UserError, match="No such file"):
        check_writable(tmp_path / "none" / "new.txt")
    assert not list(tmp_path.iterdir())


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert read_limited(path, 5, "sums") == b"12345"
    with pytest.raises(TopicError, match="is too large for sums"):
        read_limited(path, 4, "sums")
    with pytest.raises(TopicError, match="cannot read the sums: no such file"):
        read_limited(tmp_path / "b", 4, "sums")
