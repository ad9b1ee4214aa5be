"""ERID on pages: keywords by language, a threshold of 0, and menus in the papers' form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dowse.engine.page.judged import judged
from dowse.engine.page.step import PageStep
from dowse.engine.workers.job import Job
from dowse.frontier.scope import StaticScope
from dowse.judge import build_judge
from dowse.model.errors import TopicError
from dowse.model.facts import PageFacts
from dowse.model.http import Response
from dowse.model.page import Verdict
from dowse.model.topic import Example, JudgeSettings, Keyword, Topic
from dowse.model.topicfile import parse_topic, topic_from_json, topic_to_json
from dowse.model.words import LINE_END, word_hash, words

GERMAN = (
    "Die Solarzellen auf den Dächern liefern an sonnigen Tagen viel Strom für die Häuser der Stadt, und jede "
    "Solarzelle wird von der Gemeinde bezahlt, weil der Rat es so beschlossen hat."
)
ENGLISH = "The solar cells on the roofs bring much power for the houses of the town, and each solar cell is paid for."
FILE = """
[keywords]
"solar cell" = 2
power = 1

[keywords.de]
Solarzelle = 3
Gemeinde = 1

[judge]
method = "erid"
threshold = 0.01
"""


def verdict(topic: Topic, text: str, language: str = "") -> Verdict:
    return build_judge(topic).verdict(words(text), PageFacts(language=language))


def on_page(topic: Topic, text: str, language: str) -> Verdict:
    """What a worker makes of it."""
    html = f'<html lang="{language}"><body><p>{text}</p></body></html>'.encode()
    answer = Response("http://a.test/", 200, (("Content-Type", "text/html; charset=utf-8"),), html)
    step = PageStep(build_judge(topic), StaticScope(topic.scope, ()), 100)
    return step.digest(Job(answer, 0.0)).verdict


def test_a_page_is_judged_by_the_keywords_of_its_language_and_their_stems() -> None:
    topic = parse_topic(FILE, "topic.toml")
    found = verdict(topic, GERMAN, "de")
    alone = parse_topic(FILE.replace("[keywords.de]", "").replace('"solar cell" = 2\npower = 1\n', "").replace(
        'method = "erid"', 'method = "erid"\nlanguage = "german"'), "topic.toml")  # fmt: skip
    assert found.score == verdict(alone, GERMAN).score > 0
    assert {reason.name for reason in found.reasons} == {"keyword: Solarzelle", "keyword: Gemeinde"}
    assert found.reasons[0].value == pytest.approx(found.reasons[1].value * 2), "both of its forms count"
    assert verdict(topic, GERMAN, "").score == 0.0, "who does not know the language has the usual keywords"
    assert verdict(topic, ENGLISH, "en").score == verdict(replace(topic, keywords=topic.keywords[:2]), ENGLISH).score


def test_workers_do_the_same() -> None:
    topic = parse_topic(FILE, "topic.toml")
    for text, language in ((GERMAN, "de"), (ENGLISH, "en")):
        assert on_page(topic, text, language).score == pytest.approx(verdict(topic, text, language).score)
        assert on_page(topic, text, language).relevant


def test_a_language_without_stems_goes_word_by_word() -> None:
    topic = Topic(keywords=(Keyword("solární", language="cs"), Keyword("x")), judge=JudgeSettings("erid"))
    assert verdict(topic, "solární panely a solárních panelů", "cs").score == pytest.approx(1 / 5)


def test_where_all_keywords_have_a_language_others_are_judged_by_all() -> None:
    topic = Topic(keywords=(Keyword("solar", language="en"), Keyword("Sonne", language="de")),
                  judge=JudgeSettings("erid", language="none"))  # fmt: skip
    assert verdict(topic, "solar Sonne", "fr").score == pytest.approx(0.5)
    assert verdict(topic, "solar Sonne", "de").score == pytest.approx(0.5)
    assert verdict(topic, "solar solar", "de").score == 0.0


def test_keywords_by_language_are_kept_and_checked() -> None:
    topic = parse_topic(FILE, "topic.toml")
    assert topic_from_json(topic_to_json(topic)) == topic
    assert parse_topic('[keywords]\nde = ["Zelle"]\n', "topic.toml").keywords == (Keyword("Zelle", 1.0, "de"),)
    with pytest.raises(TopicError, match="not a language code"):
        parse_topic("[keywords.german]\nZelle = 1\n", "topic.toml")
    with pytest.raises(TopicError, match="above 0"):
        parse_topic("[keywords.de]\nZelle = 0\n", "topic.toml")
    with pytest.raises(TopicError, match="only stop words"):
        build_judge(Topic(keywords=(Keyword("x"), Keyword("der die das", language="de"))))


@pytest.mark.parametrize("method", ["erid", "similarity"])
def test_a_threshold_of_0_accepts_a_score_of_0(method: str) -> None:
    topic = Topic(query="solar", judge=JudgeSettings(method, threshold=0.0))
    assert verdict(topic, "bread and butter").relevant
    assert not verdict(replace(topic, judge=JudgeSettings(method, threshold=1e-9)), "bread and butter").relevant


def test_examples_that_say_nothing_do_not_make_a_threshold_of_0() -> None:
    topic = Topic(query="solar", examples=(Example("a", True, "bread"), Example("b", True, "butter")),
                  judge=JudgeSettings("erid"))  # fmt: skip
    assert not verdict(topic, "wind and rain").relevant


def test_a_menu_counts_in_full_in_paper_form() -> None:
    """A site's menu is on the topic, the page is not."""
    menu, own = "solar solar solar", "bread bread bread bread bread"
    known = np.sort(np.array([_line(menu)], np.uint64)).tobytes()
    scores = {}
    for form in ("paper", "robust"):
        topic = Topic(query="solar", judge=JudgeSettings("erid", language="none", form=form))
        judge = build_judge(topic)
        reading = judge.nearness.read([*words(menu), LINE_END, *words(own)])
        scores[form] = judged(judge, reading, [0, 1], known).verdict.score
        assert judged(judge, reading, [0, 1], b"").verdict.score == pytest.approx(3 / 8), "not known as a menu yet"
    assert scores["paper"] == pytest.approx(3 / 8)
    assert scores["robust"] == pytest.approx(0.75 / 5.75)


