from __future__ import annotations

import itertools
import re
import time
from collections import Counter
from urllib.parse import parse_qsl

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.frontier.traps import GrowthRules, skeleton, skeletons
from dowse.model.topic import Traps
from dowse.model.url import canonical


def pattern(url: str) -> int:
    return GrowthRules(Traps()).judged(0, url, relevant=True)


def follow(rules: GrowthRules, urls: list[str], relevant: frozenset[int] = frozenset()) -> list[str | None]:
    """Walk a chain of pages, each found on the one before; stops where a real crawl would."""
    answers: list[str | None] = []
    kind, run = None, 0
    for i, url in enumerate(urls):
        admission = rules.admit(0, url, kind, run, i - 1 in relevant)
        answers.append(admission.rule)
        if admission.rule is not None:
            break
        kind, run = admission.pattern, admission.run
    return answers


def calendar(months: int) -> list[str]:
    return [f"https://example.org/calendar?year={2000 + i // 12}&month={i % 12 + 1}" for i in range(months)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://e.org/cal/2024/05", "https://e.org/cal/1999/12"),
        ("https://e.org/item?id=1&sort=up", "https://e.org/item?sort=down&id=99"),
        ("https://e.org/?a=1&a=2", "https://e.org/?a=1"),
        ("https://e.org/s?a=1&b=2&c=3&d=4&e=5", "https://e.org/s?v=1&w=2&x=3&y=4&z=5&q=6"),
        ("https://e.org/wiki/%E5%A4%AA12", "https://e.org/wiki/%E5%A4%AA7"),
    ],
)
def test_numbers_values_and_order_do_not_make_a_pattern(one: str, other: str) -> None:
    assert pattern(one) == pattern(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://e.org/wiki/Solar_cell", "https://e.org/wiki/Solar_panel"),
        ("https://e.org/wiki/%E5%A4%AA", "https://e.org/wiki/%E9%A1%AA"),
        ("https://e.org/a", "https://f.org/a"),
        ("https://www1.e.org/a", "https://www2.e.org/a"),
        ("https://e.org/a?b=1", "https://e.org/a?c=1"),
        ("https://e.org/a?b=1", "https://e.org/a"),
        ("https://e.org/2024/05/01/one-story", "https://e.org/2024/05/01/another-story"),
    ],
)
def test_different_places_are_different_patterns(one: str, other: str) -> None:
    assert pattern(one) != pattern(other)


def test_the_pattern_is_the_same_after_a_restart() -> None:
    assert pattern("https://example.org/cal/2024-05/?view=day&from=3") == 0xFD06DAE479793080


def test_a_calendar_is_left_after_a_run_without_relevant_pages() -> None:
    answers = follow(GrowthRules(Traps()), calendar(500))
    assert answers == [None] * 33 + ["pattern-run"]


def test_a_calendar_with_relevant_pages_is_read_on() -> None:
    relevant = frozenset(range(0, 500, 30))
    assert follow(GrowthRules(Traps()), calendar(500), relevant) == [None] * 500


def test_thirty_pages_of_a_list_pass() -> None:
    pages = [f"https://example.org/list?page={i}" for i in range(1, 31)]
    assert follow(GrowthRules(Traps()), pages) == [None] * 30


def test_a_pattern_broken_by_another_page_starts_a_new_run() -> None:
    urls = [url for month in calendar(200) for url in (month, month.replace("calendar", "day"))]
    assert follow(GrowthRules(Traps()), urls) == [None] * 400


def test_facets_in_any_order_meet_the_pattern_cap() -> None:
    rules = GrowthRules(Traps(max_per_pattern=100))
    facets = ["color=red", "size=9", "brand=x", "sort=up", "stock=1", "ship=2", "new=1"]
    refused = admitted = 0
    for chosen in itertools.permutations(facets, 5):
        rule = rules.admit(0, "https://shop.example/list?" + "&".join(chosen), None, 0, False).rule
        admitted += rule is None
        refused += rule == "pattern-cap"
    assert (admitted, refused) == (100, 2520 - 100)


