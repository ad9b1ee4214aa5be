"""The compiled core, an extension module in C (``src/core``): here where it was built, unless ``DOWSE_PURE`` is set.

Each of its functions has a twin in Python that says what the result must be and that does the work where the core is
not there. Sums may be added up in another order: numbers agree within 1e-9, everything else is the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

__all__ = ["Core", "Found", "core"]

_VERSION = 13  # of what is below, as in src/core/module.c
_Link = TypeVar("_Link", bound=tuple[Any, ...])
Found = tuple[bytes, list[_Link], tuple[list[int], ...], list[tuple[int, Mapping[str, str | None], str]]]
"""Text in UTF-8, links, columns of the outline and elements of the head (kind, attributes, text) of a page."""


class Core(Protocol):
    """What ``dowse._core`` has."""

    VERSION: int

    def tags(self, kinds: dict[str, int], /) -> object:
        """A table for :meth:`read`: what it does at each element (see ``dowse.parse.html``)."""

    def is_utf8(self, body: bytes, /) -> bool:
        """Can it be decoded?"""

    def sorts(self, sorts: Mapping[bytes, int], /) -> object:
        """A table for :meth:`cheap_bytes`: what is known of each name (see ``dowse.parse.openings``)."""

    def cheap_bytes(
        self, page: bytes, sorts: object, small: int, few_tags: int, most_attributes: int, most_tags: int,
        most_cost: int, /,
    ) -> int:  # fmt: skip
        """How many bytes of the page are a piece by themselves, and the only one (see ``dowse.parse.bounds``); -1 where
        it has several, or tags that are beyond these bounds, or that is not certain."""

    def read(
        self, page: bytes, tags: object, is_hidden: Callable[[str], object], link: type[_Link],
        entities: dict[str, str], /,
    ) -> Found[_Link] | None:  # fmt: skip
        """What the walk over a page's tree would find, from the page itself (see ``dowse.parse.html``). None where that
        takes the HTML library: where tags are in a tangle, and elsewhere (see src/core/tree.c)."""

    RECENT_SIZE: int

    def read_words(
        self, text: str | bytes, known: dict[str, int], new: list[str], cut_line: Callable[[str], list[str]],
        recent: bytearray, /,
    ) -> bytes | None:  # fmt: skip
        """The numbers of a text's words and line ends, 32 bits each; ``cut_line`` is asked where a line has letters
        beyond Latin and Cyrillic. ``recent`` has room for what was looked up lately: ``RECENT_SIZE`` bytes, all 0 to
        begin with, and again whenever ``known`` begins anew. None where the text has half a character."""

    def minhash(self, hashes: Array, /) -> bytes:
        """The MinHash of a text, from the hashes of its words, four or more (see ``dowse.parse.signature``)."""

    def similarities(
        self, numbers: Array, terms: Array, groups: Array | None, lines: int, topic: Array, weights: Array,
        result: Array, /,
    ) -> bool:  # fmt: skip
        """``Reading.similarities`` without rarity, written to ``result``. ``weights`` are those of each count. False
        where there are too few of them, or where a group's lines do not stand together."""

    def lines(self, numbers: Array, table: Array, sizes: Array, sums: Array, hashes: Array, /) -> bool:
        """``Reading.lines`` and ``Reading.hashes``, written to the last three. False where those are of another size,
        or a word is not in the ``table`` of hashes."""

    def distinct(self, terms: Array, numbers: Array, weights: Array | None, found: Array, counts: Array, /) -> int:
        """``Reading.distinct``, written to the last two: so many. -1 where a line's weight is no quarter."""

    def sorted_weights(self, counts: Array, whole: bool, table: Array, result: Array, /) -> bool:
        """The weight of each count, rising, written to the last. ``table`` has those of 0, 1, 2, ... quarters, and
        ``whole`` says whether counts are integers. False where one is not in the table."""

    def bag(
        self, table: Array, numbers: Array, counts: Array, whole: bool, most: int, most_often: int, found: Array,
        often: Array, /,
    ) -> bool:  # fmt: skip
        """``Reading.bag``, written to the last two; ``table`` has the hash of each term, by its number, and ``whole``
        says whether counts are integers. False where one is no quarter, or two terms have one hash."""

    def blocks(
        self, starts: list[int], sizes: Array, hashes: Array, known: bytes, mostly: float, weight: float,
        most_lines: int, groups: Array, weights: Array, by_line: Array, told: Array, /,
    ) -> tuple[int, int, bool] | None:  # fmt: skip
        """What of a page repeats (see ``engine.page.judged``), written to the last four: of how many blocks and of
        how many distinct lines, and whether any block repeats. None where blocks are not in order."""

    def gather(
        self, links: Sequence[tuple[str, str, str, int, int]], known: dict[str, tuple[str, str]],
        resolve: Callable[[str], tuple[str, str]], most: int, nofollow: bool, /,
    ) -> tuple[Any, ...]:  # fmt: skip
        """The fields of ``Gathered`` (see ``dowse.parse.links``). ``resolve`` is asked for the targets that are not
        ``known``."""

    def partition(
        self, parents: list[int], starts: list[int], ends: list[int], heights: list[int], link_lines: list[int],
        least_height: float, /,
    ) -> list[int] | None:  # fmt: skip
        """The first lines of a page's blocks, which fall apart where one link is in them (see ``dowse.parse.blocks``).
        None where the outline is not whole."""

    def mentions(
        self, mentioned: list[int], paragraphs: list[int], elements: list[int], tags: list[int], parents: list[int],
        starts: list[int], ends: list[int], block_starts: list[int], is_heading: bytes, rows: Array, lines: Array,
        blocks: Array, headings: Array, paths: Array, /,
    ) -> bool:  # fmt: skip
        """Where links stand (see ``dowse.parse.links``), written to the last five. False where the outline is not
        whole."""

    def in_context(
        self, rows: Array, lines: Array, blocks: Array, headings: Array, paths: Array, by_anchor: Array, by_url: Array,
        by_line: Array, by_block: Array, weights: Array, similarity: Array, /,
    ) -> bool:  # fmt: skip
        """Links in their context (see ``dowse.parse.context``), written to the last. False where a target has no
        mention, or one stands beyond the page."""

    def evidence(
        self, records: Array, base: Array, groups: Array, own: Array, tokens: Array, sites: Array, usual: float,
        result: Array, /,
    ) -> bool:  # fmt: skip
        """``Tables.features`` (see ``dowse.predict.learning.features``), written to ``result``. False where a record
        has a link that the tables do not know."""

    def count_links(
        self, base: Array, groups: Array, pages: Array, places: Array, times: float, values: Array, /
    ) -> bool:
        """``Siblings.count``. False, and nothing is counted, where a link is not known; so with the next."""

    def count_page(
        self, record: Array, base: Array, groups: Array, tokens: Array, sites: Array, value: float, /
    ) -> bool:
        """What ``Tables.judged_one`` counts."""

    def count_answer(self, record: Array, tokens: Array, sites: Array, /) -> bool:
        """What ``Answers.count`` of ``dowse.predict.learning.answers`` counts. False where it was left to Python."""

    def chances(self, records: Array, tokens: Array, sites: Array, usual: float, result: Array, /) -> bool:
        """``Answers.chances``. False where it was left to Python."""

    def note_links(
        self, records: Array, page: int, places: Array, sites: Array, similarity: Array, base: Array, groups: Array, /
    ) -> bool:
        """``note_links`` of ``dowse.predict.learning.notes``. False where it was left to Python."""

    def name_links(self, records: Array, urls: Sequence[str], anchors: Sequence[str], /) -> bool:
        """``name_links`` of ``dowse.predict.learning.notes``. False where a text has half a character; those before it
        have their tokens then."""

    def number_terms(self, numbers: Array, terms: Array, count: int, result: Array, /) -> int:
        """``Numbering.numbers`` of ``dowse.judge.learned.texts``, written to ``result``; its new count."""

    def unit_texts(self, sizes: Array, terms: Array, weights: Array, rarity: Array, result: Array, /) -> bool:
        """What ``Vectors`` weighs, written to ``result``. False where a table is empty; so with those below."""

    def sum_texts(self, sizes: Array, terms: Array, unit: Array | None, of: Array, result: Array, /) -> bool:
        """``Vectors.sums``. False where a term is beyond the ``result``."""

    def dot_texts(self, sizes: Array, terms: Array, unit: Array, vector: Array, result: Array, /) -> bool:
        """``Vectors.dot``: the dot product of each text with ``vector``, written to ``result``."""

    def multiply_texts(self, sizes: Array, terms: Array, unit: Array, nothing: None, result: Array, /) -> bool:
        """``Vectors.products``: the dot product of each text with each other, added to ``result``."""

    def look_up(
        self, fingerprints: Array, keys: Array, values: Array, orders: Array, states: Array, kinds: bytes, ids: Array,
        priorities: Array, standing: Array, /,
    ) -> None:  # fmt: skip
        """Links looked up in the frontier (see ``dowse.frontier.seen``), written to the last three."""

    def count_lines(
        self, lines: Array, counts: Array, page: Array, halve: bool, repeated: int, most: int, /
    ) -> tuple[bytes, bytes, bytes | None]:
        """The lines of a site and their counts with one page more, and the repeated ones (see
        ``dowse.parse.repeats``), unless those are too many."""


def _load() -> Core | None:
    if os.environ.get("DOWSE_PURE"):
        return None
    try:
        found = cast(Core, import_module("dowse._core"))
    except ImportError:  # there was no compiler when Dowse was installed
        return None
    # one that was built from other sources than these, and not anew since, is as good as none
    return found if getattr(found, "VERSION", 0) == _VERSION else None


core = _load()
