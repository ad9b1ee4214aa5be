from __future__ import annotations

import fnmatch
import pickle
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.frontier.scope import StaticScope, _cycles, registered_domain
from dowse.model.extensions import refused_extensions
from dowse.model.topic import Scope, Traps
from dowse.model.url import canonical

HEX = "0123456789abcdef0123456789abcdef"

ALLOWED = [
    "https://example.org/",
    "https://example.org/?q=a.zip",
    "https://example.org/en/latest/en/",
    "https://docs.example.org/projects/x/en/latest/en/index.html",
    "https://news.example.org/2011/11/11/eleven-eleven-eleven",
    "https://news.example.org/2024/05/01/solar-cells.html",
    "https://bible.example.org/1/1/1/1",
    "https://example.org/list?page=30",
    "https://en.wikipedia.org/wiki/Node.js",
    "https://en.wikipedia.org/wiki/File:Perovskite.jpg",
    "https://en.wikipedia.org/wiki/Python_(programming_language)",
    "https://en.wikipedia.org/wiki/AC/DC",
    "https://zh.wikipedia.org/wiki/%E5%A4%AA%E9%99%BD%E8%83%BD%E7%94%B5%E6%B1%A0",
    "https://github.example/o/r/blob/main/src/main.js",
    "https://example.org/domain/example.com",
    "https://example.org/about.php",
    "https://example.org/v1.2.3",
    "https://example.org/session/perovskites2024",
    "https://example.org/session/a-day-in-the-lab",
    "https://example.org/sid/12345678901234",
    f"https://example.org/commit/{HEX}",
    "https://example.org/s/summer",
    "https://web.example.org/web/2020/http://other.org/a/b/",
    "https://example.org/a/b/a/b",
]
REFUSED = [
    ("ftp://example.org/a", "scheme"),
    ("mailto:someone@example.org", "scheme"),
    ("javascript:void(0)", "scheme"),
    ("", "scheme"),
    ("https://example.org/" + "x" * 2000, "length"),
    ("https://example.org/a/b/a/b/a/b", "repeated-segments"),
    ("https://example.org/a/b/a/c/a/d.html", "repeated-segments"),
    ("https://example.org/x/images/images/images/", "repeated-segments"),
    ("https://example.org/A/a/A/", "repeated-segments"),
    ("https://example.org/1/2/1/2/1/2", "repeated-segments"),
    ("https://example.org/a/a/a?x=1", "repeated-segments"),
    ("https://example.org/(S(3wy2qr45fdh0t4554d5ct345))/default.aspx", "session-id"),
    ("https://example.org/(X(1)S(3wy2qr45fdh0t4554d5ct345))/default.aspx", "session-id"),
    ("https://example.org/(S(3wy2qr45fdh0t4554d5ct345))", "session-id"),
    ("https://example.org/sid/0123abcd4567ef89/page", "session-id"),
    ("https://example.org/sid/0123abcd4567ef89", "session-id"),
    (f"https://example.org/s/{HEX}/", "session-id"),
    (f"https://example.org/s/{HEX}", "session-id"),
    ("https://example.org/Session_ID/q7w6e5r4t3y2u1i0p9a8/x", "session-id"),
    ("https://example.org/session/3f2504e0-4f89-11d3-9a0c-0305e82c3301", "session-id"),
    (f"https://example.org/page;sid={HEX}?a=1", "session-id"),
    ("https://example.org/logo.PNG", "extension"),
    ("https://example.org/paper.mp4?download=1", "extension"),
    ("https://example.org/a.b/archive.tar.gz", "extension"),
    ("https://example.org/static/app.js", "extension"),
]


@pytest.mark.parametrize("url", ALLOWED)
def test_an_honest_url_passes(url: str) -> None:
    assert StaticScope(Scope()).refuse(url) is None
    assert StaticScope(Scope()).explain(url) == "The scope allows it."


@pytest.mark.parametrize(("url", "rule"), REFUSED)
def test_a_bad_url_is_refused_by_its_rule(url: str, rule: str) -> None:
    scope = StaticScope(Scope())
    assert scope.refuse(url) == rule
    assert scope.refuse(url) == rule  # and again from memory
    sentence = scope.explain(url)
    assert rule in sentence
    assert sentence.endswith(".")
    assert "{" not in sentence


