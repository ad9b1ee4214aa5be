"""Values of structured data: as authors write it, as another library reads it, and as nobody should."""

from __future__ import annotations

import json
from typing import Any

import extruct
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.model.objects import FoundObject, Value
from dowse.parse.objects.stated import read_stated

URL = "https://www.example.org/events/1"

EVENT = {
    "@context": "https://schema.org",
    "@type": "MusicEvent",
    "name": " Jazz \n night ",
    "startDate": "2026-05-12T19:30:00+02:00",
    "eventStatus": "https://schema.org/EventScheduled",
    "isAccessibleForFree": False,
    "performer": [{"@type": "Person", "name": "Ada"}, {"@type": "Person", "name": "Bo"}],
    "offers": {"@type": "Offer", "price": "12,50 €", "priceCurrency": "EUR"},
    "location": {
        "@type": "Place", "name": "Kino",
        "address": {"@type": "PostalAddress", "streetAddress": "Main 4", "addressLocality": "Brno",
                    "addressCountry": {"@type": "Country", "name": "CZ"}},
    },
}  # fmt: skip
EVENT_FIELDS: dict[str, Value] = {
    "name": "Jazz night",
    "startDate": "2026-05-12T19:30+02:00",
    "eventStatus": "EventScheduled",
    "isAccessibleForFree": False,
    "performer": "Ada; Bo",
    "location": "Kino",
    "performer.name": "Ada",
    "offers.price": 12.5,
    "offers.priceCurrency": "EUR",
    "location.name": "Kino",
    "location.address": "Main 4, Brno, CZ",
    "location.address.streetAddress": "Main 4",
    "location.address.addressLocality": "Brno",
    "location.address.addressCountry": "CZ",
    "location.address.addressCountry.name": "CZ",
}
MICRODATA = b"""<div itemscope itemtype="https://schema.org/MusicEvent"><h1 itemprop="name">Jazz <b>night</b></h1>
<time itemprop="startDate" datetime="2026-05-12">12 May</time> <a itemprop="url" href="/jazz">more</a>
<meta itemprop="doorTime" content="2026-05-12T19:00"><p itemprop="location" itemscope itemtype="http://schema.org/Place">
<span itemprop="name">Kino</span><i itemprop="address">Main 4<br>Brno</i></p></div>"""
RDFA = b"""<div vocab="https://schema.org/" typeof="MusicEvent" resource="#a"><h1 property="name">Jazz <b>night</b></h1>
<time property="startDate" datetime="2026-05-12">12 May</time> <a property="url" href="/jazz">more</a>
<meta property="schema:doorTime" content="2026-05-12T19:00"><p property="location" typeof="Place">
<span property="name">Kino</span><i property="address">Main 4<br>Brno</i></p></div>"""
MARKED: dict[str, Value] = {
    "name": "Jazz night",
    "startDate": "2026-05-12",
    "url": "https://www.example.org/jazz",
    "doorTime": "2026-05-12T19:00",
    "location": "Kino",
    "location.name": "Kino",
    "location.address": "Main 4 Brno",
}


def ld(*values: Any) -> bytes:
    scripts = "".join(f'<script type="application/ld+json">{json.dumps(value)}</script>' for value in values)
    return f"<html><head>{scripts}</head></html>".encode()


def objects(page: bytes, **more: bool) -> list[FoundObject]:
    return list(read_stated(page, "text/html; charset=utf-8", URL, **more).objects)


def test_json_ld() -> None:
    assert objects(ld(EVENT)) == [FoundObject("MusicEvent", EVENT_FIELDS, URL, "json-ld")]


@pytest.mark.parametrize(("page", "source"), [(MICRODATA, "microdata"), (RDFA, "rdfa")])
def test_attributes(page: bytes, source: str) -> None:
    [one] = objects(page)
    assert (one.kind, one.fields, one.source) == ("MusicEvent", MARKED, source)


