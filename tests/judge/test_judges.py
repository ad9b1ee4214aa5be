from __future__ import annotations

import pickle
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.judge import build_judge
from dowse.model.errors import TopicError
from dowse.model.topic import Example, JudgeSettings, Keyword, Topic
from dowse.model.words import words

SOLAR = (
    "Perovskite solar cells turn light into electricity. The efficiency of a solar cell grew fast; perovskite "
    "layers are printed from solution. Researchers stack perovskite and silicon in tandem cells to pass the limit "
    "of a single cell."
)
PANELS = (
    "A solar panel holds many silicon cells. Efficiency of the panel depends on light, heat and the cells. New "
    "perovskite layers in tandem cells may double what a panel of solar cells makes of the light."
)
MODULES = (
    "Tandem modules put a perovskite cell over a silicon cell. The modules convert more light; their efficiency "
    "in tests passed that of any silicon solar module. Perovskite layers still degrade in heat."
)
BIRDS = (
    "Garden birds nest in spring. The blackbird sings at dawn, and swallows return from Africa to breed under "
    "roofs. Bird watchers count species every winter and report the numbers of each bird to the society."
)
COOKING = (
    "Bread needs flour, water, salt and time. Knead the dough, let it rest for an hour and bake it in a hot oven "
    "until the crust is brown. A sourdough starter replaces yeast."
)


def test_query_topic_accepts_its_page_and_refuses_others() -> None:
    judge = build_judge(Topic(query="perovskite solar cells"))
    verdict = judge.verdict(words(SOLAR))
    assert verdict.relevant
    assert verdict.method == "similarity"
    assert verdict.score == verdict.similarity > verdict.threshold == 0.06
    assert verdict.erid > 0
    assert verdict.reasons[0].name == "term: cell"
    assert not judge.verdict(words(BIRDS)).relevant
    assert judge.verdict([]).score == 0.0
    assert not judge.verdict([]).relevant


@pytest.mark.parametrize("method", ["similarity", "erid"])
@given(page=st.lists(st.sampled_from(words(SOLAR + BIRDS)), max_size=80))
def test_reasons_add_up_to_the_score(method: str, page: list[str]) -> None:
    keywords = tuple(
        Keyword(text, weight) for weight, text in enumerate(dict.fromkeys(words(SOLAR + BIRDS)), 1) if len(text) > 5
    )
    judge = build_judge(
        Topic(query="solar", keywords=(*keywords, Keyword("solar cell", 3)), judge=JudgeSettings(method=method))
    )
    verdict = judge.verdict(page)
    assert 0 <= verdict.score <= 1
    assert sum(reason.contribution for reason in verdict.reasons) == pytest.approx(verdict.score, abs=1e-9)
    assert len(verdict.reasons) <= 9
    assert verdict.relevant == (verdict.score > 0 and verdict.score >= verdict.threshold)


def test_examples_make_a_topic_without_a_query() -> None:
    examples = (Example("a", text=SOLAR), Example("b", text=PANELS), Example("c", False, BIRDS))
    judge = build_judge(Topic(examples=examples))
    assert judge.verdict(words(MODULES)).relevant
    assert not judge.verdict(words(BIRDS)).relevant
    assert not judge.verdict(words(COOKING)).relevant
    one = build_judge(Topic(examples=examples[:1]))
    assert one.verdict(words(PANELS)).relevant
    assert not one.verdict(words(COOKING)).relevant


def test_erid_uses_the_query_where_there_are_no_keywords() -> None:
    settings = JudgeSettings(method="erid")
    judge = build_judge(Topic(query="solar cells of solar", judge=settings))
    verdict = judge.verdict(["solar", "cells", "bird", "bird"])
    assert verdict.score == verdict.erid == pytest.approx(0.25)
    assert [reason.name for reason in verdict.reasons] == ["keyword: cells", "keyword: solar"]
    with pytest.raises(TopicError, match="keywords"):
        build_judge(Topic(examples=(Example("a", text=SOLAR),), judge=settings))


def test_similarity_of_short_texts() -> None:
    judge = build_judge(Topic(query="solar cells"))
    assert judge.nearness.similarity("Solar cell") == pytest.approx(1.0)
    assert judge.nearness.similarity("the SOLAR panel") == pytest.approx(0.5)
    assert judge.nearness.similarity("home") == 0.0
    assert judge.nearness.similarity("") == 0.0
    assert judge.nearness.similarity("of the") == 0.0


def test_an_explicit_threshold_wins() -> None:
    topic = Topic(query="solar", examples=(Example("a", text=SOLAR),), judge=JudgeSettings(threshold=0.9))
    assert build_judge(topic).threshold == 0.9


@pytest.mark.parametrize(
    "topic",
    [
        Topic(),
        Topic(query="...", examples=(Example("a"),)),
        Topic(examples=(Example("a", False, SOLAR),)),
        Topic(query="x", judge=JudgeSettings(method="magic")),
        Topic(query="x", judge=JudgeSettings(weighting="idf")),
        Topic(query="x", judge=JudgeSettings(language="latin")),
    ],
)
def test_a_topic_that_says_nothing_is_the_users_mistake(topic: Topic) -> None:
    with pytest.raises(TopicError):
        build_judge(topic)


def test_stop_words_count_where_a_topic_has_nothing_else() -> None:
    judge = build_judge(Topic(query="IT"))
    page, other = (judge.verdict(words(text)) for text in ("An IT department runs servers", "A department of bakers"))
    assert page.relevant
    assert not other.relevant
    assert build_judge(Topic(query="IT jobs")).verdict(words("it is it")).score == 0


def test_a_judge_sent_to_another_process_gives_the_same_verdicts() -> None:
    judge = build_judge(
        Topic(query="solar", keywords=(Keyword("tandem cell", 2),), examples=(Example("a", text=SOLAR),))
    )
    again = pickle.loads(pickle.dumps(judge))
    for text in (SOLAR, PANELS, BIRDS):
        assert again.verdict(words(text)) == judge.verdict(words(text))
        assert again.nearness.similarity(text) == judge.nearness.similarity(text)


def test_other_scripts_and_languages() -> None:
    judge = build_judge(Topic(query="太陽電池", judge=JudgeSettings(language="none")))
    assert judge.nearness.similarity("新しい太陽電池の効率") > 0.3
    german = build_judge(Topic(query="Häuser", judge=JudgeSettings(language="german")))
    assert german.nearness.similarity("ein altes Haus") > 0


@given(page=st.lists(st.sampled_from([*words(SOLAR + BIRDS + COOKING), "the", "of"]), max_size=120))
@pytest.mark.parametrize("weighting", ["log", "tf"])
def test_counting_with_arrays_gives_the_plain_cosine(weighting: str, page: list[str]) -> None:
    judge = build_judge(
        Topic(
            query="perovskite solar cells", keywords=(Keyword("bird nest", 2), Keyword("solar cell", 1)),
            judge=JudgeSettings(weighting=weighting),
        )
    )  # fmt: skip
    terms = judge.nearness.terms.sequence(page)
    counts = Counter(terms)
    verdict = judge.verdict(page)
    assert verdict.similarity == pytest.approx(judge.nearness.vector.cosine(counts))
    assert judge.nearness.pool is not None
    shares = judge.nearness.pool.shares(counts, len(terms), judge.nearness.read(page).occurrences) if terms else []
    assert verdict.erid == pytest.approx(sum(share.share * share.weight for share in shares))
    assert verdict == judge.verdict(page)
