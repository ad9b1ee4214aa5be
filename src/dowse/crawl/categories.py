"""The categories of a predicate, kept in the crawl's folder: a resume does not depend on where they came from."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from dowse.judge import category_files
from dowse.model.errors import TopicError
from dowse.model.topic import Topic
from dowse.store.whole import write_whole

__all__ = ["absolute_categories", "keep_categories", "with_kept_categories"]

_FOLDER = "categories"
_ENDING = ".json"


def absolute_categories(topic: Topic) -> Topic:
    """The topic with a file for each category that its predicate names, found from anywhere. Raises TopicError."""
    found = category_files(topic)
    files = {name: str(Path(file).expanduser().absolute()) for name, file in found.items()}
    return replace(topic, categories=files) if files or topic.categories else topic


def keep_categories(topic: Topic, folder: Path) -> None:
    """Copy the files of the topic's categories into the crawl's folder."""
    for name, file in topic.categories.items():
        target = folder / _FOLDER / f"{name}{_ENDING}"
        try:
            content = Path(file).read_bytes()
        except OSError as error:
            raise TopicError(f"cannot read {file}: {(error.strerror or 'unreadable').lower()}") from None
        target.parent.mkdir(exist_ok=True)
        write_whole(target, partial(_write, content))


def _write(content: bytes, place: Path) -> None:
    place.write_bytes(content)


def with_kept_categories(topic: Topic, folder: Path) -> Topic:
    """The topic with the files that a crawl's folder has in place of those it was started with."""
    kept = (folder / _FOLDER).glob(f"*{_ENDING}")
    files = {path.name.removesuffix(_ENDING): str(path.absolute()) for path in kept}
    return replace(topic, categories={**topic.categories, **files}) if files else topic
