from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.lab.corpus import open_corpus
from dowse.lab.corpus.cache import whole_folder
from dowse.model.arrays import ArrayFile, StringFile, load_array, load_strings
from dowse.model.errors import UserError
from tests.lab.corpus.made import demo_pages, odd_pages, write_warc


def test_what_was_worked_out_is_found_again_until_the_corpus_changes(tmp_path: Path) -> None:
    path = write_warc(tmp_path / "x.warc.gz", odd_pages())
    told: list[str] = []

    def opened() -> int:
        told.clear()
        return len(open_corpus(tmp_path, jobs=1, progress=lambda stage, *_: told.append(stage)))

    assert opened() == opened()
    assert told == []
    write_warc(tmp_path / "y.warc.gz", demo_pages(3))
    opened()
    assert set(told) == {"indexing", "parsing"}
    path.rename(tmp_path / "z.warc.gz")
    opened()
    assert told, "names count as well: they are the order of the files"
    assert len(list((tmp_path / ".dowse-lab").iterdir())) == 2, "what is of no more use is gone"


def test_a_folder_that_may_not_be_written_to_has_its_cache_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    write_warc(folder / "x.warc.gz", odd_pages())
    folder.chmod(0o555)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    try:
        open_corpus(folder, jobs=1)
        assert [path.name for path in folder.iterdir()] == ["x.warc.gz"]
        assert len(list((tmp_path / "cache" / "dowse" / "lab").iterdir())) == 2
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "x.warc.gz"))
        with pytest.raises(UserError, match="XDG_CACHE_HOME"):
            open_corpus(folder, jobs=1)
    finally:
        folder.chmod(0o755)


def test_two_processes_at_once_both_end_with_a_good_one(tmp_path: Path) -> None:
    write_warc(tmp_path / "x.warc.gz", odd_pages())
    script = (
        f"from dowse.lab.corpus import open_corpus; print(len(open_corpus({str(tmp_path)!r}, jobs=1).graph.targets))"
    )
    command = [sys.executable, "-c", script]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    answers = [process.communicate()[0] for process in running]
    assert [process.returncode for process in running] == [0, 0]
    assert answers[0] == answers[1]
    assert not list((tmp_path / ".dowse-lab").glob("*.part"))


def test_a_folder_is_whole_or_not_there(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").write_text("x")
        raise KeyboardInterrupt

    def lose(folder: Path) -> None:
        (folder / "mine").write_text("x")
        theirs = tmp_path / "index-1-abc"
        theirs.mkdir()
        (theirs / "theirs").write_text("x")

    with pytest.raises(KeyboardInterrupt):
        whole_folder(tmp_path, "index", "1", "abc", fail)
    assert not list(tmp_path.iterdir())
    folder = whole_folder(tmp_path, "index", "1", "abc", lose)
    assert os.listdir(folder) == ["theirs"]
    assert os.listdir(tmp_path) == ["index-1-abc"]
    made = whole_folder(tmp_path, "index", "2", "abc", lambda _: None)
    assert made.stat().st_mode & 0o777 == 0o755


@given(parts=st.lists(st.lists(st.text(st.characters(), max_size=5), max_size=4), max_size=4))
def test_strings_come_back_as_they_were(tmp_path_factory: pytest.TempPathFactory, parts: list[list[str]]) -> None:
    folder = tmp_path_factory.mktemp("strings")
    file = StringFile(folder, "s")
    for part in parts:
        file.append(part)
    file.close()
    expected = [string for part in parts for string in part]
    strings = load_strings(folder, "s")
    assert list(strings) == expected
    assert strings.take(np.arange(len(expected))[::-1]) == expected[::-1]
    strings = load_strings(folder, "s")
    assert [strings[number] for number in range(len(strings))] == expected


def test_large_tables_are_not_decoded_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dowse.model.arrays._DECODED_WHOLE", 2)
    file = StringFile(tmp_path, "s")
    file.append(["a", "", "ü", "d"])
    file.close()
    strings = load_strings(tmp_path, "s")
    assert strings.take(np.array([3, 0, 2, 1, 0])) == ["d", "a", "ü", "", "a"]


def test_an_array_that_grew_is_one_that_numpy_reads(tmp_path: Path) -> None:
    file = ArrayFile(tmp_path, "a", np.int32)
    file.append([1, -2])
    file.append(np.arange(3))
    file.close()
    ArrayFile(tmp_path, "empty", np.uint64).close()
    assert np.load(tmp_path / "a.npy", allow_pickle=False).tolist() == [1, -2, 0, 1, 2]
    assert load_array(tmp_path, "a").dtype == np.int32
    assert load_array(tmp_path, "empty").tolist() == []
