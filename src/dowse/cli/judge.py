"""``dowse judge``: score one page and say why."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from dowse.cli.page import AllowAddress, AllowPrivate, AsJson, Page, Resolve, read_page
from dowse.cli.parts import part_lines
from dowse.cli.tell import say, say_json
from dowse.model.errors import UserError
from dowse.model.page import Verdict
from dowse.model.shown import shown

__all__ = ["judge"]


def judge(
    source: Page,
    topic: Annotated[str | None, typer.Option("--topic", help="A topic file, or the words of a topic.")] = None,
    predicate: Annotated[
        str | None, typer.Option(metavar="EXPR", help="What the page must satisfy, in place of the topic's predicate.")
    ] = None,
    category: Annotated[
        list[str] | None, typer.Option(metavar="NAME=FILE", help="A category that the predicate names.")
    ] = None,
    language: Annotated[
        str | None, typer.Option(help="The language of the topic's words, or none; english if not given.")
    ] = None,
    allow_private: AllowPrivate = False,
    allow_address: AllowAddress = None,
    resolve: Resolve = None,
    as_json: AsJson = False,
) -> None:
    """Score a page against a topic or a predicate, with the reasons."""
    if topic is None and predicate is None:
        raise UserError("what is the page to be judged by? Give --topic, --predicate or both")
    page = read_page(source, topic, allow_private, allow_address, resolve, predicate, category, language)
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