def test_the_endless_relative_link_stops() -> None:
    scope, url, steps = StaticScope(Scope()), "https://example.org/docs/a/", 0
    while scope.refuse(url) is None:
        url += "docs/a/"
        steps += 1
    assert steps == 2


def test_zero_switches_a_rule_off() -> None:
    traps = Traps(max_url_length=0, max_repeated_segments=0, session_ids=False)
    scope = StaticScope(Scope(traps=traps))
    for url, rule in REFUSED:
        if rule in ("length", "repeated-segments", "session-id"):
            assert scope.refuse(url) is None


@pytest.mark.parametrize(
    ("scope", "inside", "outside"),
    [
        (Scope(reach="any"), ["https://anything.example/"], []),
        (
            Scope(reach="host"),
            ["https://www.example.co.uk/x", "http://example.co.uk:8080/", "http://10.0.0.1/"],
            ["https://blog.example.co.uk/", "https://other.co.uk/", "http://10.0.0.2/", "https://wwwexample.co.uk/"],
        ),
        (
            Scope(reach="domain"),
            ["https://blog.example.co.uk/", "https://example.co.uk/", "http://10.0.0.1:81/"],
            ["https://other.co.uk/", "https://notexample.co.uk/", "http://11.0.0.1/", "https://example.com/"],
        ),
        (
            Scope(reach="host", hosts=("*.nasa.gov", "cern.ch"), domains=("bücher.example",)),
            ["https://nasa.gov/", "https://a.b.nasa.gov/", "https://cern.ch/", "https://x.xn--bcher-kva.example/"],
            ["https://www.cern.ch/", "https://xnasa.gov/", "https://nasa.gov.evil.example/"],
        ),
        (
            Scope(domains=("example.org",)),  # named hosts limit a crawl that could go anywhere
            ["https://example.org/", "https://a.example.org/"],
            ["https://example.com/", "https://anexample.org/"],
        ),
    ],
)
def test_the_reach(scope: Scope, inside: list[str], outside: list[str]) -> None:
    rules = StaticScope(scope, ["https://www.example.co.uk/start", "http://10.0.0.1/start"])
    assert [rules.refuse(url) for url in inside] == [None] * len(inside)
    assert [rules.refuse(url) for url in outside] == ["host"] * len(outside)


def test_a_seed_stands_outside_reach_and_include_but_not_the_rest() -> None:
    scope = Scope(domains=("example.org",), include=("/papers/*",), exclude=("/private/*",), exclude_hosts=("bad.net",))
    seeds = ["https://portal.net/list", "https://example.org/", "https://bad.net/", "https://portal.net/private/a"]
    rules = StaticScope(scope, [*seeds, "not a url"])
    assert rules.refuse("https://portal.net/list") is None
    assert rules.refuse("https://example.org/") is None
    assert rules.refuse("https://portal.net/other") == "host"
    assert rules.refuse("https://example.org/other") == "path"
    assert rules.refuse("https://example.org/papers/1") is None
    assert rules.refuse("https://bad.net/") == "excluded-host"
    assert rules.refuse("https://portal.net/private/a") == "path"


def test_path_globs_see_path_and_query_and_only_a_star_is_special() -> None:
    rules = StaticScope(Scope(include=("/wiki/*", "/köln*", "/a?b=[1]"), exclude=("*action=edit*",)))
    assert rules.refuse("https://example.org/wiki/A/B") is None
    assert rules.refuse("https://example.org/wiki/A?action=edit") == "path"
    assert rules.refuse(canonical("https://example.org/köln/dom") or "") is None
    assert rules.refuse("https://example.org/a?b=[1]") is None
    assert rules.refuse("https://example.org/axb=1") == "path"
    assert rules.refuse("https://example.org/x/wiki/A") == "path"


@pytest.mark.parametrize("written", ["secret.test", "Secret.Test.", "*.secret.test..", "s*t.test"])
def test_no_spelling_of_a_host_passes_by_its_exclusion(written: str) -> None:
    rules = StaticScope(Scope(exclude_hosts=(written,)))
    spellings = ["http://secret.test/x", "http://SECRET.test./x", "https://u:p@secret.test..:8443/x",
                 "http://;jsessionid=1//h1.test:x@secret.test/x"]  # fmt: skip
    urls = [url for url in map(canonical, spellings) if url is not None]
    assert [rules.refuse(url) for url in urls] == ["excluded-host"] * 3


