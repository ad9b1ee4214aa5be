"""What disks do to a corpus and to what is kept of it: one line that says so, and nothing half-written used later."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dowse.lab.compare.comparison import KeptRuns
from dowse.lab.corpus import open_corpus
from dowse.lab.corpus.index import Index
from dowse.model.errors import UserError
from tests.cli.test_operator import end, one_line, start
from tests.lab.compare.webs import write_labelled
from tests.lab.compared import results
from tests.lab.corpus.made import as_one_member, demo_pages, write_warc


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_labelled(tmp_path_factory.mktemp("web"), pages=300)
    open_corpus(folder, jobs=1)
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    shutil.copytree(whole, tmp_path / "c")
    return tmp_path / "c"


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def empty(path: Path) -> None:
    os.truncate(path, 0)


@pytest.mark.parametrize("harm", [cut, empty, os.unlink])
@pytest.mark.parametrize(
    ("kind", "name"),
    [("index", "index.json"), ("index", "urls.text.npy"), ("index", "status.npy"), ("pages", "tokens.npy"),
     ("pages", "urls.of.ends.npy")],
)  # fmt: skip
def test_what_is_kept_and_damaged_is_made_anew(
    folder: Path, kind: str, name: str, harm: Callable[[Path], None]
) -> None:
    [kept] = (folder / ".dowse-lab").glob(f"{kind}-*")
    before = (kept / name).read_bytes()
    harm(kept / name)
    assert len(open_corpus(folder, jobs=1)) == 300
    assert (kept / name).read_bytes() == before
    assert len(list((folder / ".dowse-lab").iterdir())) == 2


def limited(kilobytes: int, *arguments: str) -> subprocess.Popen[str]:
    """Run dowse where no file may be longer: what a full disk does, without one."""
    limit = (kilobytes << 10, kilobytes << 10)
    code = (
        f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, {limit!r})\n"
        "from dowse.__main__ import main; main()"
    )  # fmt: skip
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize(("kilobytes", "jobs"), [(2, 1), (20, 1), (20, 2)])
def test_a_full_disk_is_told_in_one_line(folder: Path, kilobytes: int, jobs: int) -> None:
    kept = folder / ".dowse-lab"
    shutil.rmtree(kept)
    _, err = end(limited(kilobytes, "lab", "info", str(folder), "--jobs", str(jobs)), 2)
    *before, last = err.splitlines()
    assert all("(once: " in line for line in before)
    assert last == f"dowse: cannot write to {kept}: File too large"
    assert not list(kept.glob("*.part"))
    assert len(open_corpus(folder, jobs=1)) == 300, "with room, it is made"


COMPARE = ["lab", "compare", "--all-labels", "--budget", "20r", "--seed-sets", "1"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_runs_that_cannot_be_kept_are_told_in_one_line(folder: Path, jobs: str) -> None:
    said = one_line(limited(0, *COMPARE, str(folder), "--jobs", jobs), 2)
    assert said == f"cannot keep runs in {folder / '.dowse-lab' / 'runs'}: File too large; --fresh keeps none"


def test_runs_need_not_be_kept(folder: Path) -> None:
    (folder / ".dowse-lab" / "runs").write_text("in the way")
    assert "cannot keep runs" in one_line(start(*COMPARE, str(folder), "--jobs", "1"), 2)
    assert "2 topics" in end(start(*COMPARE, str(folder), "--jobs", "1", "--fresh"), 0)[0]


def test_a_kept_run_that_is_damaged_is_none(tmp_path: Path) -> None:
    kept = KeptRuns(tmp_path)
    [result, *_] = results(1, 1, 5)
    kept.keep(result, "a")
    assert kept.find("a") == result
    [path] = tmp_path.iterdir()
    for text in ("", '{"of": [], "res', "[]", "{}", "null", "\x00" * 40):
        path.write_text(text)
        assert kept.find("a") is None


def test_folders_that_are_no_corpus(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is no folder: a corpus is a folder with WARC files"):
        open_corpus(tmp_path / "none")
    with pytest.raises(UserError, match="holds no WARC files"):
        open_corpus(tmp_path)
    (tmp_path / "a.warc.gz").touch()
    with pytest.raises(UserError, match="holds no recorded response"):
        open_corpus(tmp_path)
    (tmp_path / "b.warc").symlink_to("nowhere")
    with pytest.raises(UserError, match=r"cannot read .*b.warc: No such file"):
        open_corpus(tmp_path)
    with pytest.raises(UserError, match="is no folder"):
        open_corpus(tmp_path / "a.warc.gz")


def test_folders_that_may_not_be_read_or_written(folder: Path, tmp_path: Path) -> None:
    shutil.rmtree(folder / ".dowse-lab")
    (folder / ".dowse-lab").mkdir(0o555)
    elsewhere = str(tmp_path / "cache")
    end(start("lab", "info", str(folder), root_is_bound=True, XDG_CACHE_HOME=elsewhere), 0)
    assert not list((folder / ".dowse-lab").iterdir())
    assert len(list((tmp_path / "cache" / "dowse" / "lab").iterdir())) == 2, "somebody else's cache: one's own is used"
    folder.chmod(0o311)
    try:
        said = one_line(start("lab", "info", str(folder), root_is_bound=True), 2)
    finally:
        folder.chmod(0o755)
    assert "is not readable" in said


@pytest.mark.parametrize("one_member", [False, True])
def test_a_file_that_is_cut_is_read_up_to_there(tmp_path: Path, one_member: bool) -> None:
    path = write_warc(tmp_path / "x.warc.gz", demo_pages(60))
    if one_member:
        as_one_member(path)
    every = set(open_corpus(tmp_path, jobs=1).index.urls)
    cut(path)
    corpus = open_corpus(tmp_path, jobs=1)
    assert 10 < len(corpus) < len(every)
    assert set(corpus.index.urls) < every
    assert corpus.index.skipped["unreadable"] == 1


@pytest.mark.parametrize("one_member", [False, True])
def test_a_file_that_is_cut_while_it_is_read_is_told(
    tmp_path: Path, one_member: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_warc(tmp_path / "x.warc.gz", demo_pages(60))
    if one_member:
        as_one_member(path)
    responses = Index.responses

    def after_the_cut(self: Index, numbers: list[int]) -> object:
        cut(path)
        return responses(self, numbers)

    monkeypatch.setattr(Index, "responses", after_the_cut)
    with pytest.raises(UserError, match="was changed"):
        open_corpus(tmp_path, jobs=1)
    assert [entry.name.partition("-")[0] for entry in (tmp_path / ".dowse-lab").iterdir()] == ["index"]
