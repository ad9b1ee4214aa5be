"""The made listings: the same numbers give the same web, it changes from day to day, and it states what is true."""

from __future__ import annotations

import urllib.request

from dowse.lab.recrawl.walk import Route, walked, walked_by
from dowse.loopback import in_thread
from dowse.loopback.listings.html import written
from dowse.loopback.listings.truth import Truth
from dowse.loopback.listings.web import Listings
from dowse.parse.objects.stated import read_stated

SITES = 16


def test_about_as_many_events_are_current_as_were_asked_for() -> None:
    truth = Truth(2000)
    for day in (0, 50, 100, 150):
        assert 1600 < len(truth.current(day)) < 2400


def test_the_same_numbers_give_the_same_pages() -> None:
    one, other = Listings(SITES, 60), Listings(SITES, 60)
    for host in one.hosts:
        pages = {path: written(page) for path, page in one.pages(host, 100).items()}
        assert pages == {path: written(page) for path, page in other.pages(host, 100).items()}


def test_it_changes_from_day_to_day() -> None:
    web = Listings(SITES, 400)
    objects = [{(one.fields["name"], one.fields["startDate"]) for one in walked(web, day).found} for day in (100, 110)]
    assert objects[0] - objects[1]
    assert objects[1] - objects[0]
    assert len(objects[0] & objects[1]) > len(objects[0]) / 2


def test_pages_state_what_the_walk_says() -> None:
    """As the reader of structured data has it, in JSON-LD and in microdata."""
    web = Listings(SITES, 60)
    told = walked(web, 100)
    manners = set()
    for page in told.pages:
        host, path = page.url.split("/")[2], page.url.split("/", 3)[3]
        made = web.pages(host, 100)[f"/{path}"]
        stated = read_stated(written(made).encode(), "text/html; charset=utf-8", page.url)
        read = [tuple(one.fields.get(name) for name in ("name", "startDate")) for one in stated.objects]
        expected = [(one.fields["name"], one.fields["startDate"]) for one in told.found if one.url == page.url]
        assert sorted(read, key=str) == sorted(expected, key=str)
        manners.add(made.markup)
    assert manners == {"json-ld", "microdata", "none"}


def test_a_walk_follows_what_it_is_told_to() -> None:
    web = Listings(SITES, 60)
    entry = f"http://{web.hosts[0]}/"
    alone = Route([entry], lambda url, links: [False] * len(links))
    assert [page.url for page in walked_by(web, 100, {"alone": alone})["alone"].pages] == [entry]


def test_it_can_be_served() -> None:
    web = Listings(2, 50)
    with in_thread(web.web(100)) as server:
        ask = urllib.request.Request(f"http://{server.address}/", headers={"Host": web.hosts[0]})
        with urllib.request.urlopen(ask) as answer:
            assert answer.read().decode() == written(web.pages(web.hosts[0], 100)["/"])
