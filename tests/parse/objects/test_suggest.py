"""Wrappers that are proposed give the marked values, on the marked pages and on those like them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from dowse.parse.objects.suggest import MarkedPage, suggest
from dowse.parse.objects.wrapped import read_wrapped
from dowse.parse.objects.wrapper import Rule, Wrapper, load_wrapper, wrapper_toml

HTML = "text/html; charset=utf-8"


def detail(name: str, day: str, where: str, price: str, number: int) -> bytes:
    return f"""<html><nav><ul><li><a href="/">Home</a><li><a href="/{number}">{name}</a></ul></nav>
    <article class="x post-{number}"><h1 class="title">{name}</h1><p>We present <b>{where}</b>!</p>
    <div class="meta"><span>When: {day}</span><span>Where: {where}</span></div>
    <p class="buy">Tickets from {price} <a class="more" href="/buy/{number}">buy</a></p></article></html>""".encode()


def listing(rows: list[tuple[str, str, str]]) -> bytes:
    inner = "".join(
        f'<div class="row r{at}"><h3>{name}</h3><time datetime="{day}">soon</time> in <em>{where}</em></div>'
        for at, (name, day, where) in enumerate(rows)
    )
    return f"<html><div><h3>News</h3></div><section>{inner}</section></html>".encode()


def page(body: bytes, path: str, *objects: Mapping[str, str]) -> MarkedPage:
    return MarkedPage(body, HTML, f"https://www.example.org{path}", objects)


def again(wrapper: Wrapper, tmp_path: Path) -> Wrapper:
    """Written to a file, and read from it."""
    place = tmp_path / f"{wrapper.name}.toml"
    place.write_text(wrapper_toml(wrapper), "utf-8")
    read = load_wrapper(place)
    assert read == wrapper
    return read


def test_a_page_an_object(tmp_path: Path) -> None:
    first = page(
        detail("Jazz", "Tue, 12 May 2026", "Kino", "12,50 €", 7), "/events/7",
        {"name": "Jazz", "startDate": "12 May 2026", "location": "Kino", "price": "12.50", "buy": "https://www.example.org/buy/7"},
    )  # fmt: skip
    second = page(
        detail("Tea at five", "1. June 2026", "Old hall", "3 €", 8), "/events/8",
        {"name": "Tea at five", "startDate": "2026-06-01", "location": "Old hall"},
    )  # fmt: skip
    found = suggest([first, second], "Event", "w")
    assert found.right == found.marked == {"name": 2, "startDate": 2, "location": 2, "price": 1, "buy": 1}
    wrapper = again(found.wrapper, tmp_path)
    assert wrapper.url == "/events/*"
    third = detail("Chess", "3 July 2026", "Café, 1st floor", "free", 9)
    [one] = read_wrapped(wrapper, third, HTML, "https://www.example.org/events/9")
    assert one.fields == {
        "name": "Chess", "startDate": "2026-07-03", "location": "Café, 1st floor",
        "buy": "https://www.example.org/buy/9",
    }  # fmt: skip


def test_a_page_of_several_objects(tmp_path: Path) -> None:
    rows = [("Jazz", "2026-05-12", "Brno"), ("Tea", "2026-06-01", "Graz"), ("Chess", "2026-07-03", "Wien")]
    names = ("name", "startDate", "location")
    marked = page(listing(rows), "/all", *(dict(zip(names, row, strict=True)) for row in rows[:2]))
    found = suggest([marked], "Event", "w")
    assert found.right == found.marked
    wrapper = again(found.wrapper, tmp_path)
    objects = read_wrapped(wrapper, listing([*rows, ("Go", "2026-08-01", "Linz")]), HTML, marked.url)
    assert [tuple(one.fields[name] for name in names) for one in objects] == [*rows, ("Go", "2026-08-01", "Linz")]


def test_a_label_that_tells_a_value(tmp_path: Path) -> None:
    bodies = [
        f"<body><p>Doors open. Where: {where} (hall {n}).</p></body>".encode()
        for n, where in enumerate(("Brno", "Graz"))
    ]
    pages = [
        page(body, f"/{n}", {"location": where})
        for n, (body, where) in enumerate(zip(bodies, ("Brno", "Graz"), strict=True))
    ]
    found = suggest(pages, "Event", "w")
    assert found.right == {"location": 2}
    wrapper = again(found.wrapper, tmp_path)
    [one] = read_wrapped(wrapper, b"<body><p>Doors open. Where: Linz (hall 3).</p></body>", HTML, "https://e.org/3")
    assert one.fields == {"location": "Linz"}


def test_a_suggested_expression_is_quick_on_a_page_made_of_blanks(tmp_path: Path) -> None:
    bodies = [f"<body><p>Where: {where}</p></body>".encode() for where in ("Brno", "Graz")]
    pages = [
        page(body, f"/{n}", {"location": where})
        for n, (body, where) in enumerate(zip(bodies, ("Brno", "Graz"), strict=True))
    ]
    wrapper = again(suggest(pages, "Event", "w").wrapper, tmp_path)
    assert wrapper.fields["location"].regex
    hostile = b"<body><p>Where: Linz" + 90_000 * b" " + b"\n" + 9_000 * b" " + b".</p></body>"
    assert [one.fields for one in read_wrapped(wrapper, hostile, HTML, "https://e.org/3")] == [{"location": "Linz"}]


@pytest.mark.parametrize("body", [b"", b"<p>", b"<div>" * 3_000, b"<p>Other", b"\0\xff"])
def test_what_is_not_there_is_told(body: bytes) -> None:
    found = suggest([page(body, "/a", {"name": "Jazz", "startDate": "2026-05-12"})], "Event", "w")
    assert found.wrapper.fields == {}
    assert found.right == {"name": 0, "startDate": 0}


def test_wrappers_are_written_as_they_are_read(tmp_path: Path) -> None:
    rules = {
        "name": Rule(css='h1[itemprop="name"]'), "a-b": Rule(css="it's"), "x.y": Rule(regex=r'"(\d+)"\s'),
        "z": Rule(regex="it's \\d \"\u2028", as_="date-us", all=True), "w": Rule(css="a", attribute="href", as_="url"),
    }  # fmt: skip
    rules["a-b"] = Rule(css="p i", regex="it's")
    again(Wrapper("w", 'E"vent', rules, "/a b/*", Rule(css="li"), ("name", "z")), tmp_path)
