"""Markdown: what is text in it, and what leads where."""

from __future__ import annotations

import time

import pytest

from dowse.parse import Document, block_starts, parse_page

TEXT = b"""---
title: "From the top"
lang: en
---
# A *big* heading #

A paragraph with [a link](http://example.org/a_(b) "a title") and
more of it, `code` and **bold**.

- item with <http://example.org/auto>
- [by name][Ref], [Ref], [no link at all]
1. ![an image](/i.png) [![picture](/p.png) link](/pictured)

Second heading
--------------

> quoted http://example.org/bare, and so on

```
[not a link](/code)
```

[ref]: <http://example.org/ref> "Title"
"""


def read(body: bytes) -> Document:
    return parse_page(body, url="http://example.org/README.md", content_type="text/markdown")


def test_text_and_links() -> None:
    document = read(TEXT)
    assert (document.kind, document.title, document.lang, document.fault) == ("markdown", "From the top", "en", "")
    assert document.text.split("\n") == [
        "A big heading",
        "A paragraph with a link and more of it, code and bold.",
        "item with http://example.org/auto",
        "by name, Ref, [no link at all]",
        "an image picture link",
        "Second heading",
        "quoted http://example.org/bare, and so on",
        "[not a link](/code)",
    ]
    assert [(link.href, link.anchor, link.paragraph) for link in document.links] == [
        ("http://example.org/a_(b)", "a link", 2),
        ("http://example.org/auto", "http://example.org/auto", 3),
        ("http://example.org/ref", "by name", 4),
        ("http://example.org/ref", "Ref", 4),
        ("/pictured", "picture link", 5),
        ("http://example.org/bare", "http://example.org/bare", 7),
    ]
    assert document.outline.headings() == [1, 6]
    assert block_starts(document) == [1, 6]


def test_without_a_title_the_first_heading_is_it() -> None:
    assert read(b"Some words.\n\nA heading\n===\n").title == "A heading"
    assert read(b"---\nno end of it\n\n# One").title == "One"


@pytest.mark.parametrize(
    "piece",
    [b"[", b"[a](", b"![", b"](", b"[a][", b"<http://", b"http://a", b"**`", b"[[a]", b"[a](<", b"[a]( (", b"- ", b"> ",
     b"[a]: ", b"<!--", b"<a ", b"# ", b"'[a](x '"],
)  # fmt: skip
def test_no_text_takes_long(piece: bytes) -> None:
    started = time.process_time()
    read(piece * (400_000 // len(piece)))
    assert time.process_time() - started < 4  # most take a tenth of it
