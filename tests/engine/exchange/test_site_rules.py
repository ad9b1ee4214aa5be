from __future__ import annotations

from dowse.engine.exchange.site_rules import AGE_S, KnownRules
from dowse.fetch import ALLOW_ALL, read_robots

MANY = read_robots(b"User-agent: *\n" + b"".join(b"Disallow: /%d/\n" % n for n in range(1000)) + b"Sitemap: /s.xml\n")


def test_rules_hold_for_a_day() -> None:
    known = KnownRules()
    assert known.of(3, 0.0) is None
    known.keep(3, MANY, 100.0)
    rules = known.of(3, 100.0 + AGE_S)
    assert rules is not None
    assert (rules.allowed("http://a.test/7/x"), rules.allowed("http://a.test/x")) == (False, True)
    assert known.of(3, 101.0 + AGE_S) is None


def test_beyond_a_number_of_rules_those_read_first_are_forgotten() -> None:
    known = KnownRules(most_rules=5 * MANY.count)
    for site in range(100):
        known.keep(site, MANY, 0.0)
    assert [site for site in range(100) if known.of(site, 0.0) is not None] == [95, 96, 97, 98, 99]
    known.keep(96, ALLOW_ALL, 0.0)
    known.keep(100, MANY, 0.0)
    known.keep(101, MANY, 0.0)
    assert [site for site in range(102) if known.of(site, 0.0) is not None] == [96, 98, 99, 100, 101]


def test_failures_are_counted_until_it_is_had() -> None:
    known = KnownRules()
    assert [known.failed(1), known.failed(1), known.failed(2)] == [1, 2, 1]
    known.keep(1, ALLOW_ALL, 0.0)
    assert known.failed(1) == 1
    assert known.of(1, 0.0) is None
