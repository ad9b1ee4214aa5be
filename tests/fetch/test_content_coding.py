"""Decoders against the libraries' own one-shot functions, on random bodies cut at random places."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.fetch import Decoder
from dowse.model.http import Truncation


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


def pack_brotli(body: bytes) -> bytes:
    packed: bytes = brotli.compress(body, quality=3)
    return packed


PACKERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "zlib": ("deflate", zlib.compress),
    "raw": ("deflate", raw_deflate),
    "br": ("br", pack_brotli),
    "zstd": ("zstd", zstandard.compress),
}
bodies = st.one_of(
    st.binary(max_size=3000), st.text(max_size=500).map(str.encode), st.binary(max_size=40).map(lambda b: b * 500)
)


def decode(coding: str, wire: bytes, piece: int = 997, cap: int = 10**7) -> tuple[bytes, Truncation]:
    decoder = Decoder(coding, cap)
    for offset in range(0, len(wire), piece):
        if not decoder.feed(wire[offset : offset + piece]):
            break
    return decoder.finish()


@settings(deadline=None, max_examples=60)
@given(bodies, st.lists(st.sampled_from(sorted(PACKERS)), max_size=3), st.integers(1, 5000))
def test_any_stack_in_any_pieces_gives_the_body_back(body: bytes, stack: list[str], piece: int) -> None:
    wire = body
    for name in stack:
        wire = PACKERS[name][1](wire)
    assert decode(", ".join(PACKERS[name][0] for name in stack), wire, piece) == (body, Truncation.NONE)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(sorted(PACKERS)), st.binary(max_size=400), st.integers(1, 200))
def test_noise_never_raises_and_never_passes_the_cap(name: str, noise: bytes, piece: int) -> None:
    body, _ = decode(PACKERS[name][0], noise, piece, cap=1000)
    assert len(body) <= 1000


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(["gzip", "zlib", "br", "zstd"]), st.integers(0, 10_000), st.integers(0, 255))
def test_one_wrong_byte_leaves_a_prefix_or_is_marked(name: str, where: int, value: int) -> None:
    body = b"".join(b"%d, " % i for i in range(4000))
    coding, pack = PACKERS[name]
    wire = bytearray(pack(body))
    wire[10 + where % (len(wire) - 10)] = value
    got, truncated = decode(coding, bytes(wire))
    assert got == body or truncated is Truncation.ENCODING or name in ("br", "zstd")  # those may carry no checksum


@pytest.mark.parametrize("name", sorted(PACKERS))
@pytest.mark.parametrize("cap", [0, 1, 999, 1000, 1001])
def test_the_cap_is_exact(name: str, cap: int) -> None:
    coding, pack = PACKERS[name]
    got, truncated = decode(coding, pack(b"x" * 1000), cap=cap)
    assert len(got) == min(cap, 1000)
    assert truncated is (Truncation.NONE if cap >= 1000 else Truncation.LENGTH)


@pytest.mark.parametrize("name", sorted(PACKERS))
def test_late_damage_keeps_most_of_what_came_before(name: str) -> None:
    body = b"".join(b"%d, " % (i * i) for i in range(100_000))
    coding, pack = PACKERS[name]
    wire = pack(body)
    middle = len(wire) // 2
    got, truncated = decode(coding, wire[:middle] + b"\xff" * 2000 + wire[middle + 2000 :], piece=65536)
    assert truncated is Truncation.ENCODING or name == "raw"  # which carries no checksum
    shared = next((i for i, (a, b) in enumerate(zip(got, body, strict=False)) if a != b), len(got))
    assert shared > len(body) // 4


@pytest.mark.parametrize("magic", ["gzip", "zstd"])
def test_members_may_follow_one_another_and_padding_is_ignored(magic: str) -> None:
    coding, pack = PACKERS[magic]
    assert decode(coding, pack(b"one ") + pack(b"two"), piece=7) == (b"one two", Truncation.NONE)
    assert decode(coding, pack(b"one") + b"\0" * 50) == (b"one", Truncation.NONE)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
@pytest.mark.parametrize(
    "plain", [b"", b"a", b"hello", b"<!doctype html><p>hello", b'{"a": 1}', b"\xef\xbb\xbf<html>hello"]
)
def test_plain_bodies_declared_as_coded_stay_plain(coding: str, plain: bytes) -> None:
    assert decode(coding, plain, piece=1) == (plain, Truncation.NONE)


def test_a_signature_with_nonsense_behind_it_is_broken() -> None:
    assert decode("gzip", b"\x1f\x8bnonsense") == (b"", Truncation.ENCODING)


def test_an_inner_bomb_is_stopped_before_the_outer_coding_sees_it() -> None:
    inner = b"\0" * 5_000_000  # no gzip, and larger than the cap on the way to it
    got, truncated = decode("gzip, br", pack_brotli(b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + inner), cap=1_000_000)
    assert truncated in (Truncation.LENGTH, Truncation.ENCODING)
    assert len(got) <= 1_000_000
    assert decode("gzip, gzip, gzip, gzip", b"anything") == (b"", Truncation.ENCODING)
