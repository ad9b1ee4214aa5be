"""How many URLs a second are assigned to their pattern, best of three rounds.

URLs and patterns are those of made event listings: some thousand patterns in either form, asked for all pages of all
sites in random order, and for URLs that match none.

    python -m bench.patterns --sites 60
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from random import Random

from dowse.lab.recrawl.walk import walked
from dowse.loopback.listings.web import Listings
from dowse.recrawl.numbered import with_objects
from dowse.recrawl.objects import distinct
from dowse.recrawl.patterns.learn import FORMS, learn_patterns
from dowse.recrawl.patterns.matcher import Matcher
from dowse.recrawl.patterns.pattern import parse_pattern


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.patterns", description=__doc__)
    parser.add_argument("--sites", type=int, default=60)
    chosen = parser.parse_args(arguments)
    walk = walked(Listings(chosen.sites, 3000), 100)
    pages = with_objects(walk.pages, distinct(walk.found))
    urls = [page.url for page in pages]
    urls += [f"{url.rpartition('/')[0]}/-/{number}/x" for number, url in enumerate(urls[: len(urls) // 10])]
    Random(7).shuffle(urls)
    for form in FORMS:
        started = time.perf_counter()
        texts = learn_patterns(pages, form)
        learned_s = time.perf_counter() - started
        matcher = Matcher(map(parse_pattern, texts))
        best = min(_round(matcher, urls) for _ in range(3))
        sys.stdout.write(
            f"{form:7} {len(texts):,} patterns, learned from {len(pages):,} pages in {learned_s:.2f} s;"
            f" {len(urls) / best:,.0f} URLs/s\n"
        )
    return 0


def _round(matcher: Matcher, urls: Sequence[str]) -> float:
    started = time.perf_counter()
    for url in urls:
        matcher.match(url)
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