def test_opengraph() -> None:
    page = b"""<meta property="og:type" content="event"><meta property="og:title" content="Jazz">
    <meta property="event:start_time" content="12 May 2026"><meta name="og:image:width" content="3"><meta name="x">"""
    told: dict[str, Value] = {"name": "Jazz", "startDate": "2026-05-12", "image.width": "3"}
    assert objects(page) == [FoundObject("event", told, URL, "opengraph")]
    assert objects(b'<meta property="og:title" content="Jazz"> og:type') == []


def test_parts_are_given_where_they_are_asked_for() -> None:
    kinds = [one.kind for one in objects(ld({**EVENT, "@type": ["Event", "schema:MusicEvent"]}), parts=True)]
    assert kinds == ["Event", "MusicEvent", "Person", "Person", "Offer", "Place", "PostalAddress", "Country"]


@pytest.mark.parametrize(
    "page",
    [
        {"@type": "WebPage", "mainEntity": EVENT},
        {"@graph": [{"@type": "WebSite"}, EVENT]},
        {"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "position": 1, "item": EVENT}]},
        [{"things": {"@list": [EVENT]}}],
        {"@type": "Place", "event": EVENT},
        {"@reverse": {"organizer": EVENT}},
    ],
)
def test_what_holds_a_thing_is_not_what_it_is(page: Any) -> None:
    assert FoundObject("MusicEvent", EVENT_FIELDS, URL, "json-ld") in objects(ld(page))
    assert not {"ListItem"} & {one.kind for one in objects(ld(page))}


def test_things_are_joined_by_their_ids() -> None:
    place = {"@type": "Place", "@id": "#place", "name": "Kino", "event": {"@id": "#event"}}
    event = {"@type": "Event", "@id": "#event", "name": "Jazz", "location": {"@id": "#place"}}
    told = {one.kind: one.fields for one in objects(ld({"@graph": [event, place]}))}
    assert told["Event"]["location"] == "Kino"
    assert told["Place"]["event.location"] == "Kino"
    assert "location.event.name" not in told["Event"]  # which it is itself
    other = ld(event) + ld(place)
    assert {one.kind: one.fields for one in objects(other)} == told


def test_an_item_refers_to_what_stands_elsewhere() -> None:
    page = b"""<div id="b"><span itemprop="location">Brno</span></div><div itemscope itemtype="https://schema.org/Event"
    itemref="a b none"><b itemprop="name">Jazz</b></div><p id="a" itemprop="startDate">12 May 2026</p>"""
    [one] = objects(page)
    assert one.fields == {"name": "Jazz", "startDate": "2026-05-12", "location": "Brno"}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"name": 3, "startDate": 2026, "offers": "none", "location": True},
         {"name": 3.0, "startDate": 2026.0, "offers": "none", "location": True}),
        ({"name": None, "location": [], "startDate": {}, "x": [[["deep"]]]}, {"x": "deep"}),
        ({"name": {"@value": "Jazz", "@language": "de"}}, {"name": "Jazz"}),
        ({"name": ["A", "B", "A", 2]}, {"name": "A; B; 2"}),
        ({"startDate": "soon"}, {"startDate": "soon"}),
        ({"name": "Jazz", "https://schema.org/location": "Brno"}, {"name": "Jazz", "location": "Brno"}),
        ({"a b": "x", "": "y", "n" * 300: "z", "name": "Jazz"}, {"name": "Jazz"}),
        ({"price": 10**400, "name": "Jazz"}, {"name": "Jazz"}),
        ({}, None),
    ],
)  # fmt: skip
def test_values_of_wrong_types(value: dict[str, Any], told: dict[str, Value] | None) -> None:
    found = objects(ld({"@type": "Event", **value}))
    assert [one.fields for one in found] == ([] if told is None else [told])
    assert all(type(own) in (str, float, bool) for one in found for own in one.fields.values())


NAMES = st.sampled_from(("name", "location", "startDate", "event", "offers"))
TEXTS = st.sampled_from(("Jazz", "Brno", "12", "2026-05-12", "a b"))


@st.composite
def thing(draw: st.DrawFn, depth: int = 2) -> dict[str, Any]:
    value = TEXTS if depth == 0 else TEXTS | thing(depth - 1)
    return {"@type": draw(st.sampled_from(("Event", "Place"))), **draw(st.dictionaries(NAMES, value, max_size=3))}


