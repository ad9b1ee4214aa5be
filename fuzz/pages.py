"""Pages, through the whole step from bytes to a digest: with the compiled core and without, they must give the same."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache

from tests.compiled import assert_agree

from dowse.compiled import core
from dowse.engine.page.step import PageStep
from dowse.engine.workers.job import Job
from dowse.frontier.scope import StaticScope
from dowse.judge import build_judge
from dowse.model.http import Response
from dowse.model.page import Digest
from dowse.model.topic import Scope, Topic
from dowse.model.words import LINE_END, WordLines
from dowse.parse import bounds as pieces
from dowse.parse.decode import in_utf8

__all__ = ["LETTERS", "TAGS", "bounds", "digests", "words"]

_STARTS = (
    "a b i font p div span li dd ul table tr td select option form svg math title desc template script style textarea "
    "frameset html body head br img h1 object button plaintext noscript iframe base ruby rt pre x-y"
)
_ENDS = "a b p div span li ul table td select svg title template script body html"
TAGS = (
    *(f"<{name}>".encode() for name in _STARTS.split()), *(f"</{name}>".encode() for name in _ENDS.split()),
    b"<a href='", b"<base href=", b"<meta http-equiv=refresh content='", b"<meta name=robots content=", b" hidden ",
    b" style='display:none'", b" rel=nofollow ", b" title=x ", b"<img alt='x'>", b"<!--", b"-->", b"<![CDATA[", b"]]>",
    b"<!doctype html>", b"&amp;", b"&#x41;", b"&#", b"&copy", b"/>", b"<area href=x alt=y>", b"<p>solar cell ",
    b"<link rel=canonical href=", b"<script type='application/ld+json'>{\"@type\":\"Event\"}</script>",
    b"<i itemtype='https://schema.org/Event'>",
)  # fmt: skip
LETTERS = tuple(
    letter.encode("utf-8", "surrogatepass") for letter in
    ("a", "Z", "é", "É", "ß", "İ", "Σ", "ж", "漢", "か", "ก", "ั", "\u0301", "\u0323", "\u200d", "’", "\u2028", "\x85",
     "1", "_", "\n", " ", "'", "ﬁ", "😀", "\ud800", "\0", "\u0130\u0307", "ǅ")
)  # fmt: skip
_TYPES = (
    "text/html",
    "text/html; charset=utf-8",
    "text/html; charset=windows-1252",
    "application/xhtml+xml",
    "text/plain",
)


@contextmanager
def _without_core() -> Iterator[None]:
    """As if it were not there."""
    modules = [
        module for name, module in list(sys.modules.items()) if name.startswith("dowse.") and "core" in vars(module)
    ]
    for module in modules:
        vars(module)["core"] = None
    try:
        yield
    finally:
        for module in modules:
            vars(module)["core"] = core


@cache
def _step(compiled: bool) -> PageStep:
    """One for each way, since a judge remembers words."""
    predicate = 'word("solar cell") or object("Event") or url.glob("/a*b") or similarity > 0.1'
    return PageStep(build_judge(Topic(query="solar cells", predicate=predicate)), StaticScope(Scope()), 50)


def _digest(data: bytes, compiled: bool) -> Digest:
    headers = (("Content-Type", _TYPES[len(data) % len(_TYPES)]), ("X-Robots-Tag", "otherbot: noindex"))
    job = Job(Response("http://example.org/a/b", 200, headers, data), 0.0, keep_text=True, terms=256)
    return replace(_step(compiled).digest(job), parse_s=0.0, judge_s=0.0)


def digests(data: bytes) -> None:
    """The digest of a page."""
    found = _digest(data, True)
    if core is not None:
        with _without_core():
            expected = _digest(data, False)
        assert_agree(found, expected, "compiled or not: the digest")


def bounds(data: bytes) -> None:
    """A page cut into pieces: nothing of it is doubled, and the core cuts alike."""
    page = in_utf8(data)[0].replace(b"\0", b"")
    cost, attributes, tags = 10 ** (len(page) % 8), 1 + len(page) % 50, 3 ** (len(page) % 12)
    before = pieces._MOST_COST, pieces._MOST_ATTRIBUTES, pieces.MOST_TAGS
    pieces._MOST_COST, pieces._MOST_ATTRIBUTES, pieces.MOST_TAGS = cost, attributes, tags
    try:
        found = pieces._Cutter(page).pieces()
    finally:
        pieces._MOST_COST, pieces._MOST_ATTRIBUTES, pieces.MOST_TAGS = before
    assert sum(map(len, found)) <= len(page) + 2 * page.count(b"<")
    if core is not None:
        size = core.cheap_bytes(page, pieces._TABLE, 0, 0, attributes, tags, cost)
        assert size < 0 or found == [page[:size]], "the core is sure of what is cut"


def words(data: bytes) -> None:
    """The words of a text."""
    for text in (
        data.decode("utf-8", "surrogateescape" if len(data) % 2 else "replace"),
        data.decode("utf-8", "replace").encode(),
    ):
        known, new = {LINE_END: 0}, [LINE_END]
        recent = bytearray(core.RECENT_SIZE if core is not None else 0)
        tokens = WordLines(text).tokens()
        for _ in range(2):  # the second time, all of them are known
            numbers = WordLines(text).numbers(known, new, recent)
            if numbers is not None:
                assert [new[number] for number in memoryview(numbers).cast("i")] == tokens, (
                    "other words than Python finds"
                )
