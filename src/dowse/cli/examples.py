"""Example pages named on the command line: files, folders, web pages, lists of them, labels and verdicts."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dowse.cli.lab import shown_progress
from dowse.cli.terminal import say
from dowse.engine.assembly.prepare import documents_of
from dowse.lab.finished.page_texts import full_text, judged_texts, labelled_texts, spread
from dowse.model.clock import SystemClock
from dowse.model.errors import TopicError, UserError
from dowse.model.topic import Topic
from dowse.seeds import load_seeds
from dowse.store.sharded import holds_crawl

__all__ = ["MOST", "Examples", "read_examples"]

MOST = 5_000
"""Pages that one source gives at most."""

_PAGES = (".html", ".htm", ".xhtml", ".txt", ".md")
_VERDICTS = {"relevant": True, "irrelevant": False}
_LIST_LINE = re.compile(r"\s*(?:#.*|https?://\S+\s*(?:\s#.*)?)?")
_PEEK_BYTES = 20_000


@dataclass(slots=True)
class Examples:
    """The texts of one side, and what should be told about how they were found."""

    texts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_examples(sources: Sequence[str], topic: Topic) -> Examples:
    """The pages that the sources name, in order. Web pages are fetched a delay apart, by the network settings of the
    topic. A page that cannot be had is noted; a source that makes no sense is a UserError."""
    found = Examples()
    documents: list[str] = []
    for source in sources:
        read = _reader(source)
        documents += read(source, found) if read is not None else _named(source, found)
    if documents:
        asyncio.run(_documents(list(dict.fromkeys(documents)), topic, found))
    return found


def _reader(source: str) -> Callable[[str, Examples], list[str]] | None:
    """What reads a source that is ``PLACE:NAME``; None for one that is not."""
    if not source.strip() or "://" in source or Path(source).exists():
        return None
    if _table(source) is not None:
        return _labelled
    folder, _, verdict = source.rpartition(":")
    if folder and verdict in _VERDICTS and holds_crawl(Path(folder)):
        return _judged
    return None


def _table(source: str) -> tuple[Path, str] | None:
    """The table and the label of ``LABELS.csv:label``: either may have a colon in it."""
    for colon in re.finditer(":", source):
        path = Path(source[: colon.start()])
        if path.suffix in (".csv", ".gz") and path.is_file() and source[colon.end() :].strip():
            return path, source[colon.end() :].strip()
    return None


def _labelled(source: str, found: Examples) -> list[str]:
    table = _table(source)
    assert table is not None
    with shown_progress() as progress:
        pages = labelled_texts(*table, MOST, progress)
    found.texts += pages.texts.values()
    if pages.missing:
        found.notes.append(f"{source}: {pages.missing} of its pages are not in {table[0].parent}")
    return []


def _judged(source: str, found: Examples) -> list[str]:
    folder, _, verdict = source.rpartition(":")
    pages = judged_texts(Path(folder), _VERDICTS[verdict], MOST)
    found.texts += pages.texts.values()
    if pages.missing:
        found.notes.append(f"{source}: {pages.missing} of its pages could not be read from the archive")
    if not pages.texts:
        raise UserError(f"{folder} has no page that is {verdict}")
    return []


def _named(source: str, found: Examples) -> list[str]:
    """The files or web pages that a source stands for."""
    if not source.strip():
        raise UserError("a source of examples is empty: name a file, a folder, a URL or LABELS.csv:label")
    if "://" in source:
        return [source]
    path = Path(source)
    if path.is_dir():
        files = sorted(str(file) for file in path.rglob("*") if file.suffix.lower() in _PAGES and file.is_file())
        if not files:
            raise UserError(f"{source} holds no page files ({', '.join(_PAGES)}){_hint(path)}")
        return spread(files, MOST)
    if path.is_file():
        if not _is_list(path):
            return [source]
        urls = load_seeds(path)
        found.notes += [f"{source}: {problem}" for problem in urls.problems]
        if not urls.urls:
            raise UserError(f"{source} names no web page")
        return spread(list(urls.urls), MOST)
    if any(mark in source for mark in "*?[") and not path.is_absolute():
        files = sorted(str(file) for file in Path().glob(source) if file.is_file())
        if files:
            return spread(files, MOST)
    raise UserError(
        f"there is no {source!r}: name a page file, a folder of them, a list of URLs, a URL, LABELS.csv:label, or "
        "CRAWL:relevant"
    )


def _hint(folder: Path) -> str:
    return f"; of a crawl, say {folder}:relevant or {folder}:irrelevant" if holds_crawl(folder) else ""


def _is_list(path: Path) -> bool:
    """Is a file a list of URLs? A page file is not, nor a text with anything else on a line."""
    if path.suffix.lower() in (".csv", ".tsv"):
        return True
    if path.suffix.lower() in (".html", ".htm", ".xhtml"):
        return False
    try:
        with path.open("rb") as stream:
            lines = stream.read(_PEEK_BYTES).decode("utf-8-sig", "replace").splitlines()
    except OSError as error:
        raise UserError(f"cannot read {path}: {(error.strerror or 'unreadable').lower()}") from None
    return any("://" in line for line in lines) and all(_LIST_LINE.fullmatch(line) for line in lines[:50])


async def _documents(sources: list[str], topic: Topic, found: Examples) -> None:
    clock = SystemClock()
    from dowse.fetch.http import HttpTransport  # only here: it takes long to load

    transport = HttpTransport(topic.network, topic.limits, clock)
    web = sum("://" in source for source in sources)
    fetched = 0
    try:
        pages = documents_of(topic, transport, clock)
        for source in sources:
            if "://" in source:
                fetched += 1
                say(f"fetching {fetched} of {web}: {source}", err=True)
            try:
                found.texts.append(full_text((await pages.read(source)).parsed()))
            except TopicError as error:
                found.notes.append(f"left out: {error}")
    finally:
        await transport.close()
