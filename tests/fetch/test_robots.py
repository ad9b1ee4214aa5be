from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.fetch import ALLOW_ALL, DENY_ALL, MAX_ROBOTS_BYTES, RobotsRedirect, Rules, read_robots, robots_outcome
from dowse.model.http import Failure, FailureKind, Response, Truncation

SITE = "https://example.org"

# RFC 9309, section 5.1, with our own token in the place of its examples' crawlers
SIMPLE = b"""User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: dowse
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot

EOF
"""
LONGEST = b"User-Agent: dowse\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n"


@pytest.mark.parametrize(
    ("agent", "path", "expected"),
    [
        ("dowse", "/example/page.html", True),
        ("dowse", "/example/allowed.gif", True),
        ("dowse", "/other", False),
        ("barbot", "/example/page.html", False),
        ("bazbot", "/example/page.html", False),
        ("bazbot", "/other.gif", True),
        ("quxbot", "/example/page.html", True),
        ("anybot", "/example/page.html", False),
        ("anybot", "/publications/", True),
        ("anybot", "/picture.gif", False),
        ("anybot", "/picture.gif?x", True),
        ("anybot", "/robots.txt", True),
    ],
)
def test_the_rfcs_simple_example(agent: str, path: str, expected: bool) -> None:
    assert read_robots(SIMPLE, agent).allowed(SITE + path) is expected


CASES = [
    # text of our group, path, allowed; most from RFC 9309, sections 2.2.2 and 2.2.3
    ("Allow: /example/page/\nDisallow: /example/page/disallowed.gif", "/example/page/disallowed.gif", False),
    ("Allow: /example/page/\nDisallow: /example/page/disallowed.gif", "/example/page/ok.gif", True),
    ("Allow: /p\nDisallow: /", "/page", True),
    ("Disallow: /page\nAllow: /page", "/page", True),  # of equals the least restrictive
    ("Allow: /$\nDisallow: /", "/", True),
    ("Allow: /$\nDisallow: /", "/page.htm", False),
    ("Disallow: /foo/bar?baz=quz", "/foo/bar?baz=quz", False),
    ("Disallow: /foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", True),
    ("Disallow: /foo/bar/ツ", "/foo/bar/%E3%83%84", False),
    ("Disallow: /foo/bar/%E3%83%84", "/foo/bar/%E3%83%84", False),
    ("Disallow: /foo/bar/%e3%83%84", "/foo/bar/%E3%83%84", False),
    ("Disallow: /foo/bar/%62%61%7A", "/foo/bar/baz", False),
    ("Disallow: /a%2Fb", "/a/b", True),
    ("Disallow: /path/file-with-a-%2A.html", "/path/file-with-a-*.html", False),
    ("Disallow: /path/file-with-a-%2A.html", "/path/file-with-a-x.html", True),
    ("Disallow: /path/foo-%24", "/path/foo-$", False),
    ("Disallow: /fish", "/fish.html", False),
    ("Disallow: /fish", "/Fish.asp", True),
    ("Disallow: /fish*", "/fishheads/yummy.html", False),
    ("Disallow: /*.php", "/folder/filename.php?parameters", False),
    ("Disallow: /*.php$", "/filename.php?parameters", True),
    ("Disallow: /*.php$", "/filename.php", False),
    ("Disallow: /fish*.php", "/fishheads/catfish.php?x", False),
    ("Disallow: /a/*/*/c", "/a/x/y/c", False),
    ("Disallow:", "/anything", True),
    ("Disallow: /", "/robots.txt", True),
    ("disallow : / # all of it", "/x", False),
    ("DISALLOW:/x", "/x", False),
    ("Dissallow: /typo", "/typo", False),
    ("Disallow: /a b", "/a%20b", False),
    ("Allow: /\nUnknown: x\nDisallow: /x", "/x", False),
    ("Disallow: /*?\nAllow: /abc", "/abc?x=1", True),
    ("Disallow: /*?\nAllow: /abc", "/ab?x=1", False),
    ("Disallow: /*?x=\nAllow: /abc", "/abc?x=1", False),
    ("Disallow: /a,b\nAllow: /a,b", "/a,b", True),
    ("Disallow: /*&&&\nAllow: /abc", "/abc?&&&", False),
    ("Allow: /a%2F\nDisallow: /a%2Fb", "/a%2Fb", False),
    ("Disallow: " + "/" + "*a" * 60, "/" + "a" * 3000 + "b", False),
    ("Disallow: " + "/" + "*a" * 60 + "$", "/" + "a" * 3000 + "b", True),
]


@pytest.mark.parametrize(("rules", "path", "expected"), CASES)
def test_path_matching(rules: str, path: str, expected: bool) -> None:
    assert read_robots(f"User-agent: dowse\n{rules}\n".encode()).allowed(SITE + path) is expected


GROUPS = [
    # text, is /x allowed to dowse?
    (b"User-agent: *\nDisallow: /\nUser-agent: dowse\nAllow: /", True),
    (b"User-agent: dowse\nDisallow: /y\nUser-agent: *\nDisallow: /", True),
    (b"User-agent: DOWSE\nDisallow: /", False),
    (b"User-agent: dowse/1.0\nDisallow: /", False),
    (b"User-agent: Dowse (the crawler)\nDisallow: /", False),
    (b"User-agent: dow\nDisallow: /", True),
    (b"User-agent: dowser\nDisallow: /", True),
    (b"User-agent: a\nUser-agent: dowse\nDisallow: /x", False),
    (b"User-agent: a\n\n\nUser-agent: dowse\nDisallow: /x", False),
    (b"User-agent: dowse\nDisallow: /y\n\nUser-agent: b\nDisallow: /\n\nUser-agent: dowse\nDisallow: /x", False),
    (b"User-agent: dowse\nSitemap: /s\nUser-agent: b\nDisallow: /x", False),
    (b"User-agent: dowse\nNoindex: /\nUser-agent: b\nDisallow: /x", False),
    (b"User-agent: dowse\nCrawl-delay: 2\nUser-agent: b\nDisallow: /x", False),
    (b"User-agent: dowse\nUser-agent: *\nDisallow: /x", False),
    (b"User-agent: dowse\n\nUser-agent: b\nAllow: /\nUser-agent: *\nDisallow: /", True),
    (b"Disallow: /\nUser-agent: b\nDisallow: /", True),
    (b"User-agent:\nDisallow: /", True),
    (b"", True),
]