@pytest.mark.parametrize("scope", [Scope(hosts=("Cern.CH.",)), Scope(domains=("*.CERN.ch.",)), Scope(reach="host")])
def test_a_dot_behind_a_name_that_a_person_wrote_is_none(scope: Scope) -> None:
    rules = StaticScope(scope, ["http://me@cern.ch./"])
    assert [rules.refuse(f"http://{host}/x") for host in ("cern.ch", "cern.ch.evil.test")] == [None, "host"]


def test_ports_that_browsers_refuse() -> None:
    rules = StaticScope(Scope(reach="host", allow_ports=(6667, 0)), ["http://a.test/", "http://a.test:25/"])
    refused = {port: rules.refuse(f"http://a.test:{port}/") for port in (0, 22, 25, 6000, 6667, 8080, 32768)}
    assert refused == {0: "port", 22: "port", 25: "port", 6000: "port", 6667: None, 8080: None, 32768: None}
    assert rules.refuse("http://[::1]:22/") == "port"
    assert rules.refuse("http://[2001:db8::22]/") == "host"
    assert "port 25" in rules.explain("http://a.test:25/")
    assert "scope.allow_ports" in rules.explain("http://a.test:25/")


def test_a_wanted_type_brings_its_extensions_in() -> None:
    assert StaticScope(Scope(content_types=("application/pdf",))).refuse("https://example.org/a.pdf") is None
    assert StaticScope(Scope(content_types=("image/",))).refuse("https://example.org/a.png") is None
    assert refused_extensions(()) == frozenset()
    office = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    assert "docx" not in refused_extensions((office,))
    assert "xlsx" in refused_extensions((office,))
    assert "html" not in refused_extensions(("application/pdf",))


def test_it_travels_to_another_process() -> None:
    scope = Scope(reach="domain", include=("/x/*",), exclude_hosts=("*.bad.org",))
    rules = StaticScope(scope, ["https://www.example.co.uk/start"])
    rules.refuse("https://other.org/")
    copy = pickle.loads(pickle.dumps(rules))
    for url in [
        "https://www.example.co.uk/start",
        "https://a.example.co.uk/x/1",
        "https://b.org/x/1",
        "https://c.bad.org/",
    ]:
        assert copy.refuse(url) == rules.refuse(url)
    assert copy.refuse("https://www.example.co.uk/start") is None


def test_registered_domains() -> None:
    assert registered_domain("a.b.example.com") == "example.com"
    assert registered_domain("user.github.io") == "user.github.io"
    assert registered_domain("github.io") == "github.io"
    assert registered_domain("[::1]") == "[::1]"
    assert registered_domain("192.168.1.1") == "192.168.1.1"


def test_a_name_of_many_labels_has_the_domain_of_its_last() -> None:
    assert registered_domain("a." * 120 + "example.co.uk") == "example.co.uk"


CUBE_FREE = "".join(f"{n.bit_count() % 2}/" for n in range(4096))  # Thue and Morse: nothing comes thrice in a row


@pytest.mark.parametrize(
    "path",
    [CUBE_FREE, "/sid/" * 1600, "/(a(" * 2000, "/sid/" + "a" * 8000, ";sid=" + "0" * 8000,
     "/session_id/" + "a1" * 4000 + "!", "(a(x)" * 1600],
    ids=lambda path: path[:8],
)  # fmt: skip
def test_no_path_takes_long_to_judge(path: str) -> None:
    """A path of numbers was searched for cycles in 0.5 s."""
    rules = StaticScope(Scope(traps=Traps(max_url_length=0)))
    started = time.process_time()
    for number in range(5):
        rules.refuse(f"http://a.test/{number}x/{path}")
    assert (time.process_time() - started) / 5 < 0.05  # some take 1 ms


def test_a_cycle_at_the_end_of_a_long_path_is_seen() -> None:
    numbers = [str(number) for number in range(1, 200)] * 2
    rules = StaticScope(Scope(traps=Traps(max_url_length=0)))
    assert rules.refuse("http://a.test/" + "/".join(numbers)) is None
    assert rules.refuse("http://a.test/" + "/".join([*numbers, *"121212"])) == "repeated-segments"


