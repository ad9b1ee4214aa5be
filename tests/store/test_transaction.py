from __future__ import annotations

import math
from pathlib import Path

import pytest

from dowse.model.batch import Batch
from dowse.model.records import PAGES, CandidateRow, VerdictRow
from dowse.store import Counters, CrawlStore
from tests.store.made import WALL, batch, body, candidates, page, rows, url, warc_records


def test_each_column_gets_its_own_value(folder: Path) -> None:
    """Every field of a page row is different here, so a value in the wrong column shows."""
    row = page(7, reason="why", truncated="length", similarity=0.11, erid=0.12, language="en", charset="utf-8",
               depth=21, words=22, text_len=23, n_links=24, kind="pdf", n_parts=9, duplicate_of=25,
               etag='"e"', last_modified="then",
               attempts=26, canonical=url(1), final_url=url(8), status=203, cached_from="earlier", model=27,
               first_score=0.28, first_relevant=True, first_model=29,
               visited_at=WALL, misses=0.3, gone_at=WALL + 1)  # fmt: skip
    with CrawlStore.create(folder, {}, WALL) as store:
        store.commit(Batch(pages=[row]))
    [stored] = rows(folder, "SELECT * FROM pages")
    found = dict(zip(PAGES.names, stored, strict=True))
    [(file, length)] = rows(folder, "SELECT file, bytes FROM archives")
    assert found.pop("warc_file") == file == "dowse-00000.warc.gz"
    assert 0 < int(str(found.pop("warc_offset"))) + int(str(found.pop("warc_length"))) < int(str(length))
    assert found == {
        "id": 7, "ordinal": 0, "url": url(7), "final_url": url(8), "fetched_at": "2023-11-14T22:13:27.250000Z",
        "outcome": "fetched", "reason": "why", "status": 203, "content_type": "text/html", "bytes": 70,
        "body_bytes": len(body(7)), "truncated": "length", "score": 0.7, "relevant": 0, "similarity": 0.11,
        "erid": 0.12, "title": "Page 7", "language": "en", "charset": "utf-8", "depth": 21, "words": 22, "text_len": 23,
        "n_links": 24, "kind": "pdf", "n_parts": 9, "duplicate_of": 25, "signature": -8,
        "minhash": b"\x07" * 8, "etag": '"e"',
        "last_modified": "then", "canonical": url(1), "attempts": 26, "dns_s": 0.125, "connect_s": 0.25,
        "first_byte_s": 0.5, "total_s": 1.0, "parse_s": 0.25, "judge_s": 0.25, "verdict": '[["similarity",0.5,1.0]]',
        "cached_from": "earlier", "model": 27, "first_score": 0.28, "first_relevant": 1, "first_model": 29,
        "visited_at": "2023-11-14T22:13:20.250000Z", "misses": 0.3, "gone_at": "2023-11-14T22:13:21.250000Z",
    }  # fmt: skip


def test_many_rows_arrive_whatever_their_number(folder: Path) -> None:
    with CrawlStore.create(folder, {}, WALL) as store:
        first = 0
        for count in (1, 49, 50, 51, 100, 149):
            store.commit(
                Batch(candidates=[CandidateRow(n, url(n), 1, 2, None, 0.5) for n in range(first, first + count)])
            )
            first += count
        assert [row.url for row in candidates(store)] == [url(n) for n in range(400)]


def test_a_page_written_again_counts_once(folder: Path) -> None:
    with CrawlStore.create(folder, {}, WALL) as store:
        store.commit(Batch(pages=[page(2), page(3)]))
        store.commit(Batch(pages=[page(2, relevant=False), page(4, score=None, relevant=None)]))
        assert store.counters() == Counters(recorded=4, relevant=0)
    assert rows(folder, "SELECT id, ordinal FROM pages ORDER BY id") == [(2, 2), (3, 1), (4, 3)]


def test_a_page_has_another_verdict_beside_its_first(folder: Path) -> None:
    with CrawlStore.create(folder, {}, WALL) as store:
        whole = batch(0)
        before = sum(one.relevant is True for one in whole.pages)
        whole.verdicts[1] = VerdictRow(0.75, True, 3, [("the model's chance", 0.75, 1.0)])  # of this batch
        store.commit(whole)
        store.commit(Batch(verdicts={2: VerdictRow(0.25, False, 4, []), 4: VerdictRow(0.5, True, 4, [])}))
        with pytest.raises(ValueError, match="cannot have the score"):
            store.commit(Batch(verdicts={3: VerdictRow(math.nan, True, 5, [])}))
        assert store.counters().relevant == before, "1 joined, 2 left, 4 stayed"
    told = rows(folder, "SELECT score, relevant, model, first_relevant FROM pages WHERE id IN (1, 2, 3, 4) ORDER BY id")
    assert told == [(0.75, 1, 3, 0), (0.25, 0, 4, 1), (0.3, 0, 0, None), (0.5, 1, 4, 1)]


def test_refusals_add_up_and_keep_twenty_samples(folder: Path) -> None:
    with CrawlStore.create(folder, {}, WALL) as store:
        store.commit(Batch(refusals={"depth": 2}, refusal_samples=[("depth", url(0)), ("depth", url(0))]))
        store.commit(Batch(refusals={"depth": 40, "host": 1}, refusal_samples=[("depth", url(n)) for n in range(40)]))
    assert rows(folder, "SELECT * FROM refusals ORDER BY rule") == [("depth", 42), ("host", 1)]
    assert rows(folder, "SELECT url FROM refusal_samples ORDER BY rowid") == [(url(n),) for n in range(20)]


def test_text_that_is_no_unicode_does_not_lose_the_batch(folder: Path) -> None:
    bad = "caf\udce9"
    with CrawlStore.create(folder, {}, WALL) as store:
        made = batch(0)
        made.pages[3].etag = bad
        made.links[4] = (4, 5, bad, 1, 0, "")
        store.commit(made)
        assert store.counters().recorded == 5
    assert rows(folder, "SELECT etag FROM pages WHERE id = 3") == [("caf\ufffd",)]
    assert rows(folder, "SELECT anchor FROM links WHERE page IN (3, 4)") == [("to 4",), ("caf\ufffd",)]
    assert len(list(warc_records(folder / "dowse-00000.warc.gz"))) == 1 + 3 * 5
