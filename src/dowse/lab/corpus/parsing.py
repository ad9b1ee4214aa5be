"""Recorded responses to what is kept of them: the work of one process on a batch of pages.

Everything that does not depend on a topic is worked out here by the first half of the live crawl's step
(``engine/page/parsed.py``). What is kept of a page and of its links are the fields of ``PageContent`` and ``Links``
that are stored of a crawl as well. Strings that occur again and again (words, addresses, anchors) become numbers,
counted anew in each batch; :mod:`~dowse.lab.corpus.page_arrays` brings the batches together.
"""

from __future__ import annotations

import gc
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.engine.page.parsed import Parsed, parse_response
from dowse.lab.corpus.index import Index, load_index
from dowse.model.columns import Column, columns_of
from dowse.model.http import Response, is_unwanted
from dowse.model.page import Links, PageContent
from dowse.model.sniffing import true_type
from dowse.model.topic import Scope
from dowse.model.url import split
from dowse.model.wanted_types import WantedTypes, wanted_types
from dowse.model.words import LINE_END, WordLines, word_hash
from dowse.parse import Document, Gathered, sign_hashes

__all__ = [
    "CONTENT", "CONTENT_NUMBERS", "CONTENT_STRINGS", "LINK_COLUMNS", "LINK_STRINGS", "NOINDEX", "PAGE",
    "REFUSED", "Batch", "Numbering", "is_document", "kept_number", "kept_string", "number_again",
    "parse_batch", "parse_in_worker", "string_again",
]  # fmt: skip

REFUSED = ("nofollow", "bad-url", "long-url")
"""Rules that refuse a link whatever the scope."""

PAGE, NOINDEX = 1, 2  # bits of the column "flags"

CONTENT = columns_of(PageContent)
CONTENT_STRINGS = tuple(column.name for column in CONTENT if column.kind is str)
CONTENT_NUMBERS = tuple(column.name for column in CONTENT if column.kind is not str)
LINK_COLUMNS: dict[str, type[np.generic]] = {
    column.field: np.float64 if column.kind is float else np.int32 for column in columns_of(Links)
}
"""What is kept of each link: a number, or for a string its number in a table of the same name."""
LINK_STRINGS = tuple(column.field for column in columns_of(Links) if column.kind is str)
_NO_STRING, _NO_NUMBER = "\0", -(1 << 63)


def kept_string(value: str | None) -> str:
    return _NO_STRING if value is None else value


def string_again(kept: str) -> str | None:
    return None if kept == _NO_STRING else kept


def kept_number(value: float | None) -> int:
    """A number, truth or None as 64 bits."""
    if isinstance(value, float):
        return int.from_bytes(struct.pack("<d", value), "little", signed=True)
    return _NO_NUMBER if value is None else int(value)


def number_again(column: Column, kept: int) -> Any:
    """What :func:`kept_number` was given."""
    if kept == _NO_NUMBER and column.optional:
        return None
    if column.kind is float:
        return struct.unpack("<d", kept.to_bytes(8, "little", signed=True))[0]
    return column.kind(kept)


class Numbering(dict[str, int]):
    """string -> number, given in order of first sight."""

    def __missing__(self, string: str) -> int:
        number = self[string] = len(self)
        return number

    def of(self, strings: Sequence[str]) -> NDArray[np.int32]:
        """The number of each string; a new one gets the next."""
        return np.fromiter(map(self.__getitem__, strings), np.int32, len(strings))


class _Words(Numbering):
    """Numbers of words, with the hash of each."""

    def __init__(self) -> None:
        super().__init__({LINE_END: 0})
        self.hashes = [0]

    def __missing__(self, word: str) -> int:
        self.hashes.append(word_hash(word))
        return super().__missing__(word)


@dataclass(slots=True)
class Batch:
    """What is kept of some pages: strings of each, columns, and the tables that numbers in the columns stand for."""

    tables: dict[str, list[str]]
    strings: dict[str, list[str]]
    columns: dict[str, NDArray[Any]]


@cache
def _wanted() -> WantedTypes:
    """All that can be read: what of it a crawl wants is for its scope to say."""
    return wanted_types(Scope())


def is_document(index: Index, number: int) -> bool:
    """Is this a page that a crawl would parse? robots.txt is none, though it is text."""
    return (
        200 <= index.columns["status"][number] < 300
        and not is_unwanted(index.content_types[number], _wanted().at(index.urls[number]))
        and split(index.urls[number]).path != "/robots.txt"
    )


_NOTHING = Parsed(Document("http://localhost/"), Gathered(), "", [])  # in the place of what is no page