def test_a_hostile_url_costs_linear_time_under_many_stars() -> None:
    rules = StaticScope(Scope(exclude=("*a*a*a*a*a*a*b",), traps=Traps(max_url_length=0, max_repeated_segments=0)))
    start = time.perf_counter()
    assert rules.refuse("https://example.org/" + "a" * 60_000) is None
    assert rules.refuse("https://example.org/" + "(s(" * 20_000) is None
    assert rules.refuse("https://example.org/" + "/sid" * 15_000) is None
    assert time.perf_counter() - start < 2


words = st.sampled_from(["a", "b", "c", "en", "1", "22", "sid", "s", HEX, "x.zip", "y.html", "(s(abc1))", ""])
paths = st.lists(words, max_size=9).map(lambda parts: "/" + "/".join(parts))
urls = st.builds(
    lambda origin, path, query: origin + path + query,
    st.sampled_from(["https://example.org", "http://www.example.org:8080", "https://sub.example.org", "https://x.net"]),
    paths,
    st.sampled_from(["", "?a=1", "?a/b/c", "?sid=" + HEX]),
)


def naive_repeat(path: str, times: int) -> bool:
    segments = [segment for segment in path.lower().split("/") if segment]
    named = any(segments.count(segment) >= times and not segment.isdigit() for segment in segments)
    cycles = any(
        len(set(cycle)) > 1 and segments[i : i + len(cycle) * times] == cycle * times
        for i in range(len(segments))
        for j in range(i + 2, len(segments) + 1)
        for cycle in [segments[i:j]]
    )
    return named or cycles


@given(st.lists(st.sampled_from("ab1"), max_size=14), st.integers(2, 4))
def test_cycles_agree_with_the_naive_search(segments: list[str], times: int) -> None:
    naive = any(
        len(set(segments[i : i + n])) > 1 and segments[i : i + n * times] == segments[i : i + n] * times
        for n in range(2, len(segments) // times + 1)
        for i in range(len(segments) - n * times + 1)
    )
    assert _cycles(segments, times) == naive


@pytest.mark.parametrize("times", [2, 3, 4])
@given(path=st.lists(st.sampled_from(["a", "A", "b", "1", "2", "s", "sid", HEX, "c.html"]), max_size=9).map("/".join))
def test_what_a_folder_has_already_is_counted_with_the_last_segment(times: int, path: str) -> None:
    rules = StaticScope(Scope(traps=Traps(max_repeated_segments=times, session_ids=False)))
    refused = rules.refuse(f"https://example.org/{path}") == "repeated-segments"
    assert refused == naive_repeat(path, times)


@settings(max_examples=300)
@given(st.lists(urls, max_size=8), st.sampled_from(["any", "host", "domain"]))
def test_memory_changes_no_answer(batch: list[str], reach: str) -> None:
    """The folder memo is a shortcut: each URL gets the answer a fresh scope, or the naive rules, would give it."""
    scope = Scope(reach=reach)
    seeds = ["https://example.org/"]
    rules = StaticScope(scope, seeds)
    for url in batch:
        rule = rules.refuse(url)
        assert rule == StaticScope(scope, seeds).refuse(url)
        origin, path = re.fullmatch(r"(https?://[^/]+)(/[^?]*).*", url, re.S).groups()  # type: ignore[union-attr]
        if rule in (None, "extension"):
            assert not naive_repeat(path, 3)
        if rule == "repeated-segments":
            assert naive_repeat(path, 3)
        if rule is None:
            assert not path.endswith(".zip")
            assert f"/sid/{HEX}" not in path
            assert not re.search(rf"/s/{HEX}(/|$)", path)
            if reach == "host":
                assert origin in ("https://example.org", "http://www.example.org:8080")


globs = st.text("ab/*", min_size=1, max_size=6)


@given(globs, st.text("ab/", max_size=8))
def test_globs_agree_with_fnmatch(glob: str, path: str) -> None:
    rules = StaticScope(Scope(include=(glob,), traps=Traps(max_repeated_segments=0)))
    expected = fnmatch.fnmatchcase("/" + path, glob)
    assert (rules.refuse("https://example.org/" + path) is None) == expected


@given(st.text())
def test_no_string_breaks_it(text: str) -> None:
    rules = StaticScope(Scope(reach="domain", exclude=("*x*",)), ["https://example.org/"])
    for url in (text, "https://" + text, "https://example.org/" + text):
        rule = rules.refuse(url)
        assert rule is None or rule in rules.explain(url)
