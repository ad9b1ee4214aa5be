"""Wrappers: what they find, and how mistakes in them are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from dowse.model.errors import TopicError
from dowse.model.objects import FoundObject, Value
from dowse.parse.objects.wrapped import is_for, read_wrapped
from dowse.parse.objects.wrapper import load_wrapper

URL = "https://www.example.org/events/12?page=2"
PAGE = """<html><style>.x { Price: 9 }</style><h1 class=head>All <i>events</i></h1>
<li class=event id=e1><h2>Jazz night</h2><time datetime="2026-05-12T19:30">Tue</time>
<span class=where>Kino ,  Brno</span>
<p>Entry: 12,50 EUR</p><a href="../jazz">more</a><b class=tag>jazz</b><b class=tag>live</b></li>
<li class=event><h2>Čaj o piatej</h2><span class=when>12. mája 2026</span><p>Entry: free</p></li>
<li class=event><p>nothing here</p></li>""".encode()
CSS = """
kind = "Event"
url = "/events/*"
items = "li.event"
[fields]
name = "h2"
startDate = { css = "time", attribute = "datetime", as = "date" }
location = { css = ".where", as = "place" }
price = { regex = 'Entry: (.+)', as = "price" }
url = { css = "a", attribute = "href", as = "url" }
keywords = { css = ".tag", all = true }
number = { attribute = "id", regex = '\\d+', as = "number" }
"""
XPATH = """
kind = "Event"
items = { xpath = "//li[@class='event']" }
required = ["name", "startDate"]
[fields]
name = { xpath = "./h2" }
startDate = { xpath = "string(./span[@class='when'])", as = "date" }
tags = { xpath = "count(.//b)", as = "number" }
"""
WHOLE = """
kind = "Listing"
[fields]
name = "h1"
entry = { regex = 'Entry: (\\w+)' }
price = { regex = 'Price: (\\d+)' }
first = { xpath = "//li[1]/h2" }
"""


def found(tmp_path: Path, toml: str, page: bytes = PAGE, url: str = URL) -> list[FoundObject]:
    place = tmp_path / "events.toml"
    place.write_text(toml, "utf-8")
    return list(read_wrapped(load_wrapper(place), page, "text/html; charset=utf-8", url))


def test_items_by_css(tmp_path: Path) -> None:
    first: dict[str, Value] = {
        "name": "Jazz night", "startDate": "2026-05-12T19:30", "location": "Kino, Brno", "price": 12.5,
        "priceCurrency": "EUR", "url": "https://www.example.org/jazz", "keywords": "jazz; live", "number": 1.0,
    }  # fmt: skip
    assert found(tmp_path, CSS) == [
        FoundObject("Event", first, URL, "events"),
        FoundObject("Event", {"name": "Čaj o piatej", "price": 0.0}, URL, "events"),
    ]
    assert found(tmp_path, CSS, url="https://www.example.org/other") == []


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    assert found(tmp_path, "\ufeff" + CSS) == found(tmp_path, CSS)


def test_items_by_xpath(tmp_path: Path) -> None:
    told: dict[str, Value] = {"name": "Čaj o piatej", "startDate": "2026-05-12", "tags": 0.0}
    assert found(tmp_path, XPATH) == [FoundObject("Event", told, URL, "events")]


def test_a_page_that_is_one_object(tmp_path: Path) -> None:
    told: dict[str, Value] = {"name": "All events", "entry": "12", "first": "Jazz night"}
    assert found(tmp_path, WHOLE) == [FoundObject("Listing", told, URL, "events")]
    assert found(tmp_path, WHOLE, b"") == []


@pytest.mark.parametrize(
    ("pattern", "url", "is_so"),
    [
        ("/events/*", URL, True), ("*page=?", URL, False), ("/events/12?page=[12]", URL, False), ("*", URL, True),
        ("/events/12?page=2", URL, True), ("/events/*", "no url", False),
    ],
)  # fmt: skip
def test_pages_are_chosen_by_their_paths(tmp_path: Path, pattern: str, url: str, is_so: bool) -> None:
    place = tmp_path / "w.toml"
    place.write_text(f'kind = "A"\nurl = "{pattern}"\n[fields]\nname = "h1"\n', "utf-8")
    assert is_for(load_wrapper(place), url) is is_so


FIELDS = "[fields]\nname = "


@pytest.mark.parametrize(
    ("toml", "told"),
    [
        ("kind = ", "is no TOML"),
        ("\xff", "is no TOML"),
        (FIELDS + '"h1"', "a wrapper needs the kind of its objects"),
        ('kind = "A"', "a wrapper needs a table [fields]"),
        ('kind = "A"\nfields = 3', "a wrapper needs a table [fields]"),
        ('kind = 3\n[fields]\nname = "h1"', "w.toml:1: kind: must be a text"),
        ('kind = "A"\nselector = "b"', "w.toml:2: selector: unknown: there are kind, url"),
        ('kind = "A"\n' + FIELDS + '"h1["', "w.toml:3: fields.name.css: this is no CSS selector"),
        ('kind = "A"\n' + FIELDS + '{ css = "p:nope(" }', "w.toml:3: fields.name.css: this is no CSS selector"),
        ('kind = "A"\n' + FIELDS + '{ xpath = "//[" }', "w.toml:3: fields.name.xpath: this is no XPath expression"),
        ('kind = "A"\n' + FIELDS + "{ regex = '(' }", "w.toml:3: fields.name.regex: this is no regular expression"),
        ('kind = "A"\n' + FIELDS + "{ }", "w.toml:3: fields.name: says nowhere to look"),
        ('kind = "A"\n' + FIELDS + "3", "w.toml:3: fields.name: must be a CSS selector, or a table"),
        ('kind = "A"\n' + FIELDS + '{ xpath = "//a:b" }', "no XPath expression: Undefined namespace prefix"),
        ('kind = "A"\n' + FIELDS + '{ xpath = "lower(a)" }', "no XPath expression: Unregistered function"),
        ('kind = "A"\n' + FIELDS + '{ css = "a", xpath = "b" }', "css or xpath, not both"),
        ('kind = "A"\n' + FIELDS + '{ css = "a", as = "day" }', "fields.name.as: must be one of text, date"),
        ('kind = "A"\n' + FIELDS + '{ css = "a", all = 3 }', "fields.name.all: must be true or false"),
        ('kind = "A"\n' + FIELDS + '{ css = "a", every = 3 }', "fields.name.every: unknown"),
        ('kind = "A"\n[fields]\n"a b" = "h1"', "the name of a field has letters"),
        ('kind = "A"\nitems = "li"\n' + FIELDS + '{ xpath = "b" }', "must be css or regex, since items are css"),
        ('kind = "A"\nitems = { regex = "li" }\n' + FIELDS + '"b"', "w.toml:2: items: must be css or xpath"),
        ('kind = "A"\nurl = "events"\n' + FIELDS + '"b"', "w.toml:2: url: a path pattern begins with /"),
        ('kind = "A"\nrequired = ["day"]\n' + FIELDS + '"b"', "w.toml:2: required: must be a list of fields"),
        ('kind = "A"\n[fields]\n' + "\n".join(f'f{n} = "a"' for n in range(61)), "at most 60 fields"),
    ],
)
def test_a_mistake_is_told_on_one_line(tmp_path: Path, toml: str, told: str) -> None:
    place = tmp_path / "w.toml"
    place.write_bytes(toml.encode("latin-1"))
    with pytest.raises(TopicError) as caught:
        load_wrapper(place)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TopicError, match="cannot read the wrapper"):
        load_wrapper(tmp_path / "w.toml")
