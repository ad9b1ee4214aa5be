"""``dowse label``: a person answers about pages of a crawl, and the crawl's judge learns from that."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dowse.cli.flags import Folder
from dowse.cli.label_category import CategorySitting
from dowse.cli.label_topic import TopicSitting
from dowse.cli.rejudge import OnlyAnswers, own_verdicts, told
from dowse.cli.terminal import interruptible, say
from dowse.engine.assembly.kept_categories import with_kept_categories
from dowse.judge import load_category
from dowse.judge.category import check_name
from dowse.model.errors import FolderBusy, UserError
from dowse.model.topicfile import topic_from_json
from dowse.store import CrawlReader, CrawlStore
from dowse.store.answers import OWN

__all__ = ["label"]


def label(
    folder: Folder,
    category: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Train this category instead: label the pages it is least sure of."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Train a category of this name instead of the crawl's judge.")
    ] = None,
) -> None:
    """Say of pages of a crawl whether they are on its topic; its judge learns from that.

    The likeliest, the most uncertain and random pages come as needed, until both sides have enough. With --name or
    --category, the answers train a category.
    """
    if category is not None and name is not None:
        raise UserError("give --category or --name, not both: a category's file holds its name")
    if category is None and name is None:
        _label_topic(folder)
        return
    first = None if category is None else load_category(category)
    named = check_name(name or "") if first is None else first.name
    if named == OWN:
        raise UserError(f"a category cannot be called {OWN!r}: so are the pages of the crawl's own topic")
    with CrawlReader(folder) as crawl:
        sitting = CategorySitting(crawl, first, named)
        with interruptible(f"every answer is in {sitting.answers.path}"):
            sitting.run()


def _label_topic(folder: Path) -> None:
    with CrawlReader(folder) as crawl:
        topic = with_kept_categories(topic_from_json(crawl.topic()), crawl.folder)
        with interruptible(f"every answer is in {folder / 'labels.csv'}; 'dowse rejudge' judges by them"):
            sitting = TopicSitting(crawl, topic)
            sitting.run()
    if not (sitting.learns and sitting.answers.known):
        return
    try:
        with interruptible("'dowse rejudge' judges by your answers"), CrawlStore.open(folder) as store:
            found = own_verdicts(store, topic)
    except FolderBusy:
        say("the crawl is running: when it ends, all its pages are judged by your answers")
        return
    if found is not None:
        if not isinstance(found, OnlyAnswers):
            say("all pages were judged again:")
        for line in told(found):
            say(line)