def test_titles_never_meet_the_pattern_cap() -> None:
    rules = GrowthRules(Traps(max_per_pattern=2))
    titles = ["".join(letters) for letters in itertools.product("abcde", repeat=3)]
    assert {rules.admit(0, f"https://e.org/wiki/{title}", None, 0, False).rule for title in titles} == {None}
    assert not len(rules._per_pattern)  # what cannot repeat costs no memory


def test_the_host_cap_is_per_site() -> None:
    rules = GrowthRules(Traps(max_per_host=3))
    for site in (0, 1):
        answers = [rules.admit(site, f"https://h{site}.org/{name}", None, 0, False).rule for name in "abcde"]
        assert answers == [None] * 3 + ["host-cap"] * 2


def test_the_domain_cap_counts_sites_of_a_registered_domain() -> None:
    rules = GrowthRules(Traps(max_hosts_per_domain=2))
    hosts = ["a.e.co.uk", "b.e.co.uk", "c.e.co.uk", "d.e.co.uk:8080", "a.other.co.uk", "10.0.0.1", "[::1]"]
    answers = [rules.admit(site, f"https://{host}/", None, 0, False).rule for site, host in enumerate(hosts)]
    assert answers == [None, None, "domain-cap", "domain-cap", None, None, None]
    assert rules.admit(0, "https://a.e.co.uk/more", None, 0, False).rule is None, "a site taken up goes on"
    resumed = GrowthRules(Traps(max_hosts_per_domain=2))
    for site in (0, 1):
        for path in ("", "x"):
            resumed.count(site, f"https://{hosts[site]}/{path}")
    assert resumed.admit(1, "https://b.e.co.uk/y", None, 0, False).rule is None
    assert resumed.admit(2, "https://c.e.co.uk/", None, 0, False).rule == "domain-cap"


def test_zero_switches_every_rule_off() -> None:
    rules = GrowthRules(Traps(max_per_host=0, max_hosts_per_domain=0, max_per_pattern=0, max_pattern_run=0))
    assert set(follow(rules, calendar(20_000))) == {None}


def test_a_refused_url_is_not_counted() -> None:
    rules = GrowthRules(Traps(max_pattern_run=1, max_per_pattern=3))
    first = rules.admit(0, "https://e.org/?p=1", None, 0, False)
    assert rules.admit(0, "https://e.org/?p=2", first.pattern, 5, False).rule == "pattern-run"
    assert rules.admit(0, "https://e.org/?p=2", None, 0, False).rule is None
    assert rules.admit(0, "https://e.org/?p=3", None, 0, False).rule is None
    assert rules.admit(0, "https://e.org/?p=4", None, 0, False).rule == "pattern-cap"


parts = st.sampled_from(["a", "b1", "22", "%E5%A4", "%41x", "x-7-y", "7%", "%", "%4"])
urls = st.builds(
    lambda host, path, query: canonical(f"https://{host}/{'/'.join(path)}?{'&'.join(query)}") or "",
    st.sampled_from(["e.org", "www2.e.org"]),
    st.lists(parts, max_size=4),
    st.lists(st.sampled_from(["a=1", "a=2", "b=x", "c", "d=5", "e=%41", "f=", "p9=1", "p8=2", ""]), max_size=7),
)


def naive_skeleton(url: str) -> str:
    head, _, query = url.partition("?")
    origin, path = re.fullmatch(r"(https://[^/]+)(.*)", head).groups()  # type: ignore[union-attr]
    pieces = re.split(r"(%[0-9A-Fa-f][0-9A-Fa-f]|%[0-9A-Fa-f]?)", path)
    path = "".join(p if p.startswith("%") else re.sub(r"[0-9]+", "0", p) for p in pieces)
    if not query:
        return origin + path
    names = {name for name, _ in parse_qsl(query, keep_blank_values=True)} | ({""} if "" in query.split("&") else set())
    kept = "&".join(sorted(names)) if len(names) <= 4 else "*"
    return origin + path + "?" + re.sub(r"[0-9]+", "0", kept)


