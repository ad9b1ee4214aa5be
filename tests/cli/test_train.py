from __future__ import annotations

import json
from pathlib import Path

import pytest

from dowse.judge import load_category
from dowse.judge.bags import bag_of
from dowse.loopback import in_thread
from dowse.store import CrawlReader
from tests.cli.labelled import PAGES, crawled, html, mistake, said, two_kinds
from tests.judge.made import BIRDS, ENGLISH, STEEL, texts
from tests.lab.corpus.made import Page, write_warc

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Page files of two kinds, some in a folder below."""
    monkeypatch.chdir(tmp_path)
    for name, subject in (("good", BIRDS), ("bad", STEEL)):
        (tmp_path / name / "more").mkdir(parents=True)
        for number, text in enumerate(texts(subject, 10)):
            place = tmp_path / name / ("more" if number % 2 else ".")
            if number == 4:
                (place / f"{number}.txt").write_text(text, "utf-8")
            else:
                (place / f"{number}.html").write_text(html(f"page {number}", text), "utf-8")
        (tmp_path / name / "image.png").write_bytes(b"\x89PNG")
    return tmp_path


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled(tmp_path_factory.mktemp("train") / "crawl")


def inside(path: Path, subject: list[str]) -> float:
    """The probability of a text of a subject that was not among the examples."""
    bag = bag_of(texts(subject, 1, seed=77)[0], ENGLISH)
    return load_category(path).probability(bag.hashes, bag.counts)


def test_folders_of_pages_make_a_category(folder: Path, capsys: Capture) -> None:
    out, err = said(capsys, "train", "birds", "--positive", "good", "--negative", "bad")
    assert "birds: 10 positive and 10 negative examples" in out
    assert all(name in out for name in ("precision", "recall", "F1", "AUC", "threshold: ", "for: ", "against: "))
    assert 'written: birds.category.json. In a predicate: category("birds") > 0.6' in out
    assert "uncertain" in err
    assert inside(Path("birds.category.json"), BIRDS) > 0.6 > 0.4 > inside(Path("birds.category.json"), STEEL)


def test_json_for_programs(folder: Path, capsys: Capture) -> None:
    out, _ = said(capsys, "train", "birds", "--positive", "good", "--negative", "bad", "--json", "--out", "b.json")
    found = json.loads(out)
    assert (found["name"], found["file"], found["examples"]) == ("birds", "b.json", {"positive": 10, "negative": 10})
    assert found["measured"]["auc"]["low"] <= found["measured"]["auc"]["value"] <= 1
    assert found["for"][0][1] > 0 > found["against"][0][1]
    assert Path("b.json").is_file()


def test_the_examples_of_a_topic(folder: Path, capsys: Capture) -> None:
    Path("topic.toml").write_text(
        'query = "birds"\n[examples]\npositive = ["good/*.html", "good/more/*.html"]\n'
        'negative = ["bad/*.html", "bad/more/*.html"]\n[judge]\nlanguage = "none"\n', "utf-8")  # fmt: skip
    out, _ = said(capsys, "train", "birds", "--topic", "topic.toml")
    assert "9 positive and 9 negative" in out
    assert load_category(Path("birds.category.json")).language == "none"
    more = ["--positive", "good/4.txt", "--language", "german"]
    assert "birds.category.json already exists" in mistake(capsys, "train", "birds", "--topic", "topic.toml", *more)
    out, _ = said(capsys, "train", "birds", "--topic", "topic.toml", *more, "--force")
    assert "10 positive and 9 negative" in out
    assert load_category(Path("birds.category.json")).language == "german"


def test_files_and_globs_one_by_one(folder: Path, capsys: Capture) -> None:
    sources = [part for file in sorted(Path("good").rglob("*.*ml")) for part in ("--positive", str(file))]
    out, _ = said(capsys, "train", "birds", *sources, "--negative", "bad/*.html", "--negative", "bad/more/*.html")
    assert "9 positive and 9 negative" in out


def test_pages_of_the_web_and_lists_of_them(folder: Path, capsys: Capture) -> None:
    Path("urls.txt").write_text("# birds\n" + "".join(f"http://a.test/bird/{n}\n" for n in range(8)), "utf-8")
    Path("urls.csv").write_text("url\nhttp://a.test/bird/8\nhttp://a.test/lost\n", "utf-8")
    Path("topic.toml").write_text('query = "birds"\n[politeness]\ndelay = 0\n', "utf-8")
    with in_thread(two_kinds()) as server:
        out, err = said(
            capsys, "train", "birds", "--positive", "urls.txt", "--positive", "urls.csv", "--positive",
            "http://a.test/bird/9", "--negative", "bad", "--topic", "topic.toml",
            "--allow-private", "--resolve", f"*.test={server.address}",
        )  # fmt: skip
    assert "10 positive and 10 negative" in out
    assert "fetching 1 of 11: http://a.test/bird/0" in err
    assert "left out: cannot fetch http://a.test/lost: http 404" in err


def test_verdicts_of_a_crawl(crawl: Path, tmp_path: Path, capsys: Capture) -> None:
    with CrawlReader(crawl) as records:
        relevant = len(records.judged_pages(True))
        irrelevant = len(records.judged_pages(False))
    assert relevant == PAGES
    out, _ = said(
        capsys, "train", "birds", "--positive", f"{crawl}:relevant", "--negative", f"{crawl}:irrelevant",
        "--out", str(tmp_path / "b.json"),
    )  # fmt: skip
    assert f"{relevant} positive and {irrelevant} negative" in out
    assert inside(tmp_path / "b.json", BIRDS) > 0.5 > inside(tmp_path / "b.json", STEEL)


def rows(kinds: dict[str, str]) -> str:
    return "url,label\n" + "".join(f"http://a.test/{kind}/{n},{kinds[kind]}\n" for kind in kinds for n in range(PAGES))


def test_labels_of_a_crawl_and_of_a_corpus(crawl: Path, tmp_path: Path, capsys: Capture) -> None:
    """A label may have a colon in it, and a row may name what is not there."""
    table = rows({"bird": "kind:bird", "steel": "steel"}) + "http://a.test/lost,steel\n"
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    pages = two_kinds().fixed()
    write_warc(corpus / "x.warc.gz", [Page(url, resource.body) for url, resource in pages])
    for folder in (crawl, corpus):
        (folder / "my labels.csv").write_text(table, "utf-8")
        place = folder / "my labels.csv"
        out, err = said(
            capsys, "train", "birds", "--positive", f"{place}:kind:bird", "--negative", f"{place}:steel",
            "--out", str(tmp_path / "b.json"), "--force",
        )  # fmt: skip
        assert f"{PAGES} positive and {PAGES} negative" in out
        assert f"1 of its pages are not in {folder}" in err
        assert "no page with the label 'cat'; it has kind:bird, steel" in mistake(
            capsys, "train", "birds", "--positive", f"{place}:cat", "--negative", f"{place}:steel"
        )
    (crawl / "my labels.csv").unlink()


def test_embeddings_when_they_are_installed(folder: Path, capsys: Capture) -> None:
    said(capsys, "train", "birds", "--positive", "good", "--negative", "bad", "--embed")
    category = load_category(Path("birds.category.json"))
    assert category.needs_text
    text = texts(BIRDS, 1, seed=77)[0]
    bag = bag_of(text, ENGLISH)
    assert category.probability(bag.hashes, bag.counts, text) > 0.5
    with pytest.raises(ValueError, match="needs the text"):
        category.probability(bag.hashes, bag.counts)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["birds"], "no positive examples"),
        (["birds", "--positive", "good"], "no negative examples"),
        (["birds", "--positive", "gone", "--negative", "bad"], "there is no 'gone'"),
        (["birds", "--positive", "", "--negative", "bad"], "is empty"),
        (["birds", "--positive", "gone/*.html", "--negative", "bad"], "there is no 'gone/*.html'"),
        (["birds", "--positive", "good/0.html", "--negative", "bad"], "1 positive example: a category needs"),
        (["birds", "--positive", "empty", "--negative", "bad"], "empty holds no page files"),
        (["birds", "--positive", "labels.csv:bird", "--negative", "bad"], "no column 'url'"),
        (["a/b", "--positive", "good", "--negative", "bad"], "cannot name a category"),
        (
            ["birds", "--positive", "good", "--negative", "bad", "--language", "klingon"],
            "--language: must be none",
        ),
        (["birds", "--positive", "good", "--negative", "bad", "--out", "none/b.json"], "cannot write none/b.json"),
        (["birds", "--positive", "good", "--negative", "good"], "0 positive examples"),
        (["birds", "--topic", "gone.toml"], "cannot read the topic file"),
    ],
)
def test_mistakes_are_told_on_one_line(arguments: list[str], told: str, folder: Path, capsys: Capture) -> None:
    (folder / "empty").mkdir()
    (folder / "labels.csv").write_text("page,kind\n", "utf-8")
    assert told in mistake(capsys, "train", *arguments)
    assert not Path("birds.category.json").exists()


def test_a_crawl_without_such_pages(crawl: Path, folder: Path, capsys: Capture) -> None:
    assert f"say {crawl}:relevant" in mistake(capsys, "train", "x", "--positive", str(crawl), "--negative", "bad")
