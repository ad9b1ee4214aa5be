"""The parsed pages of a corpus: made once by all cores, then mapped into memory.

Numbers stand for strings throughout. Words, addresses, anchors and rel values have tables of their own; word 0 is the
end of a line. The table of addresses begins with those of the index, in its order, so an address below ``len(index)``
is in the corpus and its number is that of its page.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dowse.engine.workers.calls import processes
from dowse.lab.corpus.code_version import source_version
from dowse.lab.corpus.index import Index, Progress
from dowse.lab.corpus.parsing import (
    CONTENT,
    CONTENT_NUMBERS,
    CONTENT_STRINGS,
    LINK_COLUMNS,
    LINK_STRINGS,
    PAGE,
    REFUSED,
    Batch,
    Numbering,
    number_again,
    parse_batch,
    parse_in_worker,
    string_again,
)
from dowse.model.arrays import ArrayFile, StringFile, Strings, load_array, load_strings
from dowse.model.page import PageContent
from dowse.model.url import fingerprint
from dowse.model.words import LINE_END, word_hash

__all__ = ["PAGES_VERSION", "Pages", "load_pages", "write_pages"]

PAGES_VERSION = source_version(
    "parse", "model/words.py", "model/url.py", "model/page.py", "engine/page/parsed.py", "lab/corpus",
    "store/warc_records.py", "engine/exchange/recorded_exchange.py",
)[:16]  # fmt: skip
"""Whatever parses pages, or keeps them, was changed: they are parsed again."""

_BATCH_PAGES = 128
_FACTS = ("flags", "refresh", "feed", *(f"refused_{rule}" for rule in REFUSED), *CONTENT_NUMBERS)
_COLUMNS: dict[str, type[np.generic]] = {
    "facts": np.int64, "exact": np.uint64, "minhash": np.uint8, "tokens": np.int32, "targets": np.int32,
    "mentioned": np.int32, "paragraphs": np.int32, "texts": np.int32, "paths": np.uint32, "block_starts": np.int32,
    "headings": np.int32, "anchor_tokens": np.int32, **LINK_COLUMNS,
}  # fmt: skip
_ENDS = {"n_tokens": "token_ends", "n_rows": "row_ends", "n_mentions": "mention_ends", "n_blocks": "block_ends",
         "n_headings": "heading_ends"}  # fmt: skip
_TABLES = {"targets": "urls", "refresh": "urls", "feed": "urls", "tokens": "words", "texts": "anchors",
           **{name: name for name in LINK_STRINGS}}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pages:
    """What parsing leaves of each page, as columns. See the module for what the numbers mean."""

    columns: dict[str, NDArray[Any]]
    facts: NDArray[np.int64]  # those columns that have one small number a page, side by side
    strings: dict[str, Strings]  # those of its content, one a page; words, urls, anchors, rels (tables)
    word_hashes: NDArray[np.uint64]
    fingerprints: NDArray[np.uint64]  # of urls

    def is_page(self) -> NDArray[np.bool_]:
        """Which numbers stand for a parsed page; others are redirects, errors, images, ..."""
        return (self.columns["flags"] & PAGE) > 0

    def content(self, number: int) -> PageContent:
        """What a page says of itself."""
        numbers = iter(self.facts[number, -len(CONTENT_NUMBERS) :].tolist())
        values: list[Any] = [
            string_again(self.strings[column.name][number])
            if column.kind is str
            else number_again(column, next(numbers))
            for column in CONTENT
        ]
        return PageContent(*values)

    def bounds(self, ends: str, number: int) -> slice:
        """Where the values of a page lie, by one of the columns that end in ``_ends``."""
        column = self.columns[ends]
        return slice(int(column[number - 1]) if number else 0, int(column[number]))


class _Writer:
    """Brings batches together: each batch's numbers become those of the whole."""

    def __init__(self, folder: Path, index: Index) -> None:
        dtypes = _COLUMNS | dict.fromkeys(_ENDS.values(), np.int64)
        dtypes |= dict.fromkeys(("word_hashes", "fingerprints"), np.uint64)
        with ExitStack() as files:
            self._arrays = {name: files.enter_context(ArrayFile(folder, name, dtype)) for name, dtype in dtypes.items()}
            self._strings = {
                name: files.enter_context(StringFile(folder, f"{name}.of")) for name in (*CONTENT_STRINGS, *_tables())
            }
            self._tables = {name: Numbering() for name in _tables()}
            self._ended = dict.fromkeys(_ENDS, 0)
            self._number("words", [LINE_END])
            self._number("urls", list(index.urls))
            self._files = files.pop_all()

    def _number(self, table: str, strings: list[str]) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """The numbers of strings in the whole's table, and which of them were new to it."""
        numbering = self._tables[table]
        before = len(numbering)
        numbers = numbering.of(strings)
        fresh = numbers >= before
        new = [strings[place] for place in np.flatnonzero(fresh).tolist()]
        self._strings[table].append(new)
        if table == "words":
            self._arrays["word_hashes"].append([0 if word == LINE_END else word_hash(word) for word in new])
        elif table == "urls":
            self._arrays["fingerprints"].append(list(map(fingerprint, new)))
        return numbers, fresh

    def add(self, batch: Batch) -> None:
        numbered = {name: self._number(name, strings) for name, strings in batch.tables.items()}
        columns = batch.columns
        for name, table in _TABLES.items():
            numbers = np.append(numbered[table][0], np.int32(-1))  # -1, none, stays what it is
            columns[name] = numbers[columns[name]]
        columns["anchor_tokens"] = _new_lines(columns["anchor_tokens"], numbered["anchors"][1])
        columns["anchor_tokens"] = numbered["words"][0][columns["anchor_tokens"]]
        columns["facts"] = np.column_stack([columns[name] for name in _FACTS]).ravel()
        for name in _COLUMNS:
            self._arrays[name].append(columns[name])
        for name, ends in _ENDS.items():
            sums = np.cumsum(columns[name]) + self._ended[name]
            self._arrays[ends].append(sums)
            self._ended[name] = int(sums[-1]) if len(sums) else self._ended[name]
        for name in CONTENT_STRINGS:
            self._strings[name].append(batch.strings[name])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        self._files.__exit__(*error)


