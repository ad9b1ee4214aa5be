"""``dowse judge``: score one page and say why."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from dowse.cli.flags import NETWORK, AsJson, flagged
from dowse.cli.judge_by_crawl import by_crawl
from dowse.cli.named_page import Page, read_page
from dowse.cli.parts import part_lines
from dowse.cli.terminal import say, say_json
from dowse.model.errors import UserError
from dowse.model.page import Verdict
from dowse.model.shown import shown

__all__ = ["judge"]


@flagged("--predicate", "--category", "--language", *NETWORK)
def judge(
    source: Page,
    topic: Annotated[
        str | None, typer.Option("--topic", metavar="TOPIC", help="The topic, in words, or the path of a topic file.")
    ] = None,
    crawl: Annotated[
        Path | None,
        typer.Option("--crawl", metavar="DIR", help="Judge by what this crawl has learned, instead of a topic."),
    ] = None,
    as_json: AsJson = False,
    **given: Any,
) -> None:
    """Score a page against a topic, a predicate or what a crawl has learned, and say why."""
    if crawl is not None:
        if topic is not None or given["predicate"] is not None:
            raise UserError("--crawl judges by what a crawl has learned: leave out --topic and --predicate")
        by_crawl(source, crawl, given, as_json=as_json)
        return
    if topic is None and given["predicate"] is None:
        raise UserError("what is the page to be judged by? Give --topic, --predicate or both, or --crawl")
    page = read_page(source, topic, given)
    document, facts = page.document, page.facts()
    verdict = page.judge.verdict(document.words(), facts)
    if as_json:
        value = {"source": source, "title": document.title, **asdict(verdict)}
        say_json(value)
        return
    word = "relevant" if verdict.relevant else "not relevant"
    say(shown(document.title) or shown(source))
    say(f"{word}: {verdict.method} {verdict.score:.4f}, threshold {verdict.threshold:.4f}")
    language = facts.language or "unknown language"
    say(f"similarity {verdict.similarity:.4f}, ERID {verdict.erid:.4f}, {facts.n_words} words, {language}")
    for line in _reasons(verdict):
        say(f"  {line}")


def _reasons(verdict: Verdict) -> list[str]:
    if verdict.parts:
        return part_lines(verdict.parts)
    return [f"{reason.contribution:+.4f}  {shown(reason.name)}" for reason in verdict.reasons]
