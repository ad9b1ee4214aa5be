from __future__ import annotations

import math
import pickle
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.judge import TERMS, TopicJudge, build_judge
from dowse.judge.frequencies import Frequencies
from dowse.model.topic import JudgeSettings, Topic
from dowse.model.words import LINE_END, words

WORDS = ["solar", "cell", "bird", "nest", "zebra", "lamp"]
pages = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12), max_size=8)


def made(weighting: str) -> TopicJudge:
    return build_judge(Topic(query="solar cell", judge=JudgeSettings(weighting=weighting, language="none")))


def literal(page: list[str], before: list[list[str]], weighting: str) -> float:
    """The cosine of two vectors of tf (or 1 + log tf) times idf over the pages before."""

    def idf(term: str) -> float:
        return 1 + math.log((len(before) + 1) / (sum(term in other for other in before) + 1))

    def vector(counts: Counter[str]) -> dict[str, float]:
        return {
            term: (1 + math.log(count) if weighting == "log-idf" else count) * idf(term)
            for term, count in counts.items()
        }

    own, topic = vector(Counter(page)), vector(Counter(["solar", "cell"]))
    product = sum(own.get(term, 0.0) * value for term, value in topic.items())
    return product / math.hypot(*own.values()) / math.hypot(*topic.values())


@pytest.mark.parametrize("weighting", ["log-idf", "tf-idf"])
@given(story=pages)
def test_rare_terms_weigh_more_as_pages_are_fetched(weighting: str, story: list[list[str]]) -> None:
    judge = made(weighting)
    for place, page in enumerate(story):
        reading = judge.nearness.read([*page, LINE_END, *page[:2]])
        assert judge.nearness.similarities(reading)[0] == pytest.approx(literal(page, story[:place], weighting))
        assert judge.nearness.similarities(reading)[1] == pytest.approx(literal(page[:2], story[:place], weighting))
        alone = judge.nearness.read(page)
        verdict = judge.verdict_of(alone)
        assert verdict.similarity == pytest.approx(literal(page, story[:place], weighting))
        assert sum(reason.contribution for reason in verdict.reasons) == pytest.approx(verdict.score)
        assert judge.nearness.similarity(" ".join(page)) == pytest.approx(verdict.similarity)
        judge.nearness.learn(alone)
    assert judge.nearness.frequencies is not None
    assert judge.nearness.frequencies.pages == len(story)


def test_before_the_first_page_idf_changes_nothing() -> None:
    page = words("solar cells and a cell of solar glass on a lamp")
    for plain in ("log", "tf"):
        assert made(f"{plain}-idf").verdict(page).similarity == pytest.approx(made(plain).verdict(page).similarity)


def test_workers_share_what_they_learn_and_a_restart_keeps_it(tmp_path: Path) -> None:
    judge = made("log-idf").kept_at(tmp_path)
    assert judge.nearness.frequencies is not None
    judge.nearness.frequencies.prepare(fresh=True)
    one, other = (pickle.loads(pickle.dumps(judge)) for _ in range(2))
    for _ in range(20):
        one.nearness.learn(one.nearness.read(["bird", "nest"]))
    page = ["solar", "bird", "nest"]
    assert other.verdict(page).similarity == one.verdict(page).similarity > made("log-idf").verdict(page).similarity
    before = (tmp_path / TERMS).read_bytes()
    looking = made("log-idf").as_of([tmp_path])
    assert looking.verdict(page).similarity == one.verdict(page).similarity
    with pytest.raises(ValueError, match="read-only"):
        looking.nearness.learn(looking.nearness.read(page))
    assert (tmp_path / TERMS).read_bytes() == before
    again = Frequencies(tmp_path / TERMS)
    again.prepare(fresh=False)
    assert again.pages == 20
    again.start_over()
    assert Frequencies(tmp_path / TERMS).pages == 0
    judge.nearness.frequencies.prepare(fresh=True)
    assert judge.nearness.frequencies.idf(np.array([3], np.uint64)).tolist() == [1.0]


def test_what_several_files_have_counted_is_added_up(tmp_path: Path) -> None:
    story = [["bird", "nest"], ["bird"], ["solar"]]
    for number, seen in enumerate((story[:1], story[1:])):
        (tmp_path / str(number)).mkdir()
        judge = made("log-idf").kept_at(tmp_path / str(number))
        assert judge.nearness.frequencies is not None
        judge.nearness.frequencies.prepare(fresh=True)
        for page in seen:
            judge.nearness.learn(judge.nearness.read(page))
    looking = made("log-idf").as_of([tmp_path, tmp_path / "0", tmp_path / "1"])
    page = ["solar", "bird", "lamp"]
    assert looking.verdict(page).similarity == pytest.approx(literal(page, story, "log-idf"))
