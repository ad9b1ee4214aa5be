"""``dowse rejudge``: the verdicts of a finished crawl, given again without downloading anything."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from dowse.cli.flags import Folder, flagged, read_topic, with_flags
from dowse.cli.terminal import interruptible, say
from dowse.cli.verdict_words import final_lines, judged_by_model
from dowse.engine.assembly.answered import tell_answers
from dowse.engine.assembly.kept_categories import absolute_categories, with_kept_categories
from dowse.engine.assembly.prepare import documents_of, read_examples
from dowse.engine.assembly.rejudge import Rejudged, rejudge_at_end
from dowse.engine.assembly.rejudge_by import ByWords, put_back, rejudge_by
from dowse.engine.page.verdicts import restore_judge
from dowse.judge import METHODS, check_judge, learned_judge, learns
from dowse.model.clock import SystemClock
from dowse.model.errors import UserError
from dowse.model.judge import LEARNED
from dowse.model.topic import Topic
from dowse.model.topicfile import topic_from_json, topic_to_json
from dowse.store import CrawlStore, damage_told

__all__ = ["OnlyAnswers", "own_verdicts", "rejudge", "told"]

_EVERY = 2_000  # pages from one line of progress to the next


@dataclass(frozen=True, slots=True)
class OnlyAnswers:
    """There was no model to judge by: so many pages have somebody's answers for their verdicts."""

    pages: int


@flagged("--predicate", "--category", "--threshold", "--precision")
def rejudge(
    folder: Folder,
    topic: Annotated[
        str | None,
        typer.Option(metavar="TOPIC", help="Judge for this topic, in words or the path of a topic file."),
    ] = None,
    learned: Annotated[
        bool,
        typer.Option("--learned", help="Judge by what the crawl and your answers teach, whatever judged it before."),
    ] = False,
    **given: Any,
) -> None:
    """Judge all pages of a crawl again, with all that was learned from it, or by something else.

    Nothing is downloaded: what is known of its pages is in the records and the archive. The verdicts that pages were
    first given stay beside the new ones.
    """
    with interruptible("nothing was changed"), CrawlStore.open(Path(folder)) as store:
        with damage_told(store.folder):
            known = with_kept_categories(topic_from_json(store.settings()["topic"]), store.folder)
        wanted = _wanted(known, topic, learned, given)
        if topic is None and (learns(wanted) or wanted == known):
            found: Rejudged | ByWords | OnlyAnswers | None = own_verdicts(store, wanted)
        else:
            found = rejudge_by(store, known, wanted, _reading)
    if found is None:
        raise UserError(
            f"{folder} has too few pages to learn from, or the topic's words are on hardly any of them, or on most"
        )
    for line in told(found):
        say(line)


def _wanted(known: Topic, topic: str | None, learned: bool, given: dict[str, Any]) -> Topic:
    """The topic to judge by. Raises UserError where the options make no sense together."""
    if learned and any(given.get(name) for name in ("predicate", "threshold")):
        raise UserError("--learned: a judge that learns has no predicate and no threshold: leave one out")
    wanted = known if topic is None else asyncio.run(_with_examples(read_topic(topic)))
    if learned:
        settings = replace(wanted.judge, method=LEARNED, threshold=None)
        wanted = replace(wanted, predicate=None, judge=settings)
    wanted = with_flags(wanted, {name: value for name, value in given.items() if value is not None})
    if given.get("precision") is not None and not learns(wanted):
        raise UserError("--precision is for a judge that learns: leave it out, or add --learned")
    wanted = absolute_categories(wanted) if given.get("predicate") or topic is not None else wanted
    if wanted.judge.method in METHODS or topic is not None:
        check_judge(wanted)
    return wanted


def own_verdicts(store: CrawlStore, topic: Topic) -> Rejudged | ByWords | OnlyAnswers | None:
    """Judge the pages of a crawl by its own topic: with all that it and the answers about its pages teach, or, where
    its judge does not learn, as they were first judged."""
    judge = learned_judge(topic)
    if judge is None:
        return put_back(store)
    with damage_told(store.folder):
        tell_answers(judge, store.folder, store)
        restore_judge(judge, store)
    known = topic_from_json(store.settings()["topic"])
    other = None if learns(known) else {"topic": topic_to_json(topic)}
    found = rejudge_at_end(store, judge, topic.scope.languages, other)
    return OnlyAnswers(len(judge.answers)) if found is None and judge.answers else found


def told(found: Rejudged | ByWords | OnlyAnswers) -> list[str]:
    """What came of it, in a few lines."""
    if isinstance(found, OnlyAnswers):
        return [
            f"{found.pages} pages have your answers for their verdicts; too little is known to judge the others by, "
            "which keep the verdicts of the crawl"
        ]
    lines = [f"{found.relevant} of {found.pages} pages are relevant; {found.joined} more, {found.left} no longer"]
    if isinstance(found, Rejudged):
        final = asdict(found)
        return [*lines, judged_by_model(final), *final_lines({**final, "joined": 0, "left": 0})]
    if not found.method:
        return [*lines, "by the verdicts that they were first given: the crawl's judge does not learn"]
    bound = "" if found.method == "predicate" else f" from {found.threshold:g} on"
    lines.append(f"by {found.method}{bound}; {found.read} pages were read from the archive, the records told the rest")
    if found.missing:
        lines.append(f"{found.missing} pages could not be read from the archive: they count as not relevant")
    return lines


def _reading(done: int, most: int) -> None:
    """Say how far it is with the archive."""
    if not done:
        say(f"reading {most} pages from the archive: what the records tell does not decide about them", err=True)
    elif done % _EVERY < 64 and done < most and sys.stderr.isatty():
        say(f"{done} of {most} read", err=True)


async def _with_examples(topic: Topic) -> Topic:
    from dowse.fetch.http import HttpTransport  # only where an example may have to be fetched

    clock = SystemClock()
    transport = HttpTransport(topic.network, topic.limits, clock)
    notes: list[str] = []
    try:
        read = await read_examples(topic, documents_of(topic, transport, clock), notes)
    finally:
        await transport.close()
    for note in notes:
        say(note, err=True)
    return read
