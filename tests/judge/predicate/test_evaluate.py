"""What each test of a page means."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from dowse.judge import Category, build_judge, category_files, check_predicate, embedding, load_category
from dowse.judge.bags import bag_of
from dowse.model.errors import TopicError
from dowse.model.facts import PageFacts
from dowse.model.objects import FoundObject
from dowse.model.page import Part
from dowse.model.topic import Expression, JudgeSettings, Keyword, Topic
from dowse.model.words import words
from tests.judge.predicate.made import write_made

FACTS = PageFacts("https://www.bbc.co.uk/sport/Ice%20Hockey?page=2", "The state of ice hockey", "en", 40, 7,
                  frozenset({"event", "video.movie"}))  # fmt: skip
TEXT = "Hockey players of the NHL play hockey on ice. A state of the union, and hockeys."


@pytest.mark.parametrize(
    ("predicate", "held"),
    [
        ('word("hockey")', True),
        ('word("HOCKEYS") >= 3', True),  # stemmed, without case
        ('word("hockey") > 3', False),
        ('word("state union")', True),  # stop words are passed over
        ('word("state of the union")', True),
        ('word("union state")', False),
        ('word("curling") == 0', True),
        ('title("ice hockey")', True),
        ('title("hockey ice")', False),
        ('title("states")', True),
        ('title("ice") < 1', False),
        ('url.host("www.bbc.co.uk")', True),
        ('url.host("bbc.co.uk")', False),
        ('url.host("*.bbc.co.uk")', True),
        ('url.host("*.WWW.bbc.co.uk")', True),
        ('url.host("*.bbc.co.uk.")', True),
        ('url.suffix(".UK.")', True),
        ('url.host("w*k")', True),
        ('url.suffix(".uk")', True),
        ('url.suffix("uk")', True),
        ('url.suffix("bc.co.uk")', False),
        ('url.suffix(".com")', False),
        ('url.glob("/sport/*")', True),
        ('url.glob("/sport")', False),
        ('url.glob("*page=?")', False),  # only * is special
        ('url.glob("/sport/Ice Hockey*")', True),
        (r'url.regex("/sport/[A-Z]\w+")', True),
        ('url.regex("^http:")', False),
        ('url.contains("ice%20hockey")', True),
        ("words >= 40 and links < 8", True),
        ("words > 40", False),
        ('language == "en"', True),
        ('language == "EN"', True),
        ('language != "en"', False),
        ('object("Event")', True),
        ('object("schema:Event")', True),
        ('object("http://schema.org/Event")', True),
        ('object("video.movie")', True),
        ('object("Thing")', False),
    ],
)
def test_each_test(predicate: str, held: bool) -> None:
    verdict = build_judge(Topic(predicate=predicate)).verdict(words(TEXT), FACTS)
    assert verdict.relevant == held
    assert (verdict.score >= 0.5) == held


EVENTS = (
    FoundObject("MusicEvent", {"name": "Žižkov Jazz!", "location": "Kino", "location.address.addressLocality": "Brno",
                               "startDate": "2026-05-12T19:30", "offers.price": 12.5, "free": False}),
    FoundObject("MusicEvent", {"name": "Late", "location": "Hall 3, Bratislava, Slovakia", "startDate": "June 3, 2026",
                               "offers.price": "20"}),
)  # fmt: skip


@pytest.mark.parametrize(
    ("test", "value", "held"),
    [
        ('.name == "zizkov jazz"', "zizkov jazz", True),
        ('.name == "Jazz"', "Žižkov Jazz!", False),
        ('.location == "Bratislava"', "Bratislava", True),  # a part of a place
        ('.location == "Brno, Czechia"', "Brno, Czechia", True),  # told of the place, country aside
        ('.location != "Brno"', "Brno", False),
        ('.location == "Graz"', "Kino", False),
        ('.startDate == "2026-05"', "2026-05", True),
        ('.startDate == "2026-06-03"', "2026-06-03", True),
        ('.startDate < "2026-06"', "2026-05", True),
        ('.startDate > "2026-06-02"', "2026-06-03", True),
        ('.startDate > "2026-06-03"', "2026-06-03", False),
        ('.startDate >= "2027"', "2026", False),
        ('.startDate > "2026-05-12T19:00"', "2026-05-12T19:30", True),  # the other has no time
        (".offers.price < 13", 12.5, True),
        (".offers.price > 13", 20.0, True),
        (".offers.price == 13", 12.5, False),
        (".offers > 13", None, False),  # prices are no prices of offers
        (".free", None, True),
        (".free == 0", 0.0, True),
        (".price", None, False),
        (".price < 3", None, False),
        (".price != 3", None, True),
        ('.price != "free"', None, True),
    ],
)
def test_fields_of_objects(test: str, value: float | str | None, held: bool) -> None:
    facts = PageFacts("https://a.org/", objects=frozenset({"musicevent"}), stated=EVENTS)
    verdict = build_judge(Topic(predicate=f'object("MusicEvent"){test}')).verdict([], facts)
    assert (verdict.relevant, verdict.parts[0].value) == (held, value)
    assert (verdict.score >= 0.5) is held
    other = build_judge(Topic(predicate=f'not object("MusicEvent"){test}')).verdict([], facts)
    assert other.relevant is not held
    none = build_judge(Topic(predicate=f'object("Event"){test}')).verdict([], facts)
    assert none.relevant is ("!=" in test)


def test_the_examples_of_the_paper() -> None:
    """METHODS, section 4: the word NBA, and a URL under .uk."""
    judge = build_judge(Topic(predicate='word("NBA") and url.suffix(".uk")'))
    assert judge.verdict(["nba"], FACTS).relevant
    assert not judge.verdict(["nba"], PageFacts("https://nba.com/")).relevant
    assert not judge.verdict(["nhl"], FACTS).relevant


def test_parts_have_what_was_written_and_measured() -> None:
    topic = Topic(query="ice", predicate='not (language == "de") and (similarity  >  0.9 or word("hockey")>=2)')
    verdict = build_judge(topic).verdict(words(TEXT), FACTS)
    assert verdict.parts == (
        Part("and", True, verdict.score, None, 0),
        Part("not", True, 1.0, None, 1),
        Part('language == "de"', False, 0.0, "en", 2),
        Part("or", True, 1 - 2 / 6, None, 1),
        Part("similarity  >  0.9", False, 0.49 * (verdict.similarity / 0.9), verdict.similarity, 2),
        Part('word("hockey")>=2', True, 1 - 2 / 6, 3.0, 2),
    )
    assert verdict.score == pytest.approx((1.0 + 1 - 2 / 6) / 2)


def test_similarity_and_erid_are_still_measured() -> None:
    plain = build_judge(Topic(keywords=(Keyword("hockey"), Keyword("ice", 2.0)))).verdict(words(TEXT))
    topic = Topic(keywords=(Keyword("hockey"), Keyword("ice", 2.0)), predicate='word("union")')
    judge = build_judge(topic)
    verdict = judge.verdict(words(TEXT))
    assert (verdict.similarity, verdict.erid) == (plain.similarity, plain.erid)
    assert plain.erid > 0
    assert judge.nearness.similarity("union") == 0, "the topic's own words are what texts are compared with"


def test_a_predicate_alone_asks_for_its_words() -> None:
    judge = build_judge(
        Topic(predicate='(word("ice hockey") or title("NBA")) and not word("bread") and word("cheese") < 2')
    )
    assert judge.nearness.similarity("Ice hockey") > 0
    assert judge.nearness.similarity("the NBA") > 0
    assert judge.nearness.similarity("bread and cheese") == 0
    double = build_judge(Topic(predicate='not (not word("bread") or word("cheese") > 0)'))
    assert double.nearness.similarity("bread") > 0
    assert double.nearness.similarity("cheese") == 0


@pytest.mark.parametrize("weighting", ["log", "log-idf"])
def test_a_predicate_without_words_works(weighting: str) -> None:
    judge = build_judge(Topic(predicate='language == "de"', judge=JudgeSettings(weighting=weighting)))
    reading = judge.nearness.read(words(TEXT))
    assert judge.nearness.similarities(reading).tolist() == [0.0]
    judge.nearness.learn(reading)
    assert judge.verdict_of(reading, PageFacts(language="de")).relevant
    assert not judge.verdict_of(reading, FACTS).relevant
    assert judge.nearness.similarity(TEXT) == 0


def test_a_threshold_beside_a_predicate_is_a_mistake() -> None:
    with pytest.raises(TopicError, match=r"judge.threshold: a predicate has no threshold"):
        build_judge(Topic(predicate='word("a b")', judge=JudgeSettings(threshold=0.3)))


def test_a_language_of_its_own() -> None:
    topic = Topic(predicate='word("Häuser")', judge=JudgeSettings(language="german"))
    assert build_judge(topic).verdict(words("Das Haus")).relevant


# -- categories ----------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_category_is_a_probability_with_a_threshold(folder: Path) -> None:
    write_made(folder / "sports.category.json", "hockey", "ice", "play")
    page = words("hockey ice bread butter")
    for predicate, held in [
        ('category("sports")', True),
        ('category("sports") > 0.5', False),
        ('category("sports") >= 0.5', True),
        ('not category("sports")', False),
    ]:
        verdict = build_judge(Topic(predicate=predicate)).verdict(page)
        assert verdict.relevant == held, predicate
        assert verdict.parts[-1].value == 0.5
    judge = build_judge(Topic(predicate='category("sports") > 0.6 and word("goal")'))
    assert judge.nearness.similarity("hockey") > judge.nearness.similarity("playing") > 0, (
        "its strongest terms stand for the topic"
    )
    assert build_judge(Topic(predicate='not category("sports")')).nearness.similarity("hockey") == 0


def test_a_category_with_embeddings_gets_title_and_text(folder: Path) -> None:
    path = write_made(folder / "sports.category.json", "hockey", embedded=0.3)
    facts = PageFacts(title="Ice hockey", text="They play hockey on ice.")
    page = words(f"{facts.title} {facts.text}")
    judge = build_judge(Topic(predicate='category("sports") and words < 9'))
    assert judge.judge.needs_text
    assert pickle.loads(pickle.dumps(judge)).judge.needs_text
    bag = bag_of(f"{facts.title}\n{facts.text}", judge.nearness.terms)
    expected = load_category(path).probability(bag.hashes, bag.counts, "Ice hockey\nThey play hockey on ice.")
    assert judge.verdict(page, facts).parts[1].value == expected
    assert judge.verdict(page, PageFacts(title="Bread")).parts[1].value != expected
    assert not build_judge(Topic(predicate="words < 9")).judge.needs_text


def test_without_the_extra_nothing_is_begun(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_made(folder / "sports.category.json", "hockey", embedded=0.3)
    monkeypatch.setattr(embedding, "find_spec", lambda name: None)
    with pytest.raises(TopicError, match=r"sports.category.json: needs embeddings: install them with: pip install"):
        check_predicate(Topic(predicate='category("sports")'))


def test_a_category_named_twice_is_asked_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_made(folder / "sports.category.json", "hockey")
    asked: list[str] = []
    probability = Category.probability

    def watched(self: Category, *page: Any) -> float:
        asked.append(self.name)
        return probability(self, *page)

    monkeypatch.setattr(Category, "probability", watched)
    judge = build_judge(Topic(predicate='category("sports") > 0.9 or category("sports") < 0.8 and category("sports")'))
    first, _, second, third = (part.value for part in judge.verdict(words(TEXT), FACTS).parts[1:])
    assert first == second == third
    assert len(asked) == 1


@pytest.mark.parametrize("name", ["größe 2", "日本", "c++", "a.b", "x" * 100])
def test_names_of_categories(folder: Path, name: str) -> None:
    write_made(folder / f"{name}.category.json", "hockey")
    assert build_judge(Topic(predicate=f'category("{name}")')).categories[name].terms == ("hockey",)


@pytest.mark.parametrize("name", ["../x", "a/b", ".x", "x ", " x", "a\\b", "日" * 100, "x" * 101])
def test_names_that_no_file_could_have(folder: Path, name: str) -> None:
    with pytest.raises(TopicError, match=r"column 10, at .*: a category's name has letters, digits"):
        build_judge(Topic(predicate=f'category("{name}")'))


def test_where_a_category_is_found(folder: Path) -> None:
    named = write_made(folder / "named.json", "a")
    here = write_made(folder / "sports.category.json", "b")
    (folder / "topics").mkdir()
    topic = Topic(predicate=Expression('category("sports")', "topics/t.toml", 3))
    assert category_files(topic) == {"sports": str(here)}
    beside = write_made(folder / "topics" / "sports.category.json", "c")
    assert category_files(topic) == {"sports": str(beside.relative_to(folder))}
    assert category_files(Topic(predicate=topic.predicate, categories={"sports": str(named)})) == {"sports": str(named)}


def test_a_category_that_is_not_there(folder: Path) -> None:
    with pytest.raises(TopicError) as caught:
        build_judge(Topic(predicate=Expression('word("a b") or category("arts")', "t.toml", 3)))
    assert str(caught.value).startswith('t.toml:3: predicate: column 16, at category("arts"): there is no category')
    assert "make arts.category.json with dowse train arts" in str(caught.value)
    assert "--category arts=FILE" in str(caught.value)


def test_a_category_in_another_language(folder: Path) -> None:
    write_made(folder / "sport.category.json", "eis", language="german")
    with pytest.raises(TopicError, match=r'is german, that of the topic english: set language = "german"'):
        build_judge(Topic(predicate='category("sport")'))


def test_a_regular_expression_sees_only_the_beginning_of_a_url() -> None:
    judge = build_judge(Topic(query="hockey", predicate='url.regex("found$") or url.regex("/found/")'))
    for url, held in (
        ("/found/" + "x" * 5_000, True),
        ("/" + "x" * 100 + "found", True),
        ("/" + "x" * 5_000 + "found", False),
    ):
        assert judge.verdict([], PageFacts(f"http://e.org{url}")).relevant is held