def marked(one: dict[str, Any]) -> str:
    """The same in microdata."""
    inner = ""
    for name, value in one.items():
        if name == "@type":
            continue
        inner += marked(value).replace("<div", f'<div itemprop="{name}"', 1) if isinstance(value, dict) else (
            f'<p><span itemprop="{name}">{value}</span></p>'
        )  # fmt: skip
    return f'<div itemscope itemtype="https://schema.org/{one["@type"]}">{inner}</div>'


def as_extruct(item: Any) -> Any:
    """An item of the other library, as it is in JSON-LD."""
    if not isinstance(item, dict):
        return item
    return {
        "@type": item["type"].rsplit("/", 1)[-1],
        **{k: as_extruct(v) for k, v in item.get("properties", {}).items()},
    }


@given(thing())
def test_microdata_is_what_another_library_reads(one: dict[str, Any]) -> None:
    page = f"<html><body>{marked(one)}</body></html>"
    [read] = extruct.extract(page, base_url=URL, syntaxes=["microdata"])["microdata"]
    theirs = as_extruct(read)
    assert [(own.kind, own.fields) for own in objects(page.encode(), parts=True)] == [
        (own.kind, own.fields) for own in objects(ld(theirs), parts=True)
    ]
    assert objects(ld(theirs)) == objects(ld(one))


def _deep(depth: int) -> bytes:
    return b'<i itemscope itemtype="T" itemprop="p">x' * depth


@pytest.mark.parametrize(
    "page",
    [
        _deep(20_000),
        b'<div itemscope itemtype="T">' + b'<b itemprop="p">' * 20_000 + b"x " * 500_000,
        b'<div itemscope itemtype="T">' + b'<b itemprop="a b c d e f g">y</b>' * 20_000,
        b'<div itemscope itemtype="T" itemref="' + b"a " * 100_000 + b'"><p id="a" itemprop="p">x' * 100,
        b'<div typeof="T">' + b'<b property="p" typeof="T">' * 20_000,
        b'<meta property="og:type" content="a">' + b'<meta property="og:title" content="b">' * 20_000,
        ld([{"@type": "T", "@id": f"{n}", "a": {"@id": f"{n + 1}"}, "b": {"@id": f"{n + 1}"}} for n in range(9_000)]),
        ld({"@graph": [{"@type": "T", "@id": "0", **{f"p{n}": {"@id": "0"} for n in range(500)}}]}),
        ld({"@graph": [{"@type": "T", **{f"p{n}": "x" * 200 for n in range(300)}} for _ in range(15)]}),
        ld([{"@type": [f"T{n}" for n in range(2_000)], "name": "x"}] * 20),
    ],
    ids=range(10),
)  # fmt: skip
def test_hostile_pages_are_bounded(page: bytes) -> None:
    for parts in (False, True):
        found = objects(page, parts=parts)
        assert len(found) <= 2_000
        assert all(len(one.fields) <= 60 for one in found)
        assert sum(len(str(own)) for one in found for own in one.fields.values()) <= 3_000_000


@given(st.binary(max_size=300), st.sampled_from((b"ld+json", b"itemscope", b"typeof", b"og:type")))
def test_any_bytes_raise_nothing(noise: bytes, mark: bytes) -> None:
    objects(b"<div " + mark + b">" + noise)
    objects(b'<script type="application/ld+json">' + noise)


def test_half_a_letter_can_be_stored() -> None:
    """JSON can spell half of a surrogate pair; no file can hold it."""
    script = r'{"@type": "Event\ud800", "@id": "\ud800", "name": "Jazz \udfb7 \ud83c\udfb7", "\ud800": "x"}'
    stated = read_stated(f'<script type="application/ld+json">{script}</script>'.encode(), "text/html", URL)
    assert stated.objects == (FoundObject("Event?", {"name": "Jazz ? \U0001f3b7"}, URL, "json-ld"),)
    str(stated).encode()
