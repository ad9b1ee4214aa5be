from __future__ import annotations

import pickle
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.fetch import ALLOW_ALL, DENY_ALL, MAX_ROBOTS_BYTES, Rules, read_robots, robots_outcome
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
        "User-agent:\u00a0*\n\u00a0Disallow:\u00a0/x\u00a0".encode(),
        b"\xff\xfeUser-agent: *\nDisallow: /x",
        b"User-agent: *\nDisallow: /x\n\0",
        b"\0User-agent: *\nDis\0allow: /x\0\n",
        "User-agent: *\r\nDisallow: /x\r\n".encode("utf-16-le"),
        "User-agent: *\r\nDisallow: /x\r\n".encode("utf-16-be"),
        b"# joined\n\xef\xbb\xbfUser-agent: *\n\xef\xbb\xbfDisallow: /x",
        b"<!-- -->\nUser-agent: *\nDisallow: /x",
        b"<!doctype html>\n<pre>\nUser-agent: *\nDisallow: /x\n</pre>",
        b"<?xml version='1.0'?>\n<html><head>\nUser-agent: *\nDisallow: /x\n",
        b"\x1f\x8b\x08\0\xff\xff\nUser-agent: *\nDisallow: /x",
        b":::\n:\nUser-agent\nUser-agent: *\nDisallow\nDisallow /\n: /\nDisallow: /x",
    ],
)
def test_odd_files_are_read(text: bytes) -> None:
    rules = read_robots(text)
    assert not rules.allowed(f"{SITE}/x")
    assert rules.allowed(f"{SITE}/y")


