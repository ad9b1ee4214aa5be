"""What a site repeats weighs less: in the verdict, and as the context of links."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.engine.page.judged import judged
from dowse.engine.page.step import PageStep
from dowse.engine.workers.job import Job
from dowse.frontier.scope import StaticScope
from dowse.judge import build_judge
from dowse.model.http import Response, Timings
from dowse.model.page import Context
from dowse.model.topic import JudgeSettings, Keyword, Scope, Topic
from dowse.model.words import LINE_END
from dowse.parse import Repeats
from tests.compiled import assert_agree, needs_core, pure

MENU = "<ul><li><ul><li><a href=/a>Solar cells</a><li><a href=/b>Wind</a></ul></ul>"
FOOT = "<div><div><p>By the <a href=/us>solar</a> people</p></div></div>"


def response(text: str, number: int) -> Response:
    html = f"<title>Page {number}</title>{MENU}<div><div><p>{text} <a href=/{number}>more</a></p></div></div>{FOOT}"
    return Response(f"http://example.org/{number}.html", 200, (("Content-Type", "text/html"),), html.encode(),
                    timings=Timings())  # fmt: skip


def step(**settings: object) -> PageStep:
    return PageStep(build_judge(Topic(query="solar cells", **settings)), StaticScope(Scope()), 100)  # type: ignore[arg-type]


def test_menus_and_footers_weigh_less_after_a_few_pages() -> None:
    take, repeats = step(), Repeats()
    texts = ("Hockey tonight", "The league of cooks", "Ships and shoes", "Cabbages and kings", "Solar cells at last")
    seen = []
    for number, text in enumerate(texts):
        digest = take.digest(Job(response(text, number), 0.0, repeats=repeats.known(0)))
        repeats.learn(0, digest.lines)
        seen.append(digest)
    first, known, good = seen[0], seen[3], seen[4]
    assert first.verdict.score > 0
    assert 0 < known.verdict.score < 0.5 * first.verdict.score, "its menu was known by then"
    assert good.verdict.score > known.verdict.score, "its own words count"
    menu = first.links.urls.index("http://example.org/a")
    assert known.links.similarity[menu, Context.BLOCK] == pytest.approx(
        0.25 * first.links.similarity[menu, Context.BLOCK]
    )
    assert known.links.similarity[menu, Context.ANCHOR] == first.links.similarity[menu, Context.ANCHOR]
    assert good.links.similarity[2, Context.BLOCK] > good.links.similarity[menu, Context.BLOCK]


@pytest.mark.parametrize("weighting", ["log", "tf-idf"])
def test_what_a_predicate_counts_depends_on_the_page_alone(weighting: str, tmp_path: Path) -> None:
    """The same page, before anything is known; when its menu is known to repeat, and terms to be frequent; and when
    more words were met than are kept in mind."""
    wanted = 'word("solar") >= 4 and word("solar cells") == 2 and word("wind") and not word("hockey")'
    topic = Topic(predicate=wanted, judge=JudgeSettings(weighting=weighting))
    judge = build_judge(topic).kept_at(tmp_path)
    if judge.nearness.frequencies is not None:
        judge.nearness.frequencies.prepare(fresh=True)
    take, repeats = PageStep(judge, StaticScope(Scope()), 100), Repeats()
    page = response("Solar cells and solar roofs", 9)

    def told() -> list[tuple[str, bool, object]]:
        digest = take.digest(Job(page, 0.0, repeats=repeats.known(0)))
        scores.append(digest.verdict.similarity)
        return [(part.text, part.held, part.value) for part in digest.verdict.parts]

    scores: list[float] = []
    first = told()
    assert first[0][:2] == ("and", True)
    for number, text in enumerate(("Hockey tonight", "The league of cooks", "Ships and shoes", "Cabbages and kings")):
        digest = take.digest(Job(response(text, number), 0.0, repeats=repeats.known(0)))
        repeats.learn(0, digest.lines)
    assert told() == first
    assert scores[1] != scores[0], "its menu is known by now, and counts for less in its similarity"
    for start in range(0, 50_000, 5_000):
        take.digest(Job(response(" ".join(f"w{n}" for n in range(start, start + 5_000)), 20), 0.0))
    assert told() == first


WORDS = ["solar", "cell", "bird", "the"]
lines = st.lists(st.tuples(st.booleans(), st.lists(st.sampled_from(WORDS), min_size=1, max_size=5)), min_size=1)


@pytest.mark.parametrize("weighting", ["log", "tf"])
@pytest.mark.parametrize("method", ["similarity", "erid"])
@settings(max_examples=60, deadline=None)
@given(found=lines)
def test_a_line_that_repeats_counts_for_a_quarter(
    weighting: str, method: str, found: list[tuple[bool, list[str]]]
) -> None:
    """Each line is a block; the score is that of terms counted by hand."""
    topic = Topic(keywords=(Keyword("solar"), Keyword("bird", 0.5)), judge=JudgeSettings(method, weighting=weighting))
    judge = build_judge(topic)
    tokens = [LINE_END, *(word for _, line in found for word in (*line, LINE_END))][:-1]
    page = judge.nearness.read(tokens)
    hashes = page.lines()[1][1:]
    menu = {tuple(sorted(line)) for again, line in found if again}
    known = sorted({int(hash_) for (_, line), hash_ in zip(found, hashes, strict=True) if tuple(sorted(line)) in menu})
    result = judged(judge, page, list(range(1, len(found) + 1)), np.array(known, "<u8").tobytes())
    counts: Counter[str] = Counter()
    for _, line in found:
        for word in line:
            if word != "the":
                counts[word] += 0.25 if tuple(sorted(line)) in menu else 1.0  # type: ignore[assignment]
    total = sum(counts.values())
    if method == "erid":
        expected = (counts["solar"] * 1.0 + counts["bird"] * 0.5) / 1.5 / total if total else 0.0
    else:
        own = {w: (1 + np.log(n) if n > 1 and weighting == "log" else n) for w, n in counts.items()}
        norm = np.sqrt(sum(value**2 for value in own.values()))
        query = np.array([1.0, 0.5]) / np.sqrt(1.25)
        expected = float(np.dot([own.get("solar", 0.0), own.get("bird", 0.0)], query) / norm) if total else 0.0
    assert result.verdict.score == pytest.approx(expected)
    assert sum(reason.contribution for reason in result.verdict.reasons) == pytest.approx(expected)


@needs_core
@settings(deadline=None)
@given(
    found=lines,
    starts=st.lists(st.integers(0, 12)),
    menu=st.lists(st.integers(0, 40)),
    most=st.sampled_from([2, 8, 512]),
)
def test_compiled_or_not_the_same_repeats(
    found: list[tuple[bool, list[str]]], starts: list[int], menu: list[int], most: int
) -> None:
    judge = build_judge(Topic(query="solar birds"))
    page = judge.nearness.read([word for some, line in found for word in (*line[: 5 * some], LINE_END)][:-1])
    hashes = page.lines()[1]
    known = np.unique(hashes[[line % len(hashes) for line in menu]]).astype("<u8").tobytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dowse.parse.repeats.MOST_LINES", most)
        patch.setattr(import_module("dowse.engine.page.judged"), "MOST_LINES", most)
        result = judged(judge, page, sorted(starts), known, terms=256)
        with pure():
            expected = judged(judge, page, sorted(starts), known, terms=256)
    assert_agree(result, expected)
