"""What it takes to read objects from pages, and to tell which are one.

::

    python -m bench.objects CORPUS       # a folder with *.warc.gz; without it, only distinct objects are timed

Reading: CPU time a page of ``read_stated``, beside extruct on the same pages (those with any structured data).
Distinct: 100,000 made-up events, three statements of each in other words, spread over days and towns in four ways.
"""

from __future__ import annotations

import logging
import random
import sys
from collections import Counter
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from time import process_time

import extruct
from fastwarc.warc import ArchiveIterator

from dowse.model.objects import FoundObject, Value
from dowse.parse.objects.stated import read_stated
from dowse.recrawl.objects import distinct

_PAGES = 400
_RDFA_PAGES = 50  # it is slow
_MARKS = (b"ld+json", b"itemtype", b"typeof", b"og:type")
_OBJECTS = 99_999


def _pages(corpus: Path) -> list[tuple[str, bytes]]:
    def all_pages() -> list[tuple[str, bytes]]:
        found = []
        for file in sorted(corpus.glob("*.warc.gz")):
            with file.open("rb") as stream:
                for record in ArchiveIterator(stream, parse_http=True):
                    if record.headers.get("WARC-Type") == "response":
                        body = record.reader.read()
                        if any(mark in body.lower() for mark in _MARKS):
                            found.append((record.headers["WARC-Target-URI"], body))
                    if len(found) == _PAGES:
                        return found
        return found

    return all_pages()


def _ms(pages: list[tuple[str, bytes]], read: Callable[[str, bytes], object]) -> float:
    start = process_time()
    for url, body in pages:
        read(url, body)
    return 1_000 * (process_time() - start) / max(1, len(pages))


def _reading(pages: list[tuple[str, bytes]]) -> None:
    def theirs(*syntaxes: str) -> Callable[[str, bytes], object]:
        return lambda url, body: extruct.extract(
            body.decode("utf-8", "replace"), base_url=url, syntaxes=list(syntaxes), errors="ignore"
        )

    kinds = Counter(one.kind for url, body in pages for one in read_stated(body, "text/html", url).objects)
    print(f"{len(pages)} pages of {sum(len(body) for _, body in pages) / max(1, len(pages)):,.0f} bytes: {dict(kinds)}")
    print(
        f"dowse                    {_ms(pages, lambda url, body: read_stated(body, 'text/html', url)):6.2f} ms a page"
    )
    print(f"extruct, without RDFa    {_ms(pages, theirs('json-ld', 'microdata', 'opengraph')):6.2f} ms a page")
    print(f"extruct, RDFa alone      {_ms(list(islice(pages, _RDFA_PAGES)), theirs('rdfa')):6.2f} ms a page")


def _events(days: int, towns: int) -> list[FoundObject]:
    dice = random.Random(1)
    words = ["".join(dice.choices("abcdefghijklmnop", k=dice.randint(3, 9))) for _ in range(2_000)]
    found = []
    for number in range(_OBJECTS // 3):
        name = " ".join(dice.choices(words, k=dice.randint(2, 6)))
        day = dice.randrange(days)
        for site, own in enumerate((name, name.title(), f"{name} Festival")):
            fields: dict[str, Value] = {"name": own, "location": f"Town{number % towns}, Germany"}
            if dice.random() > 0.1:
                fields["startDate"] = f"2026-{day // 28 + 1:02}-{day % 28 + 1:02}"
            found.append(FoundObject("Event", fields, f"https://s{site}.example/{number}"))
    dice.shuffle(found)
    return found


def main() -> None:
    logging.disable(logging.CRITICAL)
    if len(sys.argv) > 1:
        _reading(_pages(Path(sys.argv[1])))
    for days, towns in ((336, 50), (336, 1), (1, 10), (1, 1)):
        objects = _events(days, towns)
        start = process_time()
        count = len(distinct(objects))
        print(f"{len(objects):,} on {days} days in {towns} towns: {count:,} distinct, {process_time() - start:.1f} s")


if __name__ == "__main__":
    main()
