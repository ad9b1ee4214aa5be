"""Objects on pages: structured data, what wrappers find, and wrappers themselves."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

from dowse.model.normal.dates import read_date
from dowse.model.normal.places import place_key
from dowse.model.normal.prices import read_price
from dowse.model.normal.texts import plain
from dowse.model.objects import FoundObject
from dowse.parse.objects.stated import read_stated
from dowse.parse.objects.suggest import MarkedPage, suggest
from dowse.parse.objects.wrapped import read_wrapped
from dowse.parse.objects.wrapper import Rule, Wrapper, load_wrapper, wrapper_toml
from dowse.recrawl.objects import distinct

__all__ = ["MARKS", "TOML", "objects", "wrappers"]

_URL = "https://www.example.org/events/1"
_HTML = "text/html; charset=utf-8"
_FIELDS = {
    "name": Rule(css="h1"), "startDate": Rule(css="time", attribute="datetime", as_="date"),
    "price": Rule(regex=r"([0-9.,]+) ?EUR", as_="price"), "location": Rule(xpath="//span[1]", as_="place"),
    "url": Rule(css="a", attribute="href", as_="url", all=True),
}  # fmt: skip
_WRAPPERS = (
    Wrapper("whole", "Event", _FIELDS),
    Wrapper("rows", "Event", {"name": Rule(css="b"), "day": Rule(as_="date")}, items=Rule(css="li")),
)
MARKS = (
    b'<script type="application/ld+json">', b"</script>", b'{"@type": "Event", "name": ', b'"@id": "#a"',
    b'"@graph": [',
    b'"@value": ', b'"@list": [', b"[", b"]", b"{", b"}", b'"location": {', b'"startDate": "12 May 2026"', b"1e999",
    b'<div itemscope itemtype="https://schema.org/Event" itemref="a b">', b'<p itemprop="name startDate" id="a">',
    b'<div vocab="https://schema.org/" typeof="Event" resource="#a">', b'<span property="schema:location">',
    b'<meta property="og:type" content="event">', b'<meta property="og:title" content=', b"<time datetime=", b"<li><b>",
    b'<a href="/x">', b"</div>", b"<h1>", b"12,50 EUR", b"2026-05-12T19:30+02:00", b"30. Dez. - 2. Januar 2027",
)  # fmt: skip
TOML = (
    b'kind = "Event"\n', b'items = "li.event"\n', b"[fields]\n", b'name = "h1"\n', b'{ css = "time", as = "date" }',
    b"{ regex = '(a+)+$' }", b'{ xpath = "//a[@b]/text()" }', b"required = [", b'url = "/a*"\n', b"all = true",
    b":not(",
)  # fmt: skip


def objects(data: bytes) -> None:
    found: list[FoundObject] = []
    for parts in (False, True):
        stated = read_stated(data, _HTML, _URL, parts=parts)
        assert len(stated.objects) <= 2_000
        assert len(stated.types) <= 500
        found += stated.objects
    for wrapper in _WRAPPERS:
        found += read_wrapped(wrapper, data, _HTML, _URL)
    for one in found:
        assert one.kind
        assert one.url == _URL
        for value in one.fields.values():
            assert type(value) in (str, float, bool), value
            assert not isinstance(value, float) or math.isfinite(value)
    merged = distinct(found[:300])
    assert bool(merged) is bool(found)
    text = data[:400].decode("utf-8", "replace")
    day, price = read_date(text), read_price(text)
    assert day is None or read_date(day) == day, text
    assert price is None or price.amount >= 0
    assert plain(plain(text)) == plain(text)
    assert place_key(text) == place_key(text).strip()
    suggest([MarkedPage(data[:20_000], _HTML, _URL, ({"name": text[:20], "startDate": "12 May 2026"},))], "Event", "w")


def wrappers(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "fuzzed.toml"
        place.write_bytes(data)
        wrapper = load_wrapper(place)
        place.write_text(wrapper_toml(wrapper), "utf-8")
        assert load_wrapper(place) == wrapper