@pytest.mark.parametrize(("text", "expected"), GROUPS)
def test_groups(text: bytes, expected: bool) -> None:
    assert read_robots(text).allowed(f"{SITE}/x") is expected


@pytest.mark.parametrize(
    "text",
    [
        b"\xef\xbb\xbfUser-agent: *\nDisallow: /x",
        b"User-agent: *\rDisallow: /x\r",
        b"User-agent: *\r\nDisallow: /x\r\n",
        "\ufeffUser-agent: *\nDisallow: /x".encode("utf-16-le"),
        b"User-agent: *\n\xff\xfe\xfd\nDisallow: /x",
        b"# comment\n\n  User-agent : *   # all\n\tDisallow:\t/x",
    ],
)
def test_odd_files_are_read(text: bytes) -> None:
    rules = read_robots(text)
    assert not rules.allowed(f"{SITE}/x")
    assert rules.allowed(f"{SITE}/y")


@pytest.mark.parametrize(
    "body",
    [
        b"<!DOCTYPE html><html>\nUser-agent: *\nDisallow: /\n",
        b"  <html>User-agent: *\nDisallow: /",
        bytes(range(256)) * 99,
    ],
)
def test_html_and_noise_have_no_rules(body: bytes) -> None:
    assert read_robots(body).allowed(f"{SITE}/x")


def test_only_the_first_500_kib_count_and_no_half_line() -> None:
    filler = b"# " + b"x" * 97 + b"\n"
    early = b"User-agent: *\nDisallow: /early\n"
    body = early + filler * (MAX_ROBOTS_BYTES // 100) + b"Disallow: /late\n" + filler * 100_000
    rules = read_robots(body)
    assert not rules.allowed(f"{SITE}/early")
    assert rules.allowed(f"{SITE}/late")
    cut = early + b"#" * (MAX_ROBOTS_BYTES - len(early) - 11) + b"\n" + b"Disallow: /private/\n"
    assert cut[:MAX_ROBOTS_BYTES].endswith(b"\nDisallow: ")
    assert read_robots(cut[: MAX_ROBOTS_BYTES - 1] + b"/" + cut[MAX_ROBOTS_BYTES:]).allowed(f"{SITE}/other")


@pytest.mark.parametrize(
    ("value", "delay_s"),
    [("1.5", 1.5), ("86400", 86400.0), ("0", 0.0), ("-1", None), ("soon", None), ("inf", None), ("", None)],
)
def test_crawl_delay(value: str, delay_s: float | None) -> None:
    assert read_robots(f"User-agent: *\nCrawl-delay: {value}\nDisallow: /x".encode()).delay_s == delay_s


def test_sitemaps_of_the_whole_file() -> None:
    text = (
        b"Sitemap: https://example.org/a.xml\nUser-agent: b\nDisallow: /\nSITEMAP: /b.xml\nSitemap: /b.xml\nSitemap:\n"
    )
    assert read_robots(text).sitemaps == ("https://example.org/a.xml", "/b.xml")


@given(st.binary(max_size=300), st.text(max_size=60))
def test_no_file_and_no_url_raises(body: bytes, url: str) -> None:
    rules = read_robots(b"User-agent: *\nDisallow: /x*y$\n" + body)
    assert rules.allowed(url) in (True, False)
    assert rules.allowed("http://[" + url) in (True, False)


def answer(status: int, body: bytes = b"", truncated: Truncation = Truncation.NONE, **headers: str) -> Response:
    return Response(f"{SITE}/robots.txt", status, tuple(headers.items()), body, truncated=truncated)


OUTCOMES = [
    (answer(404), ALLOW_ALL), (answer(401), ALLOW_ALL), (answer(403), ALLOW_ALL), (answer(410), ALLOW_ALL),
    (answer(429), DENY_ALL), (answer(500), DENY_ALL), (answer(503), DENY_ALL), (answer(599), DENY_ALL),
    (answer(999), DENY_ALL),
    (answer(302, Location="/r"), RobotsRedirect("/r")), (answer(308, Location="/r"), RobotsRedirect("/r")),
    (answer(302), ALLOW_ALL), (answer(304), ALLOW_ALL),
    (answer(200, b"", Truncation.TIME), DENY_ALL), (answer(200, b"", Truncation.DISCONNECT), DENY_ALL),
    *((Failure(f"{SITE}/robots.txt", kind), DENY_ALL) for kind in FailureKind),
]  # fmt: skip


@pytest.mark.parametrize(("result", "outcome"), OUTCOMES)
def test_outcomes(result: Response | Failure, outcome: Rules | RobotsRedirect) -> None:
    assert robots_outcome(result) == outcome


def test_outcome_of_a_file() -> None:
    rules = robots_outcome(answer(206, b"User-agent: other\nDisallow: /x\n"), "other")
    assert isinstance(rules, Rules)
    assert (rules.status, rules.allowed(f"{SITE}/x"), rules.allowed(f"{SITE}/y")) == ("rules", False, True)
    assert (ALLOW_ALL.allowed(SITE), DENY_ALL.allowed(SITE)) == (True, False)
