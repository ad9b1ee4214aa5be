"""The categories of a predicate, kept in the crawl's folder: a resume does not depend on where they came from, nor on
what has become of them there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from dowse.judge import Category, category_files, save_category
from dowse.model.errors import UserError
from dowse.model.topic import Topic

__all__ = ["absolute_categories", "keep_categories", "with_kept_categories"]

_FOLDER = "categories"
_ENDING = ".json"


def absolute_categories(topic: Topic) -> Topic:
    """The topic with a file for each category that its predicate names, found from anywhere. Raises TopicError."""
    found = category_files(topic)
    files = {name: str(Path(file).expanduser().absolute()) for name, file in found.items()}
    return replace(topic, categories=files) if files or topic.categories else topic


def keep_categories(categories: Mapping[str, Category], folder: Path) -> None:
    """Write the categories that pages are judged by into the crawl's folder: as they were read, whatever their files
    hold by now. What is there already stays."""
    for name, category in categories.items():
        target = folder / _FOLDER / f"{name}{_ENDING}"
        if target.exists():
            continue
        try:
            target.parent.mkdir(exist_ok=True)
        except OSError as error:
            raise UserError(f"cannot write {target}: {(error.strerror or str(error)).lower()}") from error
        save_category(category, target)


def with_kept_categories(topic: Topic, folder: Path) -> Topic:
    """The topic with the files that a crawl's folder has in place of those it was started with."""
    kept = (folder / _FOLDER).glob(f"*{_ENDING}")
    files = {path.name.removesuffix(_ENDING): str(path.absolute()) for path in kept}
    return replace(topic, categories={**topic.categories, **files}) if files else topic
