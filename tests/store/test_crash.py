"""Killed at every instant that matters (SIGKILL, a real process), the folder can always be gone on with."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from dowse.model.records import CandidateState
from dowse.store import CrawlStore, read_response
from tests.store.made import batch, body, candidates, url, warc_records
from tests.store.writer import A_BATCH


def writer(folder: Path, where: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.store.writer", str(folder), where], stdout=subprocess.PIPE, text=True
    )


def check(folder: Path) -> int:
    """Reopen, and hold everything recorded against the archive; how many pages there are."""
    with CrawlStore.open(folder, archive_bytes=4000) as store:
        recorded = store.counters().recorded
        rows = [(row.id, row.url, row.state) for row in candidates(store)]
        assert rows == [(n, url(n), CandidateState.FETCHED) for n in range(recorded)]
        assert store.statistics() == {"learned": {"n": recorded}, "packed": bytes([A_BATCH])}
        assert store.spent().pages == recorded
    connection = sqlite3.connect(folder / "dowse.sqlite")
    pages = connection.execute("SELECT id, warc_file, warc_offset FROM pages ORDER BY id").fetchall()
    archives = dict(connection.execute("SELECT file, bytes FROM archives"))
    links = connection.execute("SELECT count(*) FROM links").fetchone()[0]
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()

    assert [id for id, _, _ in pages] == list(range(recorded))
    assert links == recorded
    for id, file, offset in pages:
        assert read_response(folder, file, offset)[1] == body(id)
    files = {path.name: path.stat().st_size for path in folder.glob("*.warc.gz")}
    assert files == archives
    found = [record.rec_type for name in sorted(files) for record in warc_records(folder / name)]
    assert found.count("response") == recorded
    return recorded


@pytest.mark.parametrize(
    ("where", "batches"),
    [("half-written", 2), ("written", 2), ("synced", 2), ("in-transaction", 2), ("before-commit", 2), ("committed", 3)],
)
def test_killed_in_the_middle_of_a_commit(tmp_path: Path, where: str, batches: int) -> None:
    folder = tmp_path / "crawl"
    with writer(folder, where) as process:
        assert process.wait() == -9
    recorded = check(folder)
    assert recorded == batches * A_BATCH
    with CrawlStore.open(folder, archive_bytes=4000) as store:
        assert store.spent().requests == 3 * A_BATCH + 1  # noted before the commit that may not have been
        store.commit(batch(recorded))
    assert check(folder) == recorded + 5


def test_killed_from_outside_again_and_again(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    before = 0
    for commits in (1, 5, 12):
        with writer(folder, "never") as process:
            assert process.stdout is not None
            told = [int(process.stdout.readline()) for _ in range(commits)][-1]
            process.kill()
            process.wait()
        recorded = check(folder)
        assert recorded >= told > before
        before = recorded


def test_a_creation_that_was_killed_can_be_done_again(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "dowse.sqlite").close()
    (tmp_path / "dowse.sqlite").touch()
    (tmp_path / "dowse.lock").write_text("99999999\n")
    with CrawlStore.create(tmp_path, {"topic": {}}, 0.0) as store:
        assert store.settings()["topic"] == {}
