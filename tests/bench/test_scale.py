"""The model of large crawls, against sums by hand."""

from __future__ import annotations

import math

import pytest
from bench.scale import Constants, cores, crawl

PLAIN = Constants(
    engine_ms=1.0, worker_ms=1.0, shards_ms=1.5, engine_bytes=1e8, worker_bytes=1e8, url_bytes=290.0, host_bytes=1000.0,
    record_bytes=200.0, page_bytes=4_000.0, warc_bytes=8_000.0, letters_a_page=2.0, letter_bytes=50.0,
    letter_us=10.0, letter_server_us=4.0, tells=10.0, tells_at=1_000.0, tell_ms=2.0, take_ms=1.0, second_server_ms=1.0,
)  # fmt: skip


def test_a_crawl_of_a_hundred_million_urls() -> None:
    told = crawl(PLAIN, 10**8)
    assert told["pages"] == pytest.approx(1e7)
    assert told["shards"] == 2, "30 GB of URLs and hosts"
    assert told["memory_gb"] == pytest.approx(30.4)
    assert told["records_gb"] == pytest.approx(20 + 40)
    assert told["warc_gb"] == pytest.approx(80)
    assert told["letters"] == pytest.approx(1e7)
    tells = 10 + math.log(5_000) / math.log(1.25)
    exchange = tells * 3 / 5e6
    page_ms = 2 + exchange + 0.01
    assert told["exchange"] == pytest.approx(exchange / page_ms)
    assert told["cpu_h"] == pytest.approx(1e7 * page_ms / 3.6e6)
    assert told["pages_per_s"] == pytest.approx(2 * 2 * 1e3 / page_ms)
    assert told["postgresql_beats"] == pytest.approx(0.002)


def test_one_engine_is_its_loop_and_shards_are_as_many_as_there_are() -> None:
    two, eight = cores(PLAIN, 2), cores(PLAIN, 8)
    assert (two["one"], eight["one"], eight["one_uses"]) == (1_000, 1_000, 2.0)
    assert two["with_workers"] == 1_000
    assert 3_900 < eight["with_workers"] < 4_000
    assert eight["by_themselves"] == pytest.approx(8_000 / 1.5)


def test_a_lone_engine_learns_from_nobody() -> None:
    assert PLAIN.exchange_ms(1, 1e6) == 0.0
    assert PLAIN.letters(4) == pytest.approx(1.5)