def _line(text: str) -> int:
    return sum(word_hash(word) for word in words(text)) % 2**64


def test_what_the_strategy_wants_counted_is_counted_whatever_the_judge_counts() -> None:
    known = np.sort(np.array([_line("solar solar solar")], np.uint64)).tobytes()
    found = {}
    for form in ("paper", "robust"):
        judge = build_judge(Topic(query="solar", judge=JudgeSettings("erid", language="none", form=form)))
        reading = judge.nearness.read([*words("solar solar solar"), LINE_END, *words("bread bread bread bread bread")])
        found[form] = [judged(judge, reading, [0, 1], known, menus=menus).similarity for menus in (False, True)]
    assert found["paper"] == found["robust"]
    assert found["paper"][0] < found["paper"][1]


def test_a_menu_counts_less_for_the_keywords_of_a_language_too() -> None:
    known = np.sort(np.array([_line("Sonne Sonne Sonne")], np.uint64)).tobytes()
    text = [*words("Sonne Sonne Sonne"), LINE_END, *words("Brot Brot Brot Brot Brot")]
    scores = {}
    for form in ("paper", "robust"):
        topic = Topic(keywords=(Keyword("x"), Keyword("sonnen", language="de")),
                      judge=JudgeSettings("erid", form=form))  # fmt: skip
        judge = build_judge(topic)
        own = judge.nearness.pools["de"].read(text)
        facts = PageFacts(language="de")
        scores[form] = judged(judge, judge.nearness.read(text), [0, 1], known, facts, own=own).verdict.score
    assert scores["paper"] == pytest.approx(3 / 8)
    assert scores["robust"] == pytest.approx(0.75 / 5.75)
