"""Where bodies end, however they are cut on their way."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.fetch.faults import Malformed
from dowse.fetch.framing import Chunks, Framing, Length, UntilClose

line_ends = st.sampled_from((b"\r\n", b"\n"))
extensions = st.sampled_from((b"", b" ", b";a", b" ;a=b;c"))
chunk = st.tuples(st.binary(min_size=1, max_size=40), extensions, line_ends, line_ends)


def feed(framing: Framing, sent: bytes, cuts: list[int]) -> tuple[bytes, int]:
    """The body, and how many bytes belong to the answer."""
    places = sorted({cut % (len(sent) + 1) for cut in cuts} | {0, len(sent)})
    pieces: list[bytes] = []
    used = 0
    for start, end in pairwise(places):
        taken = framing.feed(sent[start:end], pieces)
        used += taken
        if framing.is_complete:
            break
        assert taken == end - start
    return b"".join(pieces), used


@given(st.lists(chunk, max_size=6), st.sampled_from((b"", b"X: y\r\n", b"X: y\nZ:\n")), st.lists(st.integers(0, 999)))
def test_chunks_come_together_however_they_are_cut(
    chunks: list[tuple[bytes, bytes, bytes, bytes]], trailers: bytes, cuts: list[int]
) -> None:
    sent = b"".join(b"%X%b%b%b%b" % (len(data), more, end, data, behind) for data, more, end, behind in chunks)
    sent += b"00\r\n" + trailers + b"\r\n"
    framing = Chunks()
    assert feed(framing, sent + b"5\r\nnot of it", cuts) == (b"".join(data for data, *_ in chunks), len(sent))
    assert framing.is_complete


@given(st.binary(max_size=60), st.integers(0, 60), st.lists(st.integers(0, 99)))
def test_a_length_is_kept_to(sent: bytes, length: int, cuts: list[int]) -> None:
    framing = Length(length)
    assert feed(framing, sent, cuts) == (sent[:length], min(length, len(sent)))
    assert framing.is_complete == (len(sent) >= length)


@given(st.binary(max_size=60), st.lists(st.integers(0, 99)))
def test_what_the_connection_ends_is_never_complete(sent: bytes, cuts: list[int]) -> None:
    framing = UntilClose()
    assert feed(framing, sent, cuts) == (sent, len(sent))
    assert not framing.is_complete


@pytest.mark.parametrize(
    "sent",
    [b"zz\r\n", b"-5\r\n", b"\r\n", b"0x5\r\nhello", b"f" * 40 + b"\r\n", b"5\r\nhello!", b"5\r\nhello\r!\n",
     b"0" * 20_000, b"5;" + b"x" * 20_000 + b"\r\nhello", b"0\r\n" + b"X: y\r\n" * 20_000],
    ids=lambda sent: repr(sent)[:20],
)  # fmt: skip
def test_a_malformed_chunk_is_a_fault_behind_what_came_before(sent: bytes) -> None:
    pieces: list[bytes] = []
    with pytest.raises(Malformed):
        Chunks().feed(b"3\r\nyes\r\n" + sent, pieces)
    assert pieces[0] == b"yes"


@given(st.binary(max_size=80))
def test_noise_is_understood_or_a_fault_whatever_its_pieces(noise: bytes) -> None:
    def read(cuts: list[int]) -> tuple[bytes, int] | None:
        try:
            return feed(Chunks(), noise, cuts)
        except Malformed:
            return None

    assert read([]) == read(list(range(len(noise))))
