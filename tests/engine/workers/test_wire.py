from __future__ import annotations

import itertools
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.engine.workers.job import Job, Work
from dowse.engine.workers.wire import Frames, frame, framed, pack_job, pack_work, unpack_job, unpack_work
from dowse.model.http import Response, Timings, Truncation
from dowse.model.page import Bag, Counting, Digest, Links, PageContent, Part, Reason, Signature, Verdict

RESPONSE = Response(
    "http://example.org/é", 203, (("Content-Type", "text/html"), ("X-Odd", "\udcff")), b"\x00body", "Fine", 7,
    Truncation.TIME, Timings(0.1, 0.2, 0.3, 0.4), "192.0.2.1", (("Host", "example.org"),), "GET",
)  # fmt: skip
LINKS = Links(
    urls=["http://a.example/", "http://b.example/"],
    fingerprints=np.array([1, 2**64 - 1], np.uint64),
    counts=np.array([1, 3], np.float32),
    anchors=["one", "\ud800"],
    rels=["", "next"],
    positions=np.array([0, 9], np.int32),
    similarity=np.array([[0, 0.25, 0.1, 0.2, 0.3, 0.7], [0.5, 1, 0.4, 0.6, np.inf, 0.8]], np.float32),
)
DIGEST = Digest(
    verdict=Verdict(
        0.5, True, 0.06, "erid", (Reason("term: a", 0.5), Reason("b", 0.1, 2.0)), 0.4, 0.5,
        (Part("and", True, 0.75), Part('language == "de"', True, 1.0, "de", 1), Part("words > 3", True, 0.5, 4.0, 1)),
        "ValueError: x",
    ),
    content=PageContent("Titel", "de", "utf-8", "http://example.org/", 3, 20, 5, "pdf", 9), links=LINKS,
    refused_links={"host": 3}, noindex=True,
    signature=Signature(2**64 - 1, bytes(range(64))), lines=np.array([3, 2**64 - 1], np.uint64),
    bag=Bag(np.array([5, 2**32 - 1], np.uint32), np.array([1.0, 0.25], np.float32)), text="Text",
    similarity=0.375, parse_s=0.1, judge_s=0.2,
)  # fmt: skip


def test_a_job_arrives_as_it_was_sent() -> None:
    job = Job(RESPONSE, 1.5, 4, "http://via.example/", True, True, bytes(range(16)), Counting(menus=True))
    assert unpack_job(b"".join(pack_job(job))) == job


@pytest.mark.parametrize(
    "work", [Work(error="RecursionError: deep"), Work(archive=[b"a", b""]), Work(error="encrypted", unreadable=True)]
)
def test_work_without_a_digest(work: Work) -> None:
    assert unpack_work(pack_work(work)) == work


def test_a_digest_arrives_whole_with_every_field() -> None:
    """Every field has a value here that is not its default, so a forgotten one shows."""
    again = unpack_work(pack_work(Work(DIGEST, [b"x"]))).digest
    assert again is not None
    for field in fields(Links):
        sent, came = getattr(LINKS, field.name), getattr(again.links, field.name)
        np.testing.assert_array_equal(sent, came, field.name)
        assert getattr(sent, "dtype", None) == getattr(came, "dtype", None), field.name
    np.testing.assert_array_equal(again.lines, DIGEST.lines)
    assert again.bag is not None
    assert DIGEST.bag is not None
    np.testing.assert_array_equal(again.bag.terms, DIGEST.bag.terms)
    np.testing.assert_array_equal(again.bag.counts, DIGEST.bag.counts)
    default = Digest(Verdict(0, False, 0, ""))
    for name in (field.name for field in fields(Digest) if field.name not in ("links", "lines", "bag")):
        assert getattr(again, name) == getattr(DIGEST, name) != getattr(default, name), name
    for field in fields(PageContent):
        assert getattr(DIGEST.content, field.name) != getattr(default.content, field.name), field.name


@given(
    st.lists(st.sampled_from([0, 1, 3, 70_000, 262_140, 262_144, 600_000]) | st.integers(0, 400), max_size=8),
    st.lists(st.integers(1, 300_000), min_size=1, max_size=8),
)
@settings(deadline=None)
def test_messages_come_out_as_they_went_in_however_the_stream_is_cut(sizes: list[int], cuts: list[int]) -> None:
    messages = [bytes([number % 251]) * size for number, size in enumerate(sizes)]
    stream, found, frames = memoryview(b"".join(map(frame, messages))), [], Frames()
    cut = itertools.cycle([*cuts, 100_000])  # a stream of nothing but single bytes would take minutes
    while stream:
        room = frames.room()
        taken = stream[: min(len(room), next(cut))]
        assert taken
        room[: len(taken)] = taken
        found += [bytes(message) for message in frames.took(len(taken))]
        stream = stream[len(taken) :]
    assert found == messages
    assert len(frames.room()) == 1 << 18, "what a large message took is given back"


@given(st.binary(max_size=50))
def test_a_frame_in_two_parts_is_the_same(payload: bytes) -> None:
    assert b"".join(framed(payload)) == frame(payload)
