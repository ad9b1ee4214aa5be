from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dowse.engine.page.step import PageStep
from dowse.engine.workers.job import Job
from dowse.frontier.scope import StaticScope
from dowse.judge import build_judge
from dowse.lab.corpus import Corpus, open_corpus
from dowse.lab.corpus import digests as module
from dowse.model.block_rule import BlockRule
from dowse.model.facts import PageFacts
from dowse.model.topic import Example, JudgeSettings, Keyword, Scope, Topic
from dowse.model.url import split
from dowse.parse import Repeats, Unreadable
from tests.judge.predicate.made import write_made
from tests.lab.corpus.made import differences, odd_pages, write_warc


def _long_and_solar(page: PageFacts) -> float:
    return min(1.0, page.words().count("solar") / 10) if page.n_words > 20 else len(page.text) / 1e6


SEEDS = ["http://odd.test/", "http://portal.dowse.test/"]
TOPICS = {
    "query": Topic(query="perovskite solar cells efficiency"),
    "keywords": Topic(
        keywords=(Keyword("solar page", 2.0), Keyword("perovskite")), judge=JudgeSettings("erid", weighting="tf")
    ),
    "examples": Topic(
        examples=tuple(
            Example(str(n), text=f"solar cells number {n} of the tandem perovskite lab {n}") for n in range(4)
        )
    ),
    "predicate": Topic(
        query="perovskite solar cells",
        predicate='(word("solar cells") >= 2 and not url.host("odd.test") or title("page") and links > 2)'
        ' and (language == "en" or words < 200 or similarity > 0.2 or erid > 0.01 or url.glob("/n/*"))',
    ),
    "objects": Topic(predicate='word("solar") and (object("Article") or words > 40)'),
    "function": Topic(predicate=_long_and_solar),
    "words as they are": Topic(query="solar 太陽電池 элементы", judge=JudgeSettings(language="none")),
}
SCOPES = {
    "any": (Scope(reach="any"), 5000),
    "host": (Scope(reach="host"), 5000),
    "paths": (Scope(reach="domain", include=("*odd.test/*",), exclude=("/private/*", "/n/1*")), 5000),
    "few links": (Scope(reach="any", exclude=("/n/2",)), 7),
}


def readable(corpus: Corpus) -> list[int]:
    """The pages, but for a document of which nothing can be read."""
    return [number for number in range(len(corpus)) if not corpus.url(number).endswith("cut.pdf")]


def test_what_cannot_be_read_live_cannot_be_read_in_the_lab(corpus: Corpus) -> None:
    judge, scope = build_judge(TOPICS["query"]), StaticScope(Scope())
    number = corpus.number("http://odd.test/cut.pdf")
    assert number is not None
    with pytest.raises(Unreadable, match="damaged"):
        PageStep(judge, scope, 9).digest(Job(corpus.response(number), 0.0))
    with pytest.raises(Unreadable, match="damaged"):
        corpus.digests(judge, scope, 9)(number)


@pytest.mark.parametrize("documents", [True, False])
def test_a_feed_that_a_head_names_is_followed_where_feeds_are_read(corpus: Corpus, documents: bool) -> None:
    judge, scope = build_judge(TOPICS["query"]), StaticScope(Scope(documents=documents))
    number = corpus.number("http://odd.test/fed")
    assert number is not None
    for digest in (PageStep(judge, scope, 9).digest(Job(corpus.response(number), 0.0)),
                   corpus.digests(judge, scope, 9)(number)):  # fmt: skip
        found = dict(zip(digest.links.urls, digest.links.rels, strict=True))
        assert found == {"http://odd.test/n/1": ""} | ({"http://odd.test/feed/": "feed"} if documents else {})
        assert digest.content.n_links == 1


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("topic", TOPICS)
def test_a_digest_is_that_of_the_live_step(corpus: Corpus, topic: str, scope: str) -> None:
    judge = build_judge(TOPICS[topic])
    rules, max_links = SCOPES[scope]
    static = StaticScope(rules, SEEDS)
    live, kept = PageStep(judge, static, max_links), corpus.digests(judge, static, max_links)
    scores = []
    for number in readable(corpus):
        expected = live.digest(Job(corpus.response(number), 0.0))
        assert differences(expected, kept(number)) == [], corpus.url(number)
        assert differences(expected, kept(number)) == [], f"asked again: {corpus.url(number)}"
        scores.append(expected.verdict.score)
    assert len(set(scores)) > 10


def test_a_digest_knows_what_its_site_repeats(corpus: Corpus) -> None:
    """The live step and the kept pages agree when lines of other pages are known, and on what depends on them."""
    judge, scope = build_judge(TOPICS["query"]), StaticScope(Scope(reach="any"))
    live, kept = PageStep(judge, scope, 100), corpus.digests(judge, scope, 100)
    repeats, variants = Repeats(), set()
    for number in [*readable(corpus), *readable(corpus)[::3]]:
        site = hash(split(corpus.url(number)).host)
        known = repeats.known(site)
        digest = live.digest(Job(corpus.response(number), 0.0, repeats=known))
        assert differences(digest, kept(number, known)) == [], corpus.url(number)
        variants.add(kept.repeated(number, known))
        repeats.learn(site, digest.lines)
    assert len(variants) > 2, "menus were found"


