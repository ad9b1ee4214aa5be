"""``dowse judge``: score one page and say why."""

from __future__ import annotations

import json
from dataclasses import asdict

import typer

from dowse.cli.page import AllowAddress, AllowPrivate, AsJson, Page, Resolve, TopicWords, read_page
from dowse.model.words import printable
from dowse.parse import detect_language

__all__ = ["judge"]


def judge(
    source: Page,
    topic: TopicWords,
    allow_private: AllowPrivate = False,
    allow_address: AllowAddress = None,
    resolve: Resolve = None,
    as_json: AsJson = False,
) -> None:
    """Score a page against a topic, with the reasons."""
    document, chosen, _ = read_page(source, topic, allow_private, allow_address, resolve)
    verdict = chosen.verdict(document.words())
    if as_json:
        value = {"source": source, "title": document.title, **asdict(verdict)}
        typer.echo(json.dumps(value, ensure_ascii=False))
        return
    word = "relevant" if verdict.relevant else "not relevant"
    language = detect_language(document.text, document.lang) or "unknown language"
    typer.echo(f"{printable(document.title) or source}")
    typer.echo(f"{word}: {verdict.method} {verdict.score:.4f}, threshold {verdict.threshold:.4f}")
    typer.echo(
        f"similarity {verdict.similarity:.4f}, ERID {verdict.erid:.4f}, {len(document.words())} words, {language}"
    )
    for reason in verdict.reasons:
        typer.echo(f"  {reason.contribution:+.4f}  {reason.name}")
