"""Recorded responses to what is kept of them: the work of one process on a batch of pages.

Everything that does not depend on a topic is worked out here with the parts of the live crawl: words, links, language,
signature. Strings that occur again and again (words, addresses, anchors) become numbers, counted anew in each batch;
:mod:`~dowse.lab.corpus.pages` brings the batches together.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.lab.corpus.index import Index, load_index
from dowse.model.http import Response
from dowse.model.url import split
from dowse.model.words import LINE_END, WordLines, word_hash
from dowse.parse import Document, base_of, block_starts, detect_language, gather_links, parse_page, sign_hashes

__all__ = [
    "DOCUMENTS",
    "REFUSED",
    "Batch",
    "Numbering",
    "is_document",
    "parse_batch",
    "parse_in_worker",
]

DOCUMENTS = frozenset(("text/html", "application/xhtml+xml", "text/plain", ""))
"""Media types of what is parsed; a response without one is tried."""

REFUSED = ("nofollow", "bad-url", "long-url")
"""Rules that refuse a link whatever the scope."""

PAGE, NOINDEX, NOFOLLOW = 1, 2, 4  # bits of the column "flags"


class Numbering(dict[str, int]):
    """string -> number, given in order of first sight."""

    def __missing__(self, string: str) -> int:
        number = self[string] = len(self)
        return number

    def of(self, strings: Sequence[str]) -> NDArray[np.int32]:
        """The numbers of strings."""
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


def is_document(index: Index, number: int) -> bool:
    """Is this a page that a crawl would parse? robots.txt is none, though it is text."""
    return (
        200 <= index.columns["status"][number] < 300
        and index.content_types[number] in DOCUMENTS
        and split(index.urls[number]).path != "/robots.txt"
    )


class _Parsing:
    """Collects pages into a batch."""

    def __init__(self) -> None:
        self.words = _Words()
        self.urls, self.anchors, self.rels = Numbering(), Numbering(), Numbering()
        self.strings: dict[str, list[str]] = {"titles": [], "languages": [], "charsets": []}
        self.values: dict[str, list[Any]] = {}  # a number a page
        self.parts: dict[str, list[NDArray[Any]]] = {}  # an array a page

    def add(self, response: Response | None) -> None:
        """Take up one page; None: what is no page has no words and no links, but a number."""
        document = None if response is None else _parsed(response)
        self._add(Document("http://localhost/") if document is None else document, document is not None)

    def _add(self, document: Document, is_page: bool) -> None:
        tokens = self.words.of(document.lines.tokens())
        words = tokens[tokens != 0].tolist()
        signature = sign_hashes(np.fromiter(map(self.words.hashes.__getitem__, words), np.uint64, len(words)))
        found = gather_links(document)
        starts, headings = block_starts(document), document.outline.headings()
        base = base_of(document)
        self._strings(
            titles=document.title,
            languages=detect_language(document.raw_text, document.lang) if is_page else "",
            charsets=document.charset,
        )
        self._values(
            flags=is_page * PAGE | document.noindex * NOINDEX | document.nofollow * NOFOLLOW,
            text_len=document.text_len,
            words=len(words),
            n_links=found.n_links,
            canonical=self._url(base.join(document.canonical) if document.canonical else None),
            refresh=self._url(base.join(document.refresh) if document.refresh else None),
            exact=signature.exact,
            n_tokens=len(tokens),
            n_rows=len(found.urls),
            n_mentions=len(found.mentioned),
            n_blocks=len(starts),
            n_headings=len(headings),
            **{f"refused_{rule}": found.refused.get(rule, 0) for rule in REFUSED},
        )
        self._parts(
            minhash=np.frombuffer(signature.minhash or bytes(64), np.uint8),
            tokens=tokens,
            targets=self.urls.of(found.urls),
            anchors=self.anchors.of(found.anchors),
            rels=self.rels.of(found.rels),
            positions=np.array(found.positions, np.int32),
            counts=np.array(found.counts, np.int32),
            mentioned=np.array(found.mentioned, np.int32),
            paragraphs=np.array(found.paragraphs, np.int32),
            paths=np.array(document.outline.paths(found.elements), np.uint32),
            block_starts=np.array(starts, np.int32),
            headings=np.array(headings, np.int32),
        )

    def _url(self, url: str | None) -> int:
        return -1 if url is None else self.urls[url]

    def _strings(self, **strings: str) -> None:
        for name, string in strings.items():
            self.strings[name].append(string)

    def _values(self, **values: int) -> None:
        for name, value in values.items():
            self.values.setdefault(name, []).append(value)

    def _parts(self, **parts: NDArray[Any]) -> None:
        for name, part in parts.items():
            self.parts.setdefault(name, []).append(part)

    def batch(self) -> Batch:
        # a line end behind every anchor, so that line n is anchor n
        anchor_tokens = self.words.of(WordLines("".join(f"{anchor}\n" for anchor in self.anchors)).tokens())
        columns = {name: np.array(values, np.uint64 if name == "exact" else np.int64) for name, values in
                   self.values.items()}  # fmt: skip
        columns |= {name: np.concatenate(parts) for name, parts in self.parts.items()}
        tables = {"words": self.words, "urls": self.urls, "anchors": self.anchors, "rels": self.rels}
        return Batch(
            {name: list(table) for name, table in tables.items()}, self.strings,
            columns | {"anchor_tokens": anchor_tokens},
        )  # fmt: skip


def _parsed(response: Response) -> Document | None:
    """As in the live crawl; None when the parser fails, which there costs the page as well."""
    try:
        return parse_page(
            response.body, url=response.url, content_type=response.header("Content-Type") or "",
            robots_tag=", ".join(response.header_values("X-Robots-Tag")) or None,
        )  # fmt: skip
    except Exception:
        return None


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
    """The same in another process, which opens the index for itself."""
    return parse_batch(_opened(corpus, index_folder), numbers)
