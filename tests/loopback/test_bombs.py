"""The bombs are real: a few kilobytes of each unpack to more than anyone asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from dowse.fetch import Decoder
from dowse.loopback.hostile.bombs import brotli_bomb, gzip_bomb, nested_gzip_bomb, zstd_bomb
from dowse.model.http import Truncation

BOMBS = [("gzip", gzip_bomb, 900), ("gzip, gzip", nested_gzip_bomb, 50_000), ("br", brotli_bomb, 50_000),
         ("zstd", zstd_bomb, 20_000)]  # fmt: skip


@pytest.mark.parametrize(("coding", "bomb", "ratio"), BOMBS, ids=lambda value: value if isinstance(value, str) else "")
def test_a_bomb_unpacks_without_end(coding: str, bomb: Callable[[], Iterator[bytes]], ratio: int) -> None:
    cap, wire_bytes = 60_000_000, 0
    decoder = Decoder(coding, cap)
    for piece in bomb():
        wire_bytes += len(piece)
        if not decoder.feed(piece):
            break
    body, truncated = decoder.finish()
    assert truncated is Truncation.LENGTH
    assert body == b"a" * cap
    assert wire_bytes < cap / ratio
