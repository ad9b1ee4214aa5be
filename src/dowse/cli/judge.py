"""``dowse judge``: score one page and say why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Annotated, Any

import typer

from dowse.cli.flags import NETWORK, AsJson, flagged
from dowse.cli.named_page import Page, read_page
from dowse.cli.terminal import say, say_json
from dowse.model.errors import UserError
from dowse.model.page import Part, Verdict
from dowse.model.shown import shown

__all__ = ["judge", "part_lines"]

_WIDTH = len("did not hold")


@flagged("--predicate", "--category", "--language", *NETWORK)
def judge(
    source: Page,
    topic: Annotated[
        str | None, typer.Option("--topic", metavar="TOPIC", help="The topic, in words, or the path of a topic file.")
    ] = None,
    as_json: AsJson = False,
    **given: Any,
) -> None:
    """Score a page against a topic or a predicate, and say why."""
    if topic is None and given["predicate"] is None:
        raise UserError("what is the page to be judged by? Give --topic, --predicate or both")
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


def part_lines(parts: Iterable[Part]) -> list[str]:
    """The parts of a predicate as an indented tree, one per line: what held, and what was measured.

    >>> print(*part_lines([Part("and", False, 0.3), Part('word("a") > 2', False, 0.25, 1.0, 1)]), sep="\\n")
    did not hold  and
    did not hold    word("a") > 2  (1)
    """
    return [
        f"{'held' if part.held else 'did not hold':<{_WIDTH}}  {'  ' * part.depth}{shown(part.text)}{_told(part)}"
        for part in parts
    ]


def _told(part: Part) -> str:
    if part.value is None:
        return ""
    value = f"{part.value:.4g}" if isinstance(part.value, (int, float)) else shown(part.value) or "unknown"
    return f"  ({value})"
