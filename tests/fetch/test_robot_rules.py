"""Rules against paths: the RFC's own examples, a literal matcher on random input, and the time a look-up takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.fetch import read_robots, robot_rules
from dowse.fetch.robot_rules import MOST_SEARCHED, MOST_WILDCARDS, octets, path_rules

SITE = "https://example.org"

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
    ("Disallow: /$", "/", False),
    ("Disallow: /$", "/$", True),
    ("Disallow: /$", "/x", True),
    ("Disallow: /$", "/?x", True),
    ("Disallow: /a$b", "/a$bc", False),
    ("Disallow: /a$$", "/a$", False),
    ("Disallow: /a$$", "/a$x", True),
    ("Disallow: /a%24", "/a$x", False),
    ("Disallow: /a%24$", "/a$x", True),
    ("Disallow: /a*$", "/abc", False),
    ("Disallow: /a*b*$", "/axbx", False),
    ("Disallow: /*b$", "/ab", False),
    ("Disallow: /ab*b$", "/ab", True),
    ("Disallow: /a%3Fb", "/a?b", True),
    ("Disallow: /a%3Fb", "/a%3fb", False),
    ("Disallow: /a?b", "/a%3Fb", True),
    ("Disallow: /*2F", "/a%2Fb", True),
    ("Disallow: /a:b", "/a%3Ab", False),
    ("Disallow: /a%", "/a%25", False),
    ("Disallow: /a%2", "/a%2Fb", True),
    ("Disallow: /ä", "/%C3%A4", False),
    ("Disallow: /%c3%a4", "/%C3%A4", False),
    ("Disallow: /x?\nAllow: /x%C3%A4", "/x%C3%A4?", True),
    ("Allow: /%61\nDisallow: /a", "/a", True),
    ("Allow: /a\nDisallow: /%61", "/a", True),
    ("Allow: /ab\nDisallow: /%61", "/ab", True),
    ("Allow: /a*\nDisallow: /a", "/ab", True),
    ("Disallow: /a*\nAllow: /a", "/ab", False),
    ("Disallow: /a\nAllow: /a*b\nDisallow: /axxb", "/axxb", False),
    ("Disallow: /a\nAllow: /a*b\nDisallow: /axxb", "/axb", True),
    ("Disallow: /\nAllow: /a/b\nDisallow: /a/b/c\nAllow: /a/b/c/d", "/a/b/c/e", False),
    ("Disallow: /\nAllow: /a/b\nDisallow: /a/b/c\nAllow: /a/b/c/d", "/a/b/e", True),
    ("Disallow: /a****\nAllow: /ab", "/abc", False),
    ("Disallow: /a*b\nAllow: /a*bc", "/axbc", True),
    ("Allow: /a*b\nDisallow: /a*bc", "/axbc", False),
    ("Disallow: *", "/x", False),
    ("Disallow: x", "/x", True),
    ("Disallow: $", "/", True),
    ("Disallow: https://example.org/x", "/x", True),
    ("Allow: /a/index.html\nDisallow: /a/", "/a/", False),
    ("Disallow: /", "/robots.txt?x", True),
    ("Disallow: /", "/robots.txt/x", False),
]


@pytest.mark.parametrize(("rules", "path", "expected"), CASES)
def test_path_matching(rules: str, path: str, expected: bool) -> None:
    assert read_robots(f"User-agent: dowse\n{rules}\n".encode()).allowed(SITE + path) is expected


@pytest.mark.parametrize(("url", "expected"), [(SITE, False), (SITE + "?x", True), (SITE + "#/x", False), ("x", False)])
def test_a_url_without_a_path_is_asked_about_as_the_root(url: str, expected: bool) -> None:
    assert read_robots(b"User-agent: *\nDisallow: /$").allowed(url) is expected


# -- a literal matcher ---------------------------------------------------------------------------------------------

STAR, END = "any", "end"


def literal_octets(text: str) -> Iterator[str]:
    """Section 2.2.2: octets outside ASCII and reserved ones are percent-encoded prior to comparison, and escapes of
    others are decoded. "/" and "?" are left, since they are what a path is made of."""
    raw = text.encode()
    at = 0
    while at < len(raw):
        escaped = (
            raw[at : at + 1] == b"%"
            and len(raw) >= at + 3
            and all(c in b"0123456789abcdefABCDEF" for c in raw[at + 1 : at + 3])
        )
        octet = int(raw[at + 1 : at + 3], 16) if escaped else raw[at]
        at += 3 if escaped else 1
        if chr(octet).isascii() and (
            chr(octet).isalnum() or chr(octet) in "-._~" or (chr(octet) in "/?" and not escaped)
        ):
            yield chr(octet)
        else:
            yield f"%{octet:02X}"


def literal_pattern(rule: str) -> list[str]:
    """Section 2.2.3: "*" is 0 or more instances of any character, "$" the end of the match pattern."""
    anchor = [END] if rule.endswith("$") else []
    parts = [list(literal_octets(part)) for part in rule.removesuffix("$").split("*")]
    return [*parts[0], *(token for part in parts[1:] for token in [STAR, *part]), *anchor]


def literal_match(rule: str, path: str) -> bool:
    """Does it match from the path's first octet up to the rule's end?"""
    pattern, units = literal_pattern(rule), list(literal_octets(path))

    @cache
    def rest(p: int, u: int) -> bool:
        if p == len(pattern):
            return True
        if pattern[p] == STAR:
            return rest(p + 1, u) or (u < len(units) and rest(p, u + 1))
        if pattern[p] == END:
            return u == len(units)
        return u < len(units) and units[u] == pattern[p] and rest(p + 1, u + 1)

    return rest(0, 0)


def literal_allowed(rules: Iterable[tuple[bool, str]], path: str) -> bool:
    """The match with the most octets, Allow of two that are equal; what nothing matches is allowed."""
    matches = [(len(literal_pattern(rule)), allow) for allow, rule in rules if rule and literal_match(rule, path)]
    return max(matches, default=(0, True))[1] or path.partition("?")[0] == "/robots.txt"


PIECES = st.sampled_from(
    ["/", "a", "b", "aa", "ab", "c", ".", "?", "=", ":", "&", "*", "$", "%2A", "%24", "%61", "%62", "%2F", "%2f", "%3F",
     "%3f", "%25", "%", "%6", "ä", "%C3%A4", "%c3%a4", "%C3", "%20", " ", "ツ", "%3A"]
)  # fmt: skip
PATHS = st.lists(PIECES, max_size=9).map(lambda pieces: "/" + "".join(pieces))
VALUES = (PATHS | st.lists(PIECES, max_size=5).map("".join)).map(str.strip)
RULES = st.lists(st.tuples(st.booleans(), VALUES), max_size=8)


@given(RULES, PATHS)
def test_paths_are_matched_as_the_rfc_has_it(rules: list[tuple[bool, str]], path: str) -> None:
    found = path_rules(rules).allow(octets(path)) or path.partition("?")[0] == "/robots.txt"
    assert found is literal_allowed(rules, path)


FEW = st.lists(st.tuples(st.booleans(), st.text("aab**$", max_size=5).map("/".__add__)), max_size=12)
SHORT = st.text("ab", max_size=6).map("/".__add__)


@given(FEW, SHORT)
def test_many_rules_that_match_at_once(rules: list[tuple[bool, str]], path: str) -> None:
    assert path_rules(rules).allow(path) is literal_allowed(rules, path)


@given(FEW, SHORT, st.integers(0, 3), st.integers(0, 40))
def test_beyond_the_limits_more_is_kept_out_never_less(
    rules: list[tuple[bool, str]], path: str, wildcards: int, searched: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(robot_rules, "MOST_WILDCARDS", wildcards)
        patch.setattr(robot_rules, "MOST_SEARCHED", searched)
        capped = path_rules(rules)
    assert len(capped.wildcards) <= wildcards
    assert capped.searched <= searched
    assert literal_allowed(rules, path) or not capped.allow(path)


NAMES = st.sampled_from(["dowse", "Dowse", "dowse/1.0", "dow", "dowser", "*", "other", "Other/2", ""])
GROUP = st.tuples(
    st.lists(NAMES, min_size=1, max_size=3), st.lists(st.tuples(st.booleans(), PATHS), min_size=1, max_size=4)
)
NOISE = st.sampled_from(
    ["", "# Disallow: /", "Sitemap: /s", "Host: x", "<p>Disallow: /", "Crawl-delay: 1", "\0", "Allow"]
)
ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\n", " # Disallow: /\n", "\t\n"])


@given(st.lists(GROUP, max_size=4), PATHS, st.data())
def test_whole_files_as_the_rfc_has_it(
    groups: list[tuple[list[str], list[tuple[bool, str]]]], path: str, data: st.DataObject
) -> None:
    """Section 2.2.1: the groups that name the crawler, in any case, together; without one those for "*"."""
    text = ""
    for names, rules in groups:
        lines = [f"User-agent: {name}" for name in names] + [
            f"{'Allow' if allow else 'Disallow'}:{rule}" for allow, rule in rules
        ]
        for line in lines:
            text += data.draw(NOISE) + "\n" + line + data.draw(ENDS)

    def of(name: str) -> list[list[tuple[bool, str]]]:
        return [rules for names, rules in groups if name in {each.partition("/")[0].lower() for each in names}]

    rules = [(allow, rule.strip()) for group in of("dowse") or of("*") for allow, rule in group]
    assert read_robots(text.encode()).allowed(f"{SITE}{path}") is literal_allowed(rules, path)


# -- time ----------------------------------------------------------------------------------------------------------


def file_of(rule: Callable[[int], str], size: int = 480_000) -> bytes:
    """A robots.txt of so many bytes."""
    lines = ["User-agent: *"]
    while size > 0:
        lines.append(rule(len(lines)))
        size -= len(lines[-1]) + 1
    return "\n".join(lines[:-1]).encode()


HARD: dict[str, Callable[[int], str]] = {
    "3 octets": lambda n: f"Allow: /*aba*{n}$",
    "5 octets": lambda n: f"Allow: /*aabaa*{n}$",
    "9 octets": lambda n: f"Allow: /*{'a' * 4}b{'a' * 4}*{n}$",
    "17 octets": lambda n: f"Allow: /*{'a' * 8}b{'a' * 8}*{n}$",
    "101 octets": lambda n: f"Allow: /*{'a' * 50}b{'a' * 50}*{n}$",
    "999 octets": lambda n: f"Allow: /*{'a' * 499}b{'a' * 499}*{n}$",
    "many stars": lambda n: f"Allow: /{'*a' * 100}*{n}$",
    "many literals": lambda n: f"Allow: /{'*aab' * 20}{n}",
    "ends": lambda n: f"Allow: /*{'a' * 20}{n}$",
    "one in the other": lambda n: f"Allow: /{'a' * n}",
}


@pytest.mark.parametrize("kind", HARD)
def test_a_look_up_takes_bounded_time_whatever_the_rules(kind: str) -> None:
    rules = read_robots(file_of(HARD[kind]))
    for url in (f"{SITE}/{'a' * 1980}", f"{SITE}/{'a' * 1976}%2Fb", f"{SITE}/{'%61b' * 495}"):
        started = time.process_time()
        for _ in range(5):
            rules.allowed(url)
        assert time.process_time() - started < 5 * 0.06, "some 6 ms each, where nothing else runs"
        assert rules.effort(url) < 15_000
        assert time.process_time() - started < 5 * 20e-6 * max(50, rules.effort(url)), "an effort is of microseconds"


def test_the_effort_grows_with_wildcards_and_with_the_url() -> None:
    plain = read_robots(file_of(lambda n: f"Disallow: /{n}"))
    hard = read_robots(file_of(HARD["5 octets"]))
    short, long = f"{SITE}/{'a' * 60}", f"{SITE}/{'a' * 1980}"
    assert plain.effort(short) < 10
    assert plain.effort(long) < 150
    assert 200 < hard.effort(short) < 1000
    assert hard.effort(long) > 5000
    assert read_robots(b"").effort(long) == 0


def test_wildcards_beyond_the_limits() -> None:
    rules = [(False, f"/a{n}/*x{n}$") for n in range(MOST_WILDCARDS)] + [
        (False, "/late/*.gif$"),
        (True, "/a0/late/*$x"),
    ]
    made = path_rules(rules)
    assert len(made.wildcards) == MOST_WILDCARDS
    assert made.allow("/a0/x")
    assert not made.allow("/a0/x0")
    assert not made.allow("/late/anything"), "a Disallow is taken for what stands before its *"
    assert made.allow("/later")
    searched = path_rules(
        [(False, "/*" + "a" * (MOST_SEARCHED - 1)), (False, "/b*cc"), (True, "/b*dd"), (False, "/b*c$")]
    )
    assert searched.searched == MOST_SEARCHED - 1
    assert not searched.allow("/b"), "it no longer fits"
    assert not searched.allow("/bdd"), "an Allow that does not is left out"
    assert searched.allow("/a")
