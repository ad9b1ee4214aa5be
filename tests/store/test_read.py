from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dowse.model.batch import Batch
from dowse.model.errors import NotACrawl, StoreError
from dowse.model.records import CandidateRow, CandidateState, SiteRow
from dowse.store import CrawlReader, CrawlStore, OutcomeCount, Parent, Run
from dowse.store.read_times import stage_times
from tests.store.made import WALL, batch, page, url


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Ten pages fetched, one failed, one refused, three waiting; two runs."""
    with CrawlStore.create(tmp_path, {"topic": {"name": "solar"}}, WALL) as store:
        store.start_run(WALL)
        store.commit(batch(0, 10))
        store.commit(
            Batch(
                candidates=[CandidateRow(n, url(n), 1, 1, 0, priority) for n, priority in
                            ((10, 0.5), (11, 0.5), (12, 0.9), (13, 0.8), (14, 0.1))],
                states={10: (CandidateState.FAILED, "timeout", 3), 11: (CandidateState.REFUSED, "robots", 0),
                        12: (CandidateState.LEASED, "", 1)},
                pages=[page(10, outcome="failed", reason="timeout", status=0, score=None, relevant=None, archive=[])],
                sites={1: SiteRow(1, "http://b.example", "b.example", requests=4, pages=2, relevant=2, latency_s=2.0)},
                refusals={"depth": 3, "host": 7},
                refusal_samples=[("depth", url(90)), ("host", url(91)), ("host", url(92))],
            )
        )  # fmt: skip
        store.end_run("budget: pages", WALL + 60)
    return tmp_path


def test_summary(folder: Path) -> None:
    with CrawlReader(folder) as reader:
        found = reader.summary()
        assert reader.settings()["topic"] == {"name": "solar"}
    assert (found.pages, found.judged, found.relevant, found.harvest) == (10, 10, 5, 0.5)
    assert (found.bytes, found.requests, found.seconds, found.sites) == (1000, 10, 1.5, 2)
    assert (found.known, found.waiting) == (15, 3)
    assert found.outcomes == (
        OutcomeCount("fetched", "", 10),
        OutcomeCount("waiting", "", 2),
        OutcomeCount("leased", "", 1),
        OutcomeCount("failed", "timeout", 1),
        OutcomeCount("refused", "robots", 1),
    )
    assert found.stop_reason == "budget: pages"
    assert found.runs == (Run(1, "2023-11-14T22:13:20.250000Z", "2023-11-14T22:14:20.250000Z", "budget: pages"),)


def test_an_empty_crawl_has_no_figures(tmp_path: Path) -> None:
    CrawlStore.create(tmp_path, {}, WALL).close()
    with CrawlReader(tmp_path) as reader:
        found = reader.summary()
        assert (found.pages, found.harvest, found.stop_reason, found.outcomes) == (0, 0.0, None, ())
        assert reader.harvest_curve().pages.tolist() == []
        assert [stage.share for stage in stage_times(reader).stages] == [0.0] * 4
        assert (reader.page(url(0)), reader.candidate(url(0)), reader.decision(0), reader.waiting_rank(0)) == (
            None,
        ) * 4
        assert (reader.top_pages(), reader.top_sites(), reader.events(), reader.refusals()) == ([], [], [], [])


def test_harvest_curve_follows_the_order_of_recording_though_the_clock_was_set_back(tmp_path: Path) -> None:
    with CrawlStore.create(tmp_path, {}, WALL) as store:
        store.commit(Batch(pages=[page(8), page(5, fetched_at=WALL - 900), page(3, outcome="failed")]))
        store.commit(Batch(pages=[page(1, relevant=None, score=None), page(2, fetched_at=1.0)]))
    with CrawlReader(tmp_path) as reader:
        curve = reader.harvest_curve()
    assert curve.pages.tolist() == [1, 2, 3, 4]
    assert curve.relevant.tolist() == [1, 1, 1, 2]


def test_tops(folder: Path) -> None:
    with CrawlReader(folder) as reader:
        assert [(site.origin, site.harvest, site.mean_latency_s) for site in reader.top_sites(1)] == [
            ("http://b.example", 1.0, 0.5)
        ]
        assert [(found.id, found.score) for found in reader.top_pages(3)] == [(8, 0.8), (6, 0.6), (4, 0.4)]


def test_judged_pages_are_those_with_a_score_that_are_no_doubles(tmp_path: Path) -> None:
    with CrawlStore.create(tmp_path, {}, WALL) as store:
        pages = [
            page(1),
            page(2),
            page(3, score=None, relevant=None),
            page(4, duplicate_of=2),
            page(5, outcome="failed"),
        ]
        store.commit(Batch(pages=pages))
    with CrawlReader(tmp_path) as reader:
        assert [found.id for found in reader.judged_pages()] == [1, 2]
        assert [found.id for found in reader.judged_pages(True)] == [2]
        assert [found.id for found in reader.judged_pages(False)] == [1]


def test_one_page_and_one_candidate(folder: Path) -> None:
    with CrawlReader(folder) as reader:
        found = reader.page(url(4))
        assert found is not None
        assert (found.id, found.title, found.relevant, found.fetched_at[:19]) == (
            4,
            "Page 4",
            True,
            "2023-11-14T22:13:24",
        )
        assert found.reasons == (("similarity", 0.5, 1.0),)
        failed = reader.page(url(10))
        assert failed is not None
        assert (failed.reason, failed.relevant, failed.warc_file) == ("timeout", None, None)
        assert reader.page("http://nowhere.example/") is None

        waits = reader.candidate(url(13))
        assert waits == reader.candidate_by_id(13) == CandidateRow(13, url(13), 1, 1, 0, 0.8)
        assert reader.candidate("http://nowhere.example/") is None
        assert reader.parents(4) == [Parent(3, url(3), "Page 3", 0.3, False, "to 4", 1)]
        assert reader.parents(0) == []
        decision = reader.decision(4)
        assert decision is not None
        assert (decision.strategy, decision.at, decision.features) == ("best-first", WALL + 4, {"average": (0.5, 1.0)})
        assert reader.decision(13) is None


def test_rank_among_what_waits(folder: Path) -> None:
    with CrawlReader(folder) as reader:
        assert [reader.waiting_rank(n) for n in (12, 13, 14, 10, 99)] == [0, 1, 2, None, None]


def test_equal_priorities_go_in_order_of_discovery(tmp_path: Path) -> None:
    with CrawlStore.create(tmp_path, {}, WALL) as store:
        store.commit(Batch(candidates=[CandidateRow(n, url(n), 0, 0, None, 0.5) for n in range(3)]))
    with CrawlReader(tmp_path) as reader:
        assert [reader.waiting_rank(n) for n in range(3)] == [0, 1, 2]


def test_events_and_refusals(folder: Path) -> None:
    with CrawlReader(folder) as reader:
        assert [(event.at, event.kind, event.detail) for event in reader.events()] == [(WALL, "batch", "0")]
        assert [(found.rule, found.count, found.samples) for found in reader.refusals()] == [
            ("host", 7, (url(91), url(92))),
            ("depth", 3, (url(90),)),
        ]


def test_views_for_people(folder: Path) -> None:
    with CrawlReader(folder) as reader:
        ask = reader._connection.execute
        assert ask("SELECT id FROM relevant_pages ORDER BY id").fetchall() == [(0,), (2,), (4,), (6,), (8,)]
        assert ask("SELECT state, reason, parent_url, site FROM candidate_states WHERE id = 10").fetchall() == [
            ("failed", "timeout", url(0), "http://b.example")
        ]
        assert ask("SELECT * FROM link_urls LIMIT 1").fetchall() == [(url(0), url(1), "to 1", 1)]


def test_what_is_no_crawl(tmp_path: Path) -> None:
    with pytest.raises(NotACrawl, match="holds no crawl"):
        CrawlReader(tmp_path)
    with pytest.raises(NotACrawl, match="holds no crawl"):
        CrawlReader(tmp_path / "nowhere")
    (tmp_path / "dowse.sqlite").write_bytes(b"hello" * 1000)
    with pytest.raises(NotACrawl, match="cannot be read"):
        CrawlReader(tmp_path)
    (tmp_path / "dowse.sqlite").write_bytes(b"")
    with pytest.raises(NotACrawl, match="not made by Dowse"):
        CrawlReader(tmp_path)
    (tmp_path / "dowse-00000.warc.gz").touch()  # of a crawl, then
    for opened in (CrawlReader, CrawlStore.open):
        with pytest.raises(StoreError, match=r"are damaged: dowse.sqlite is empty\. .* dowse repair"):
            opened(tmp_path)


def test_reading_a_finished_crawl_writes_nothing(folder: Path) -> None:
    before = {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.iterdir()}
    with CrawlReader(folder) as reader:
        reader.summary()
        during = {path.name for path in folder.iterdir()}
    assert during == set(before)
    assert {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.iterdir()} == before


def test_reading_what_a_kill_left_behind(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    subprocess.run([sys.executable, "-m", "tests.store.writer", str(folder), "synced"], check=False)
    with CrawlReader(folder) as reader:
        assert reader.summary().pages == 10


def test_a_reader_outlives_the_writer(tmp_path: Path) -> None:
    store = CrawlStore.create(tmp_path, {}, WALL)
    store.commit(batch(0))
    with CrawlReader(tmp_path) as reader:
        assert reader.summary().pages == 5
        store.close()
        assert reader.summary().pages == 5
        with CrawlStore.open(tmp_path) as again:
            again.commit(batch(5))
            assert reader.summary().pages == 10


def test_reading_while_another_process_commits(tmp_path: Path) -> None:
    """Every answer is of one moment: batches of five, never a part of one."""
    folder = tmp_path / "crawl"
    command = [sys.executable, "-m", "tests.store.writer", str(folder), "never"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        try:
            writer.stdout.readline()
            with CrawlReader(folder) as reader:
                seen = []
                for _ in range(20):
                    told = int(writer.stdout.readline())
                    found = reader.summary()
                    assert found.pages == found.known == found.requests
                    assert found.pages % 5 == 0
                    assert found.pages >= told
                    seen.append(found.pages)
            assert seen == sorted(seen)
            assert seen[-1] > seen[0]
        finally:
            writer.kill()
