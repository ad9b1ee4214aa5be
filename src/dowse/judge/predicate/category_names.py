"""The categories that a predicate names: where their files are, and what is read from them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from shlex import quote

from dowse.judge.category import Category
from dowse.judge.category_file import ENDING, load_category
from dowse.judge.predicate.syntax import Leaf, SyntaxFault
from dowse.model.topic import Expression, Topic

__all__ = ["category_file", "load_categories"]


def category_file(leaf: Leaf, topic: Topic, expression: Expression) -> Path:
    """Where the file of a category is: as the topic says, else beside the topic file, else in the current folder."""
    name = leaf.argument
    if name in topic.categories:
        return Path(topic.categories[name])
    folders = [Path.cwd()]
    if expression.source is not None and expression.line is not None:
        folders.insert(0, Path(expression.source).parent)
    for folder in folders:
        if (folder / f"{name}{ENDING}").is_file():
            return folder / f"{name}{ENDING}"
    raise SyntaxFault(
        f"there is no category {name!r}: make {name}{ENDING} with dowse train {quote(name)}, or name its file under "
        f"[categories] or with --category {quote(name)}=FILE",
        leaf.at,
    )


def load_categories(named: Iterable[Leaf], topic: Topic, expression: Expression, language: str) -> dict[str, Category]:
    """name -> category, each of the topic's language. Raises SyntaxFault, or TopicError where a file is at fault."""
    found = {}
    for leaf in named:
        category = load_category(category_file(leaf, topic, expression))
        if category.language != language:
            raise SyntaxFault(
                f"the language of the category {leaf.argument!r} is {category.language}, that of the topic {language}: "
                f'set language = "{category.language}" under [judge], or --language {category.language}',
                leaf.at,
            )
        found[leaf.argument] = category
    return found