@pytest.mark.parametrize(
    "body",
    [
        b"<!DOCTYPE html><html><p>User-agent: *<p>Disallow: /</html>",
        b"  <html>User-agent: *\nDisallow: /",
        b"<p>User-agent: *\n<p>Disallow: /\n<!-- Disallow: / -->",
        b"<script>\nvar a = {\n  'User-agent': '*',\n  'Disallow': '/'\n}\n</script>",
        bytes(range(256)) * 99,
    ],
)
def test_html_and_noise_without_a_record_have_no_rules(body: bytes) -> None:
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
    wide = ("\ufeff" + "User-agent: *\n" + "#" * (MAX_ROBOTS_BYTES // 2 - 28) + "\nDisallow: /private").encode(
        "utf-16-le"
    )
    assert wide[:MAX_ROBOTS_BYTES].decode("utf-16").endswith("\nDisallow: /p")
    assert read_robots(wide).allowed(f"{SITE}/p")


@pytest.mark.parametrize(
    ("value", "delay_s"),
    [
        ("1.5", 1.5), ("86400", 86400.0), ("0", 0.0), ("-1", None), ("soon", None), ("inf", None), ("", None),
        ("nan", None), ("-inf", None), ("1e400", None), ("9" * 10_000, None), ("0." + "1" * 10_000, None), ("1e3", 1e3),
        ("2\nCrawl-delay: soon", 2.0), ("2\nCrawl-delay: 3", 3.0),
    ],
)  # fmt: skip
def test_crawl_delay(value: str, delay_s: float | None) -> None:
    assert read_robots(f"User-agent: *\nCrawl-delay: {value}\nDisallow: /x".encode()).delay_s == delay_s


def test_sitemaps_of_the_whole_file() -> None:
    text = (
        b"Sitemap: https://example.org/a.xml\nUser-agent: b\nDisallow: /\nSITEMAP: /b.xml\nSitemap: /b.xml\nSitemap:\n"
    )
    assert read_robots(text).sitemaps == ("https://example.org/a.xml", "/b.xml")


def test_sitemaps_are_so_many_and_so_long() -> None:
    lines = [b"Sitemap: /" + b"x" * 2000, b"Sitemap: /\xff\xc3\xa4", *(b"Sitemap: /%d" % n for n in range(30_000))]
    sitemaps = read_robots(b"\n".join(lines)).sitemaps
    assert len(sitemaps) == 1000
    assert sitemaps[:3] == ("/\ufffdä", "/0", "/1")


@given(st.binary(max_size=300), st.text(max_size=60))
def test_no_file_and_no_url_raises(body: bytes, url: str) -> None:
    rules = read_robots(b"User-agent: *\nDisallow: /x*y$\n" + body)
    assert rules.allowed(url) in (True, False)
    assert rules.allowed("http://[" + url) in (True, False)


AS_LARGE_AS_CAN_BE = {
    "a word and blanks": b"a" + b" " * (MAX_ROBOTS_BYTES - 1),  # half a minute, with an expression that tries again
    "a field and blanks": b"User-agent" + b" " * (MAX_ROBOTS_BYTES - 10),
    "blanks": b" " * MAX_ROBOTS_BYTES,
    "line ends": b"\r" * MAX_ROBOTS_BYTES,
    "colons": b":" * MAX_ROBOTS_BYTES,
    "fields": b"a:\n" * (MAX_ROBOTS_BYTES // 3),
    "agents": b"User-agent: dowse\n" * (MAX_ROBOTS_BYTES // 18),
    "sitemaps": b"".join(b"Sitemap: /%06d\n" % n for n in range(MAX_ROBOTS_BYTES // 17)),
    "a number": b"User-agent: *\nCrawl-delay: " + b"1" * (MAX_ROBOTS_BYTES - 27),
    "prefixes": b"User-agent: *\n" + b"".join(b"Disallow: /%05d\n" % n for n in range(MAX_ROBOTS_BYTES // 17)),
    "one in the other": b"User-agent: *\n" + b"".join(b"Allow: /" + b"a" * n + b"\n" for n in range(1000)),
    "stars": b"User-agent: *\nDisallow: /" + b"*" * (MAX_ROBOTS_BYTES - 25),
    "stars and letters": b"User-agent: *\nDisallow: /" + b"*a" * (MAX_ROBOTS_BYTES // 2 - 13),
    "wildcards": b"User-agent: *\n" + b"".join(b"Allow: /*a%05d*b$\n" % n for n in range(MAX_ROBOTS_BYTES // 20)),
    "escapes": b"User-agent: *\n" + b"".join(b"Disallow: /%%61%%%05d\n" % n for n in range(MAX_ROBOTS_BYTES // 21)),
}


@pytest.mark.parametrize("kind", AS_LARGE_AS_CAN_BE)
def test_the_largest_files_are_read_in_little_time(kind: str) -> None:
    body = AS_LARGE_AS_CAN_BE[kind]
    started = time.process_time()
    rules = read_robots(body)
    assert time.process_time() - started < 1.5, "0.2 s at the most, where nothing else runs"
    started = time.process_time()
    again = pickle.loads(pickle.dumps(rules))
    assert time.process_time() - started < 0.3, "0.01 s"
    assert again == rules
    started = time.process_time()
    for n in range(100):
        again.allowed(f"{SITE}/{n}-articles")
    assert time.process_time() - started < 1.0, "0.03 s"


def answer(status: int, body: bytes = b"", truncated: Truncation = Truncation.NONE, **headers: str) -> Response:
    return Response(f"{SITE}/robots.txt", status, tuple(headers.items()), body, truncated=truncated)


OUTCOMES = [
    (answer(404), ALLOW_ALL), (answer(401), ALLOW_ALL), (answer(403), ALLOW_ALL), (answer(410), ALLOW_ALL),
    (answer(429), DENY_ALL), (answer(500), DENY_ALL), (answer(503), DENY_ALL), (answer(599), DENY_ALL),
    (answer(999), DENY_ALL),
    (answer(302, Location="/r"), ALLOW_ALL), (answer(308, Location="/r"), ALLOW_ALL),
    (answer(302), ALLOW_ALL), (answer(304), ALLOW_ALL),
    *((answer(200, b"User-agent: *\nAllow: /", cut), DENY_ALL) for cut in Truncation if cut),
    *((Failure(f"{SITE}/robots.txt", kind), DENY_ALL) for kind in FailureKind),
]  # fmt: skip


@pytest.mark.parametrize(("result", "outcome"), OUTCOMES)
def test_outcomes(result: Response | Failure, outcome: Rules) -> None:
    assert robots_outcome(result) == outcome


def test_a_file_cut_at_its_largest_size_is_used() -> None:
    body = b"User-agent: *\nDisallow: /x\n".ljust(MAX_ROBOTS_BYTES + 1, b"#")
    rules = robots_outcome(answer(200, body, Truncation.LENGTH))
    assert isinstance(rules, Rules)
    assert (rules.status, rules.allowed(f"{SITE}/x"), rules.allowed(f"{SITE}/y")) == ("rules", False, True)


def test_outcome_of_a_file() -> None:
    rules = robots_outcome(answer(206, b"User-agent: other\nDisallow: /x\n"), "other")
    assert isinstance(rules, Rules)
    assert (rules.status, rules.allowed(f"{SITE}/x"), rules.allowed(f"{SITE}/y")) == ("rules", False, True)
    assert (ALLOW_ALL.allowed(SITE), DENY_ALL.allowed(SITE)) == (True, False)
