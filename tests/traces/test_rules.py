"""What is somebody looking at a page."""

from __future__ import annotations

import pytest

from dowse.model.url import fingerprint
from dowse.traces.access import Access, Bad
from dowse.traces.rules import LeftOut, Pages, Verdict

BROWSER = b"Mozilla/5.0 (Linux; Android 10; CUBOT_X19) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/99.0 Safari/537.36"


def judged(url: str, **more: bytes) -> Verdict:
    pages = Pages(without=["ads.example", "t.example"])
    access = Access(1, b"u", url.encode(), **more)
    found = pages.judge(access)
    assert pages.judge(access) == found  # remembered, it is the same
    return found


@pytest.mark.parametrize(("more", "why"), [
    ({"method": b"POST"}, LeftOut.METHOD), ({"method": b"CONNECT"}, LeftOut.METHOD),
    ({"method": b"HEAD"}, LeftOut.METHOD),
    ({"status": b"404"}, LeftOut.STATUS), ({"status": b"302"}, LeftOut.STATUS), ({"status": b"000"}, LeftOut.STATUS),
    ({"kind": b"image/gif"}, LeftOut.KIND), ({"kind": b"application/json; charset=utf-8"}, LeftOut.KIND),
    ({"agent": b"Googlebot/2.1"}, LeftOut.ROBOT), ({"agent": b"curl/8.0"}, LeftOut.ROBOT),
    ({"agent": b"-"}, LeftOut.ROBOT),
    ({"agent": b"Mozilla/5.0 (compatible; bingbot/2.0)"}, LeftOut.ROBOT),
    ({"agent": b"Mozilla/5.0 (compatible; bingbot/2.0) " + b"x" * 60_000}, LeftOut.ROBOT),
])  # fmt: skip
def test_what_the_log_tells_leaves_it_out(more: dict[str, bytes], why: LeftOut) -> None:
    assert judged("http://a.org/x", **more) is why


@pytest.mark.parametrize(("url", "why"), [
    ("http://a.org/robots.txt", LeftOut.ROBOTS_TXT), ("http://a.org/logo.PNG?v=2", LeftOut.ENDING),
    ("http://a.org/app.min.js", LeftOut.ENDING), ("http://a.org/feed.rss", LeftOut.ENDING),
    ("http://ads.example/x", LeftOut.HOST), ("http://eu.ads.example:81/x", LeftOut.HOST), ("a.org:443", Bad.URL),
    ("ftp://a.org/x", Bad.URL), ("http://a.org/" + "x" * 3000, Bad.URL), ("", Bad.URL),
])  # fmt: skip
def test_what_the_url_tells_leaves_it_out(url: str, why: LeftOut | Bad) -> None:
    assert judged(url) is why


@pytest.mark.parametrize("more", [
    {}, {"method": b"GET", "status": b"200", "kind": b"text/html; charset=utf-8", "agent": BROWSER},
    {"status": b"304", "kind": b"-"}, {"kind": b"Application/PDF"},
])  # fmt: skip
def test_somebody_looks_at_a_page(more: dict[str, bytes]) -> None:
    assert judged("http://a.org/x", **more) == fingerprint("http://a.org/x")


@pytest.mark.parametrize(
    "url", ["http://a.org/x.pdf", "http://badads.example/", "http://a.org/?f=x.png", "http://a.example.js/"]
)
def test_these_are_pages(url: str) -> None:
    assert judged(url) == fingerprint(url)


def test_a_page_has_one_address() -> None:
    assert judged("HTTP://A.org:80/y/../x?utm_source=mail#top") == fingerprint("http://a.org/x")