def _tables() -> list[str]:
    return list(dict.fromkeys(_TABLES.values()))


def _new_lines(tokens: NDArray[np.int32], wanted: NDArray[np.bool_]) -> NDArray[np.int32]:
    """The wanted lines of a text in which each line has its end."""
    line_of = np.cumsum(tokens == 0) - (tokens == 0)
    lines: NDArray[np.int32] = tokens[wanted[line_of]]
    return lines


def write_pages(index: Index, index_folder: Path, folder: Path, jobs: int, progress: Progress | None = None) -> None:
    """Parse every page with ``jobs`` processes; what they write into ``folder`` is the same for any number of them."""
    batches = list(_batches(index, jobs))
    done = 0
    with _Writer(folder, index) as writer, closing(_parsed(index, index_folder, batches, jobs)) as parsed:
        for numbers, batch in zip(batches, parsed, strict=True):
            writer.add(batch)
            done += len(numbers)
            if progress is not None:
                progress("parsing", done, len(index))


def _batches(index: Index, jobs: int) -> Iterator[range]:
    """Runs of page numbers: long ones where pages share a gzip member, which each run inflates from its beginning."""
    size = _BATCH_PAGES
    if index.columns["skip"].any():
        size = max(size, -(-len(index) // (2 * jobs)))
    for start in range(0, len(index), size):
        yield range(start, min(start + size, len(index)))


def _parsed(index: Index, index_folder: Path, batches: list[range], jobs: int) -> Generator[Batch, None, None]:
    jobs = min(jobs, len(batches))
    if jobs <= 1:
        yield from (parse_batch(index, batch) for batch in batches)
        return
    with processes(jobs, died="a process died while it parsed pages: try --jobs 1, or more memory") as pool:
        corpus = index.folder
        ahead = 4 * jobs  # batches under way: enough to keep all busy, few enough to hold in memory
        waiting = [pool.submit(parse_in_worker, corpus, index_folder, batch) for batch in batches[:ahead]]
        for following in [*batches[ahead:], *[None] * len(waiting)]:
            yield waiting.pop(0).result()
            if following is not None:
                waiting.append(pool.submit(parse_in_worker, corpus, index_folder, following))


def load_pages(folder: Path) -> Pages:
    """The parsed pages kept in ``folder``."""
    columns = {name: load_array(folder, name) for name in (*_COLUMNS, *_ENDS.values())}
    facts = columns.pop("facts").reshape(-1, len(_FACTS))
    return Pages(
        columns | {name: facts[:, place] for place, name in enumerate(_FACTS)},
        facts,
        {name: load_strings(folder, f"{name}.of") for name in (*CONTENT_STRINGS, *_tables())},
        load_array(folder, "word_hashes"),
        load_array(folder, "fingerprints"),
    )
