"""A page gives the same digest with the compiled core and without."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dowse.engine.page.step import PageStep
from dowse.engine.workers.job import Job
from dowse.frontier.scope import StaticScope
from dowse.judge import build_judge
from dowse.model.http import Response
from dowse.model.page import Digest
from dowse.model.topic import JudgeSettings, Scope, Topic
from tests.compiled import assert_agree, needs_core, pure
from tests.parse.pages import ARTICLE, FRAMESET, PAGE_1997, written_pages


def digests(weighting: str) -> list[Digest]:
    judge = build_judge(
        Topic(query="objects and their representation as a class", judge=JudgeSettings(weighting=weighting))
    )
    step = PageStep(judge, StaticScope(Scope()), 100)
    found = []
    for number, body in enumerate([*written_pages(), *(page.encode() for page in (ARTICLE, PAGE_1997, FRAMESET))]):
        response = Response(f"http://example.org/{number}", 200, (("Content-Type", "text/html; charset=utf-8"),), body)
        digest = step.digest(Job(response, 0.0, keep_text=True, terms=256))
        found.append(replace(digest, parse_s=0.0, judge_s=0.0))
    return found


@needs_core
@pytest.mark.parametrize("weighting", ["log", "tf", "log-idf"])
def test_compiled_or_not_the_digest_is_the_same(weighting: str) -> None:
    found = digests(weighting)
    with pure():
        expected = digests(weighting)
    assert_agree(found, expected)
