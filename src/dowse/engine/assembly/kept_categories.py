"""The categories of a predicate, kept in the crawl's folder: a resume does not depend on where they came from, nor on
what has become of them there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from dowse.judge import Category, category_files, save_category
from dowse.model.errors import NotPlain, UserError
from dowse.model.files import PRIVATE_FOLDER, check_plain
from dowse.model.topic import Topic
from dowse.store.sharded import parts_of

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
        target = _kept_in(folder) / f"{name}{_ENDING}"
        if check_plain(target, writes=False):
            continue
        try:
            target.parent.mkdir(PRIVATE_FOLDER, exist_ok=True)
        except OSError as error:
            raise UserError(f"cannot write {target}: {(error.strerror or str(error)).lower()}") from error
        save_category(category, target, private=True)


def _kept_in(folder: Path) -> Path:
    kept = folder / _FOLDER
    if kept.is_symlink():
        raise NotPlain(f"{kept} is a link: in a crawl's folder only plain files are opened")
    return kept


def with_kept_categories(topic: Topic, folder: Path) -> Topic:
    """The topic with the files that a crawl's folder has in place of those it was started with."""
    places = [_kept_in(part) for part in reversed(parts_of(folder))]  # each shard keeps the same
    kept = [path for place in places for path in place.glob(f"*{_ENDING}") if check_plain(path, writes=False)]
    files = {path.name.removesuffix(_ENDING): str(path.absolute()) for path in kept}
    return replace(topic, categories={**topic.categories, **files}) if files else topic