@settings(max_examples=300)
@given(urls)
def test_the_skeleton_agrees_with_the_naive_one(url: str) -> None:
    assert skeleton(url) == naive_skeleton(url)


@pytest.mark.parametrize(
    ("long", "bones"),
    [
        ("/a7" * 400, "/a0" * 85 + "/"),
        ("/%41" * 400 + "?a=1", "/%41" * 64 + "?a"),
        ("/x?" + "&".join(f"k{n}=1" for n in range(400)), "/x?*"),
        ("/x?a=" + "7" * 500 + "&b=1", "/x?a"),
        ("/" + "x" * 300 + "?b=1", "/" + "x" * 255 + "?b"),
    ],
)
def test_of_long_urls_the_beginning_counts(long: str, bones: str) -> None:
    assert skeleton("https://e.org" + long) == "https://e.org" + bones
    assert skeletons(["https://e.org" + long]) == ["https://e.org" + bones]


def test_a_page_of_long_links_is_counted_in_no_time() -> None:
    """1,000 links of 8,000 characters took 0.4 s."""
    links = [f"http://h{n}.test/" + "%C3%A4/1" * 950 + f"?{'&k=1' * 100}" for n in range(1_000)]
    rules = GrowthRules(Traps())
    started = time.process_time()
    for site, url in enumerate(links):
        rules.admit(site, url, None, 0, False)
    assert time.process_time() - started < 0.1  # it takes 0.02 s


@given(st.lists(urls, max_size=30, unique=True), st.lists(st.booleans(), min_size=30, max_size=30))
def test_what_was_foreseen_changes_no_answer(many: list[str], some: list[bool]) -> None:
    traps = Traps(max_per_pattern=2, max_per_host=9, max_hosts_per_domain=2, max_pattern_run=1)
    plain, foreseeing = GrowthRules(traps), GrowthRules(traps)
    foreseeing.foresee([url for url, chosen in zip(many, some, strict=False) if chosen])
    for site, url in enumerate(many):
        asked = (site % 4, url, pattern(many[0]), 1, False)
        assert foreseeing.admit(*asked) == plain.admit(*asked)


@given(st.lists(urls, min_size=1, max_size=30))
def test_many_skeletons_at_once_are_the_same(many: list[str]) -> None:
    assert skeletons(many) == [skeleton(url) for url in many]


@given(
    st.lists(st.tuples(st.integers(0, 2), urls, st.booleans(), st.integers(0, 4), st.booleans()), max_size=40),
    st.integers(0, 5),
    st.integers(0, 3),
    st.integers(0, 3),
    st.integers(0, 40),
)
def test_counts_agree_with_naive_bookkeeping_and_survive_a_resume(
    steps: list[tuple[int, str, bool, int, bool]], per_host: int, per_pattern: int, max_run: int, stop: int
) -> None:
    traps = Traps(max_per_host=per_host, max_per_pattern=per_pattern, max_pattern_run=max_run)
    rules, taken = GrowthRules(traps), list[tuple[int, str]]()
    seen: set[str] = set()
    for i, (site, url, same, run, relevant) in enumerate(steps):
        if i == stop:
            rules = GrowthRules(traps)
            if taken:
                rules.count_all(np.array([s for s, _ in taken]), [u for _, u in taken])
        url = url.replace("e.org", f"e{'xyz'[site]}.org")
        if url in seen:
            continue
        seen.add(url)
        kind = pattern(url) if same else None
        got = rules.admit(site, url, kind, run, relevant)
        hosts = Counter(s for s, _ in taken)
        kinds = Counter(pattern(u) for _, u in taken)
        run = (1 if relevant else run + 1) if same else 0
        if max_run and run > max_run:
            expected: str | None = "pattern-run"
        elif per_host and hosts[site] >= per_host:
            expected = "host-cap"
        elif per_pattern and kinds[pattern(url)] >= per_pattern:
            expected = "pattern-cap"
        else:
            expected = None
            taken.append((site, url))
        assert got == (expected, pattern(url), run)
