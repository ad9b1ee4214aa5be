from __future__ import annotations

from pathlib import Path

import numpy as np

from dowse.lab.compare.plan import Plan
from dowse.lab.corpus import Corpus, LabTopic, make_topic, open_corpus
from dowse.lab.judging.backgrounds import backgrounds, fetched, on_topic, seeds_of
from dowse.lab.replay.corpus_web import CorpusWeb
from dowse.lab.replay.recorded_transport import Exchange
from tests.lab.corpus.made import Page, write_warc

PLAN = Plan(("bfs", "best-first"), examples=8, min_pages=20, inside=True)


def topic_of(corpus: Corpus, label: str) -> LabTopic:
    topic = make_topic(corpus, label, examples=8, min_pages=1)
    assert isinstance(topic, LabTopic)
    return topic


def test_each_strategy_fetches_so_many_pages_from_its_seeds_on(corpus: Corpus) -> None:
    topic = topic_of(corpus, "solar cells")
    seeds = seeds_of(corpus, topic)
    assert seeds is not None
    assert seeds.kind == "near"
    assert set(seeds.pages) <= set(topic.examples)
    plain, focused = backgrounds(corpus, CorpusWeb(corpus), PLAN, topic, seeds, 30)
    again = backgrounds(corpus, CorpusWeb(corpus), PLAN, topic, seeds, 30)
    assert [one.pages.tolist() for one in again] == [plain.pages.tolist(), focused.pages.tolist()]
    assert (plain.strategy, focused.strategy) == ("bfs", "best-first")
    for one in (plain, focused):
        assert one.seeds == on_topic(seeds) == seeds.pages
        assert set(one.pages[:3].tolist()) == set(seeds.pages), "a crawl begins with its seeds"
        assert len(set(one.pages.tolist())) == len(one.pages) == 30
        assert corpus.pages.is_page()[one.pages].all()
    assert plain.pages.tolist() != focused.pages.tolist()


def test_seeds_are_entry_pages_else_examples_else_some_links_away(tmp_path: Path) -> None:
    links = {0: (), 1: (2,), 2: (3, 4), 3: (), 4: ()}
    pages = [
        Page(f"http://w.test/{n}.html", f"<p>page {n} {' '.join(f'<a href={t}.html>t</a>' for t in own)}".encode())
        for n, own in links.items()
    ]
    write_warc(tmp_path / "pages.warc.gz", pages)
    ends = [n for n in links if n not in (1, 2)]
    rows = [f"http://w.test/{n}.html,ends" for n in ends]
    (tmp_path / "labels.csv").write_text("\n".join(["url,label", *rows]) + "\n")
    corpus = open_corpus(tmp_path, jobs=1)
    topic = make_topic(corpus, "ends", examples=1, min_pages=1)
    assert isinstance(topic, LabTopic)
    far = seeds_of(corpus, topic)
    assert far is not None
    assert (far.kind, far.pages) == ("far", (1,))
    (tmp_path / "roots.csv").write_text("url\nhttp://w.test/2.html\n")
    roots = seeds_of(corpus, topic)
    assert roots is not None
    assert (roots.kind, roots.pages) == ("roots", (2,))
    assert seeds_of(corpus, topic, "far") == far
    assert seeds_of(corpus, topic, "near") is None
    assert on_topic(far) == on_topic(roots) == on_topic(None) == (), "nobody chose them for the topic"


def test_no_links_no_seeds(tmp_path: Path) -> None:
    write_warc(tmp_path / "pages.warc.gz", [Page(f"http://w.test/{n}.html", b"<p>alone") for n in range(3)])
    rows = [f"http://w.test/{n}.html,alone" for n in range(3)]
    (tmp_path / "labels.csv").write_text("\n".join(["url,label", *rows]) + "\n")
    corpus = open_corpus(tmp_path, jobs=1)
    topic = make_topic(corpus, "alone", examples=1, min_pages=1)
    assert isinstance(topic, LabTopic)
    assert seeds_of(corpus, topic) is None


def test_pages_come_in_the_order_in_which_they_ended_each_once() -> None:
    def came(page: int, ended_s: float, *, is_page: bool = True) -> Exchange:
        return Exchange(f"http://w.test/{page}", page, 200, is_page, 10, 0.0, ended_s)

    given = [came(5, 3.0), came(2, 1.0), came(9, 2.0, is_page=False), came(2, 4.0)]
    assert fetched(given).tolist() == [2, 5]
    assert fetched([]).dtype == np.int64