class _Parsing:
    """Collects pages into a batch."""

    def __init__(self) -> None:
        self.words = _Words()
        self.urls = Numbering()
        self.tables = {name: Numbering() for name in LINK_STRINGS}
        self.strings: dict[str, list[str]] = {name: [] for name in CONTENT_STRINGS}
        self.values: dict[str, list[Any]] = {}  # a number a page
        self.parts: dict[str, list[NDArray[Any]]] = {}  # an array a page

    def add(self, response: Response | None) -> None:
        """Take up one page; None: what is no page has no words and no links, but a number."""
        parsed = None if response is None else _parsed(response)
        self._add(parsed or _NOTHING, parsed is not None)

    def _add(self, parsed: Parsed, is_page: bool) -> None:
        document, found = parsed.document, parsed.links
        tokens = self.words.of(document.lines.tokens())
        words = tokens[tokens != 0].tolist()
        signature = sign_hashes(np.fromiter(map(self.words.hashes.__getitem__, words), np.uint64, len(words)))
        starts, headings = parsed.starts, document.outline.headings()
        content = parsed.content(len(words))
        for name in CONTENT_STRINGS:
            self.strings[name].append(kept_string(getattr(content, name)))
        self._values(
            flags=is_page * PAGE | document.noindex * NOINDEX,
            refresh=self._url(parsed.refresh),
            feed=self._url(parsed.feed),
            exact=signature.exact,
            n_tokens=len(tokens),
            n_rows=len(found.urls),
            n_mentions=len(found.mentioned),
            n_blocks=len(starts),
            n_headings=len(headings),
            **{name: kept_number(getattr(content, name)) for name in CONTENT_NUMBERS},
            **{f"refused_{rule}": found.refused.get(rule, 0) for rule in REFUSED},
        )
        self._parts(
            minhash=np.frombuffer(signature.minhash or bytes(64), np.uint8),
            tokens=tokens,
            targets=self.urls.of(found.urls),
            mentioned=np.array(found.mentioned, np.int32),
            paragraphs=np.array(found.paragraphs, np.int32),
            texts=self.tables["anchors"].of(found.texts),
            paths=np.array(document.outline.paths(found.elements), np.uint32),
            block_starts=np.array(starts, np.int32),
            headings=np.array(headings, np.int32),
            **{name: self._of_links(name, getattr(found, name)) for name in LINK_COLUMNS},
        )

    def _of_links(self, name: str, values: Any) -> NDArray[Any]:
        return self.tables[name].of(values) if name in self.tables else np.array(values, LINK_COLUMNS[name])

    def _url(self, url: str | None) -> int:
        return -1 if url is None else self.urls[url]

    def _values(self, **values: int) -> None:
        for name, value in values.items():
            self.values.setdefault(name, []).append(value)

    def _parts(self, **parts: NDArray[Any]) -> None:
        for name, part in parts.items():
            self.parts.setdefault(name, []).append(part)

    def batch(self) -> Batch:
        # a line end behind every anchor, so that line n is anchor n
        anchor_tokens = self.words.of(WordLines("".join(f"{anchor}\n" for anchor in self.tables["anchors"])).tokens())
        columns = {name: np.array(values, np.uint64 if name == "exact" else np.int64) for name, values in
                   self.values.items()}  # fmt: skip
        columns |= {name: np.concatenate(parts) for name, parts in self.parts.items()}
        tables = {"words": self.words, "urls": self.urls, **self.tables}
        return Batch(
            {name: list(table) for name, table in tables.items()}, self.strings,
            columns | {"anchor_tokens": anchor_tokens},
        )  # fmt: skip


def _parsed(response: Response) -> Parsed | None:
    """None when it is no page, or cannot be read, which costs the page in a live crawl as well."""
    if not _wanted().take(true_type(response.header("Content-Type") or "", response.body)):
        return None
    try:
        parsed = parse_response(response)
    except Exception:
        return None
    return None if parsed.document.fault else parsed


def parse_batch(index: Index, numbers: Sequence[int]) -> Batch:
    """Parse pages, by their numbers in ascending order."""
    parsing = _Parsing()
    documents = [number for number in numbers if is_document(index, number)]
    responses = index.responses(documents)
    wanted = frozenset(documents)
    for number in numbers:
        parsing.add(next(responses)[1] if number in wanted else None)
    return parsing.batch()


@cache
def _opened(corpus: Path, index_folder: Path) -> Index:
    """The index, once a process."""
    index = load_index(corpus, index_folder)
    gc.freeze()  # what is loaded stays, and pages make no cycles: as in a worker of a crawl
    gc.set_threshold(100_000, 50, 50)
    return index


def parse_in_worker(corpus: Path, index_folder: Path, numbers: Sequence[int]) -> Batch:
    """Parse pages in another process, which opens the index for itself."""
    return parse_batch(_opened(corpus, index_folder), numbers)