@pytest.mark.parametrize("rule", [BlockRule(0.0, 1), BlockRule(0.5, 3), BlockRule(1.0, 2)])
def test_pages_are_cut_by_the_rule_that_is_asked_for(corpus: Corpus, rule: BlockRule) -> None:
    """The cache has the blocks of one rule; by another, a digest is that of the live step all the same."""
    judge, scope = build_judge(TOPICS["query"]), StaticScope(Scope(reach="any"))
    live, kept, usual = (
        PageStep(judge, scope, 100, rule=rule), corpus.digests(judge, scope, 100, rule),
        corpus.digests(judge, scope, 100),
    )  # fmt: skip
    repeats, variants, differs = Repeats(), set(), 0
    for number in readable(corpus):
        site = hash(split(corpus.url(number)).host)
        known = repeats.known(site)
        digest = live.digest(Job(corpus.response(number), 0.0, repeats=known))
        assert differences(digest, kept(number, known)) == [], corpus.url(number)
        differs += bool(differences(digest, usual(number, known)))
        variants.add(kept.repeated(number, known))
        repeats.learn(site, digest.lines)
    assert differs > 0, "another rule makes other blocks"
    assert len(variants) > 1, "menus were found"


def test_pages_are_told_from_the_rest(corpus: Corpus) -> None:
    others = {corpus.url(number) for number in np.flatnonzero(~corpus.pages.is_page()).tolist()}
    assert {url for url in others if "odd.test" in url} == {
        f"http://odd.test/{name}" for name in ("robots.txt", "old", "lost", "cut.pdf", "sitemap", "in-disguise")
    }
    assert all(not corpus.pages.strings["title"][corpus.number(url) or 0] for url in others)


def test_anchors_are_read_in_parts(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    judge, scope = build_judge(TOPICS["query"]), StaticScope(Scope(reach="any"))
    whole = corpus.digests(judge, scope, 100)._by_anchor
    assert len(whole) == len(corpus.pages.strings["anchors"])
    assert whole.any()
    for size in (1, 7, 100):
        monkeypatch.setattr(module, "_ANCHOR_TOKENS", size)
        np.testing.assert_array_equal(corpus.digests(judge, scope, 100)._by_anchor, whole)


def test_any_number_of_processes_makes_the_same_cache(folder: Path, corpus: Corpus, tmp_path: Path) -> None:
    for path in folder.glob("*.warc*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    told: list[tuple[str, int, int]] = []
    open_corpus(tmp_path, jobs=2, progress=lambda *values: told.append(values))
    files = {path.name: path for path in (tmp_path / ".dowse-lab").rglob("*.npy")}
    others = {path.name: path for path in (folder / ".dowse-lab").rglob("*.npy")}
    assert files.keys() == others.keys()
    assert [name for name, path in files.items() if path.read_bytes() != others[name].read_bytes()] == []
    assert told[-1] == ("parsing", len(corpus), len(corpus))
    sizes = sum(path.stat().st_size for path in folder.glob("*.warc*"))
    assert [value for value in told if value[0] == "indexing"][-1] == ("indexing", sizes, sizes)


def test_a_corpus_without_words(tmp_path: Path) -> None:
    write_warc(tmp_path / "x.warc.gz", [page for page in odd_pages() if not page.body])
    corpus = open_corpus(tmp_path, jobs=1)
    judge, scope = build_judge(TOPICS["query"]), StaticScope(Scope(reach="any"))
    live, kept = PageStep(judge, scope, 9), corpus.digests(judge, scope, 9)
    assert [differences(live.digest(Job(corpus.response(n), 0.0)), kept(n)) for n in range(len(corpus))] == [[], []]


@pytest.mark.parametrize("predicate", [None, "similarity > 0.1 and words > 20"])
def test_a_judge_that_learns_reads_each_page_anew(corpus: Corpus, predicate: str | None) -> None:
    """A score depends on the pages before it: the same pages in the same order have the same scores."""
    settings = JudgeSettings(weighting="log-idf")
    topic = replace(Topic(query="solar cells", judge=settings), predicate=predicate)
    scope, numbers = StaticScope(Scope()), np.flatnonzero(corpus.pages.is_page()).tolist()
    live = PageStep(build_judge(topic), scope, 100)
    kept = corpus.digests(build_judge(topic), scope, 100)
    expected = [live.digest(Job(corpus.response(number), 0.0)).verdict for number in numbers]
    for _ in range(2):
        assert [kept(number).verdict for number in numbers] == expected
        kept.start_over()


@pytest.mark.parametrize("embedded", [0.0, 0.2])
def test_a_category_is_measured_alike(corpus: Corpus, tmp_path: Path, embedded: float) -> None:
    """Terms have other numbers in a corpus than in a live crawl; what a category says of them is the same."""
    file = write_made(tmp_path / "solar.json", "solar", "cell", "page", embedded=embedded)
    topic = Topic(predicate='category("solar") > 0.3 or word("perovskite")', categories={"solar": str(file)})
    judge, scope = build_judge(topic), StaticScope(Scope(reach="any"))
    assert judge.judge.needs_text == bool(embedded)
    live, kept = PageStep(judge, scope, 100), corpus.digests(judge, scope, 100)
    values = set()
    for number in readable(corpus):
        expected = live.digest(Job(corpus.response(number), 0.0))
        assert differences(expected, kept(number)) == [], corpus.url(number)
        values.add(expected.verdict.parts[1].value)
    assert len(values) > 10
