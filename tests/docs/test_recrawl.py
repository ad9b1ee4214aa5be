"""docs/recrawl.md says what there is."""

from __future__ import annotations

import re

from dowse.loopback.listings.web import Listings
from dowse.recrawl.patterns.pattern import WILDCARDS
from tests.docs.markdown import DOCS

PAGE = (DOCS / "recrawl.md").read_text(encoding="utf-8")


def test_the_seeds_are_all_sites_of_the_demo() -> None:
    [names] = re.findall(r"^printf 'http://%s\.listings\.test/\\n' (.+) > seeds\.txt$", PAGE, re.MULTILINE)
    assert [f"{name}.listings.test" for name in names.split()] == Listings(sites=12, current=400, seed=3).hosts


def test_every_wildcard_is_told() -> None:
    assert set(re.findall(r"^\| `(\{.+\})` \|", PAGE, re.MULTILINE)) == set(WILDCARDS)
