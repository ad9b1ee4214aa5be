from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from dowse.judge import build_judge
from dowse.lab.corpus import Corpus, LabTopic, SeedSet, Unfit, example_texts, make_seeds, make_topic, make_topics
from dowse.lab.corpus import open_corpus as open_
from dowse.model.errors import UserError
from dowse.model.topic import Topic
from tests.lab.corpus.made import Page, write_warc


def chain() -> Iterator[Page]:
    """far/0 -> far/1 -> ... -> far/9 -> sun/0 -> sun/1 -> ... -> sun/49, and an island."""
    names = [*(f"far/{n}" for n in range(10)), *(f"sun/{n}" for n in range(50))]
    for name, following in zip(names, [*names[1:], "nowhere"], strict=True):
        yield Page(
            f"http://a.test/{name}", f"<title>{name}</title><a href=/{following}>next</a> the sun {name}".encode()
        )
    yield Page("http://a.test/island", b"alone")
    yield Page("http://a.test/gone", status="404 Not Found")


LABELS = [
    *((f"http://A.test:80/sun/{n}", "Science.Bright_Sun") for n in range(50)),
    *((f"http://a.test/far/{n}", "far") for n in range(10)),
    ("http://a.test/sun/1", "far"),
    ("http://a.test/island", "island"),
    ("http://a.test/gone", "far"),
    ("http://b.test/", "far"),
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("labelled")
    write_warc(folder / "x.warc.gz", chain())
    rows = "".join(f"{label},{url}\n" for url, label in LABELS)
    (folder / "labels.csv").write_text(f"Label,URL\n{rows}\n", encoding="utf-8-sig")
    return open_(folder, jobs=1)


def made(corpus: Corpus, number: int = 0) -> LabTopic:
    topic = make_topic(corpus, "Science.Bright_Sun", seed_number=number)
    assert isinstance(topic, LabTopic)
    return topic


def seeds(corpus: Corpus, topic: LabTopic, kind: str) -> tuple[SeedSet, ...]:
    found = make_seeds(corpus, topic, kind)
    assert isinstance(found, tuple)
    return found


def test_labels_are_read_and_what_is_no_page_is_counted(corpus: Corpus) -> None:
    counts = {label: len(pages) for label, pages in corpus.labels.pages.items()}
    assert counts == {"Science.Bright_Sun": 50, "far": 11, "island": 1}
    assert corpus.labels.unknown == 2


def test_a_label_is_split_into_examples_and_targets(corpus: Corpus) -> None:
    topic = made(corpus)
    assert topic.query == "science bright sun"
    assert len(topic.examples) == 8
    assert topic.relevant == corpus.labels.pages["Science.Bright_Sun"]
    assert topic.targets == topic.relevant - set(topic.examples)
    assert made(corpus) == topic
    assert {made(corpus, number).examples for number in range(5)} != {topic.examples}
    # told once, and the same ever since: another split would make old results incomparable
    assert [corpus.url(page)[18:] for page in topic.examples] == ["32", "48", "36", "12", "6", "7", "4", "37"]


def test_near_seeds_are_examples_that_lead_to_targets(corpus: Corpus) -> None:
    topic = made(corpus)
    found = seeds(corpus, topic, "near")
    assert [(one.kind, one.number, len(one.pages)) for one in found] == [("near", n, 3) for n in range(3)]
    assert all(set(one.pages) <= set(topic.examples) for one in found)
    assert len({one.pages for one in found}) > 1
    for one in found:
        first = min(one.pages)  # pages come in the order of the chain
        assert one.reachable == sum(target > first for target in topic.targets)
    assert seeds(corpus, topic, "near") == found


def test_far_seeds_are_two_to_four_links_away(corpus: Corpus) -> None:
    found = seeds(corpus, made(corpus), "far")
    urls = {corpus.url(page) for one in found for page in one.pages}
    assert urls == {"http://a.test/far/8", "http://a.test/far/7", "http://a.test/far/6"}
    assert all(one.reachable == 42 for one in found)


def test_roots_are_all_entry_pages_in_one_set(corpus: Corpus) -> None:
    none = make_seeds(corpus, made(corpus), "roots")
    assert isinstance(none, Unfit)
    assert "roots.csv" in none.reason
    path = corpus.folder / "roots.csv"
    path.write_text(
        "set,url\na,http://a.test/far/3\nb,http://a.test/gone\nc,http://b.test/\nd,http://a.test/far/3\ne,http://a.test/island\n",
        "utf-8",
    )
    try:
        [found] = seeds(corpus, made(corpus), "roots")
        assert [corpus.url(page) for page in found.pages] == ["http://a.test/far/3", "http://a.test/island"]
        assert found.reachable == 42
    finally:
        path.unlink()


def test_what_makes_no_topic_says_why(corpus: Corpus) -> None:
    topics, unfit = make_topics(corpus, min_pages=11)
    assert [topic.label for topic in topics] == ["Science.Bright_Sun", "far"]
    assert unfit == [Unfit("island", "it has 1 pages, and 11 are asked for")]
    few = make_topic(corpus, "far", examples=11, min_pages=1)
    assert isinstance(few, Unfit)
    assert "none is left" in few.reason
    island = make_topic(corpus, "island", examples=0, min_pages=1)
    assert isinstance(island, LabTopic)
    assert isinstance(make_seeds(corpus, island, "near"), Unfit)
    nothing = make_seeds(corpus, island, "far")
    assert isinstance(nothing, Unfit)
    assert "2 to 4 links away" in nothing.reason
    with pytest.raises(UserError, match="'moon'"):
        make_topic(corpus, "moon")
    with pytest.raises(UserError, match="near, far or roots"):
        make_seeds(corpus, island, "wide")


def test_examples_have_the_text_that_a_judge_needs(corpus: Corpus) -> None:
    examples = example_texts(corpus, made(corpus).examples)
    assert all(example.text is not None and "the sun" in example.text for example in examples)
    judge = build_judge(Topic(examples=examples))
    assert "sun" in judge.nearness.vector.weights


@pytest.mark.parametrize("packed", [False, True])
def test_traces_in_order_of_time(corpus: Corpus, packed: bool) -> None:
    text = (
        "time,url,user\n2024-01-01T00:00:10Z,http://a.test/sun/1,ann\n1704067200,http://a.test/sun/2,bob\n"
        "2024-01-01T01:00:05+01:00,http://a.test/sun/3,ann\n0,http://b.test/,ann\n"
    )
    path = corpus.folder / ("traces.csv.gz" if packed else "traces.csv")
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    try:
        traces = open_(corpus.folder).traces
    finally:
        path.unlink()
    assert [corpus.url(page)[-1] for page in traces.page.tolist()] == ["2", "3", "1"]
    assert [traces.users[user] for user in traces.user.tolist()] == ["bob", "ann", "ann"]
    assert traces.at.tolist() == [1704067200.0, 1704067205.0, 1704067210.0]
    assert (len(traces), traces.unknown) == (3, 1)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("labels.csv", b"", "no column 'url'"),
        ("labels.csv", b"url;label\n", "no column 'url'"),
        ("labels.csv", b"url,label\nhttp://b.test/,x\n", "names no page of this corpus"),
        ("labels.csv", b"url,label\nhttp://a.test/\n", "2: 1 values"),
        ("labels.csv", b"url,label\nhttp://a.test/\xff,x\n", "cannot read "),
        ("traces.csv", b"user,url\n", "no column 'time'"),
        ("traces.csv", b"user,time,url\na,soon,http://a.test/island\n", "'soon' is no time"),
        ("traces.csv", b"user,time,url\na,1,http://b.test/\n", "names no page of this corpus"),
        ("traces.csv.gz", b"not packed", "cannot read "),
        ("traces.csv.gz", gzip.compress(b"user,time,url\n" * 999, mtime=0)[:-20], "cannot read "),
    ],
)
def test_files_that_cannot_be_used_are_told_in_one_line(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    write_warc(tmp_path / "x.warc.gz", [Page("http://a.test/island", b"alone")])
    (tmp_path / name).write_bytes(data)
    corpus = open_(tmp_path, jobs=1)
    with pytest.raises(UserError, match=message) as error:
        _ = corpus.labels if name == "labels.csv" else corpus.traces
    assert "\n" not in str(error.value)
