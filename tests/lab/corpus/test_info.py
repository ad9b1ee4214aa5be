from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dowse.engine.assembly.assemble import assemble
from dowse.lab.corpus import Corpus, describe, open_corpus
from dowse.loopback import in_thread
from dowse.loopback.demo import DEMO_SEEDS, demo_topic, demo_web
from dowse.model.budget import Budget
from dowse.model.errors import UserError
from dowse.model.topic import Politeness
from dowse.store import CrawlReader


def test_figures(corpus: Corpus) -> None:
    figures = describe(corpus)
    assert figures.urls == len(corpus)
    assert figures.pages == int(corpus.pages.is_page().sum())
    assert next(iter(figures.types)) == "text/html"
    assert sum(figures.types.values()) == sum(figures.statuses.values()) == figures.urls
    assert figures.links_inside == len(corpus.graph.targets)
    assert len(figures.seeds) == figures.hosts
    assert figures.hosts <= figures.reachable <= figures.pages
    assert 1 < figures.core <= figures.pages
    assert figures.body_bytes == sum(len(corpus.response(number).body) for number in range(len(corpus)))
    assert figures.wire_bytes > 0
    assert (figures.timed, figures.labels, figures.accesses, figures.objects) == (0, {}, 0, 0)


def test_seeds_that_are_given_or_in_roots(corpus: Corpus) -> None:
    figures = describe(corpus, ["http://odd.test/packed"])
    assert (figures.seeds, figures.reachable) == (["http://odd.test/packed"], 2)
    roots, objects = corpus.folder / "roots.csv", corpus.folder / "objects.jsonl"
    roots.write_text("set,url\nx,http://odd.test/packed\ny,http://nowhere.test/\n", encoding="utf-8")
    objects.write_text('{"name": "a"}\n\n{"name": "b"}\n', encoding="utf-8")
    try:
        figures = describe(corpus)
    finally:
        roots.unlink()
        objects.unlink()
    assert (figures.seeds_from, figures.reachable, figures.objects) == ("roots.csv", 2, 2)
    with pytest.raises(UserError, match="is not in this corpus"):
        describe(corpus, ["http://nowhere.test/"])


def test_a_finished_crawl_is_a_corpus_with_its_times(tmp_path: Path) -> None:
    async def crawl() -> None:
        with in_thread(demo_web()) as server:
            topic = replace(
                demo_topic(server.address), budget=Budget(pages=30), politeness=Politeness(delay_s=0.0), workers=0
            )
            assembly = await assemble(topic, tmp_path)
            try:
                await assembly.run()
            finally:
                await assembly.close()

    asyncio.run(crawl())
    corpus = open_corpus(tmp_path, jobs=1)
    columns, files = corpus.index.columns, corpus.index.files
    with CrawlReader(tmp_path) as records:
        places = {(file, offset): values for file, offset, *values in records.exchanges()}
        for url in DEMO_SEEDS:
            number, page = corpus.number(url), records.page(url)
            assert number is not None
            assert page is not None
            assert corpus.pages.strings["title"][number] == page.title
            size, first_byte_s, total_s = places[files[columns["file"][number]], int(columns["offset"][number])]
            assert columns["wire_bytes"][number] == size == page.bytes
            assert corpus.response(number).timings.first_byte_s == pytest.approx(first_byte_s)
            assert columns["total_s"][number] == np.float32(total_s)
    assert describe(corpus).timed >= 30
    (tmp_path / "dowse.sqlite").rename(tmp_path / "elsewhere")
    alone = open_corpus(tmp_path)
    assert np.isnan(alone.index.columns["first_byte_s"]).all()
    known = ~np.isnan(alone.index.columns["total_s"])
    assert known.sum() > 20, "pages have it in their metadata record, errors do not"
    assert np.allclose(alone.index.columns["total_s"][known], corpus.index.columns["total_s"][known], atol=0.001)
