"""Types of structured data, on honest pages and hostile ones."""

from __future__ import annotations

import json
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.parse.objects.stated import read_stated


def object_types(body: bytes, content_type: str = "") -> frozenset[str]:
    return read_stated(body, content_type).types


def ld(text: str) -> bytes:
    return f'<html><head><script type="application/ld+json">{text}</script></head></html>'.encode()


@pytest.mark.parametrize(
    ("body", "types"),
    [
        (ld('{"@type": "Event"}'), {"event"}),
        (ld('[{"@type": ["schema:Event", "https://schema.org/Thing"]}, 3]'), {"event", "thing"}),
        (ld('{"@graph": [{"@type": "Event", "location": {"@type": "http://schema.org/Place"}}]}'), {"event", "place"}),
        (ld('<!-- {"@type": "Event"}; -->'), {"event"}),
        (ld('//<![CDATA[\n{"@type": "Event"}\n//]]>'), {"event"}),
        (ld('{"@type": "Ev\tent"}'), {"ev\tent"}),  # a raw tab is no JSON, but common
        (ld('{"@type": 3}'), set()),
        (ld('{"@type": "Event"'), set()),
        (ld("") + ld('{"@type": "Event"}'), {"event"}),
        (b'<SCRIPT TYPE="Application/LD+JSON; charset=utf-8">{"@type": "Event"}</SCRIPT>', {"event"}),
        (b'<script type="text/javascript">{"@type": "Event"}</script> ld+json', set()),
        (b'<div itemscope itemtype="https://schema.org/Recipe http://data.org/x#Dish">', {"recipe", "dish"}),
        (b'<meta property="og:type" content="Article">', {"article"}),
        (b'<meta name="og:type" content="video.movie">', {"video.movie"}),
        (b'<meta property="og:type">', set()),
        (b"<p>Event</p>", set()),
        (b"", set()),
        ('<i itemtype="https://schema.org/Ereignis\u00e4">'.encode("latin-1"), {"ereignis\u00e4"}),
    ],
)
def test_types(body: bytes, types: set[str]) -> None:
    assert object_types(body) == types


def test_plain_text_has_none() -> None:
    assert object_types(ld('{"@type": "Event"}'), "text/plain") == frozenset()


@pytest.mark.parametrize(
    "text",
    [
        "[" * 500_000,
        '{"a":' * 200_000,
        "9" * 900_000,
        '"' + "\\u0041" * 150_000,
        " " * 900_000 + ";",
        "[" + '{"@type": "A"},' * 60_000 + "1]",
        json.dumps([{"@type": f"T{n}"} for n in range(20_000)]),
        '{"@type": "%s"}' % ("A" * 900_000),
        "<!--" * 200_000,
        "-->" * 250_000,
    ],
    ids=lambda text: text[:12],
)
def test_a_hostile_script_costs_little_and_raises_nothing(text: str) -> None:
    start = perf_counter()
    found = object_types(ld(text))
    assert perf_counter() - start < 5
    assert len(found) <= 500
    assert max(map(len, found), default=0) <= 200


def test_many_scripts_and_items_are_bounded() -> None:
    many = b"".join(ld(json.dumps({"@type": f"T{n}"})) for n in range(2_000))
    assert len(object_types(many)) == 100
    assert len(object_types(b"".join(b'<i itemtype="T%d">x</i>' % n for n in range(5_000)))) == 500
    assert object_types(ld(" " * 1_000_001 + '{"@type": "A"}')) == frozenset()


@given(st.text() | st.recursive(st.none() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(
    st.sampled_from(["@type", "@graph", "a"]), inner)).map(json.dumps))  # fmt: skip
def test_nothing_raises(text: str) -> None:
    assert all(name == name.lower() for name in object_types(ld(text.replace("\ud800", ""))) if name.isascii())
