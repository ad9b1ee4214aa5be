"""Readers for the values of a topic file that are paths: relative to the file, and there where they must be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from dowse.model.database_url import located
from dowse.model.topic_fields import Fault, engine, shown, text, web_url
from dowse.model.topic_fields import database as database_url

__all__ = ["categories", "database", "engines", "existing", "names_and_files", "path"]


def categories(directory: Path) -> Callable[[Any], dict[str, str]]:
    """Names of categories and their files, relative to the topic file."""
    file = existing(directory)

    def read(value: Any) -> dict[str, str]:
        if not isinstance(value, dict):
            raise Fault(f'must be a table such as {{ sports = "sports.json" }}, not {shown(value)}')
        found = {}
        for name, place in value.items():
            try:
                found[name] = str(file(place))
            except Fault as fault:
                raise Fault(fault.message, name) from None
        return found

    return read


def names_and_files(value: Any) -> dict[str, str]:
    """Names of categories and their files, as they are."""
    if not isinstance(value, dict):
        raise Fault(f"must be a table of names and files, not {shown(value)}")
    return {text(name): text(place) for name, place in value.items()}


def database(directory: Path) -> Callable[[Any], str]:
    """A shared database's URL, with a SQLite file relative to the topic file."""
    return lambda value: located(database_url(value), directory)


def engines(directory: Path) -> Callable[[Any], str]:
    """A search engine, with the folder or file that it searches relative to the topic file."""
    locate = path(directory)

    def read(value: Any) -> str:
        name, _, place = engine(value).partition(":")
        return f"{name}:{locate(place)}" if name in ("local", "file") and place else str(value)

    return read


def path(directory: Path) -> Callable[[Any], str]:
    """A path relative to the topic file, whether or not it exists."""

    def read(value: Any) -> str:
        if not text(value) or "\0" in value:
            raise Fault("must be a path")
        return str(directory / Path(value).expanduser())

    return read


def existing(directory: Path, *, urls: bool = False, globs: bool = False) -> Callable[[Any], Any]:
    """A file that is there, relative to the topic file; or a URL, or all files of a glob, where those make sense."""
    locate = path(directory)

    def read(value: Any) -> str | tuple[str, ...]:
        if urls and "://" in text(value):
            return web_url(value)
        place = Path(locate(value))
        if place.exists():
            return str(place)
        if globs and any(c in value for c in "*?["):
            root = Path(place.anchor)
            found = sorted(str(file) for file in root.glob(str(place.relative_to(root))) if file.is_file())
            if found:
                return tuple(found)
            raise Fault(f"no file matches {shown(value)}")
        raise Fault(f"there is no file {shown(value)}")

    return read
