"""Milliseconds of CPU that content blocks take: ``python -m bench.blocks [pages.warc.gz]``.

A page of 2,500 elements made like a portal (tables of lists of links), and, given a WARC file, its pages in the order
they come: what is said is the cut itself, the mean over blocks and links that a topic makes it do, and for comparison
the parser's whole walk.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence

import numpy as np

from bench.parse import pages
from dowse.engine.page.judged import judged
from dowse.judge import build_judge
from dowse.model.page import Links
from dowse.model.topic import Topic
from dowse.parse import Document, Measures, block_starts, gather_links, measure_links, mentions_of, parse_page

ROUNDS = 20
MOST_PAGES = 500
QUERY = "solar cells index"


def portal(cells: int = 90) -> bytes:
    """Some 2,500 elements: rows of cells, each a heading and a list of eight links."""
    items = "".join(f"<li><a href=/{{n}}/{i}><b>Item {i}</b></a> of interest" for i in range(8))
    cell = f"<td><h3>Region {{n}}</h3><p>What <i>there</i> is</p><ul>{items}</ul></td>"
    rows = ["<tr>" + "".join(cell.format(n=n + i) for i in range(3)) + "</tr>" for n in range(0, cells, 3)]
    return f"<title>Portal</title><body><table>{''.join(rows)}</table></body>".encode()


def best(work: Callable[[], object]) -> float:
    """Milliseconds, the best of some rounds."""
    times = []
    for _ in range(ROUNDS):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return 1e3 * min(times)


def measure(name: str, bodies: Sequence[bytes]) -> None:
    documents = [parse_page(body, url="http://example.org/", content_type="text/html") for body in bodies]
    judge = build_judge(Topic(query=QUERY))
    elements, n = sum(body.count(b"<") - body.count(b"</") for body in bodies) / len(bodies), len(bodies)
    readings = [judge.nearness.read(document.lines.tokens()) for document in documents]
    starts = [block_starts(document) for document in documents]
    print(f"{name}: {n} pages, {elements:,.0f} elements, {sum(map(len, starts)) / n:.1f} blocks a page")
    parse_ms = best(lambda: [parse_page(body, url="http://example.org/", content_type="text/html") for body in bodies])
    cut_ms = best(lambda: [block_starts(document) for document in documents])
    judge_ms = best(lambda: [judged(judge, page, cut) for page, cut in zip(readings, starts, strict=True)])
    context_ms = best(lambda: [_context(document, cut) for document, cut in zip(documents, starts, strict=True)])
    for what, ms in (("parse", parse_ms), ("cut into blocks", cut_ms), ("judge page and blocks", judge_ms),
                     ("gather links, with context", context_ms)):  # fmt: skip
        print(f"  {what:28} {ms / n:7.3f} ms")


def _context(document: Document, starts: list[int]) -> Links:
    found = gather_links(document)
    of_mentions, by_line = np.zeros(len(found.mentioned)), np.zeros(len(document.lines))
    measures = Measures(of_mentions, np.zeros(len(found.urls)), by_line, np.zeros(len(starts)), np.ones(len(starts)))
    return measure_links(found, mentions_of(document, found, starts), measures)


def main() -> None:
    measure("a portal", [portal()])
    if len(sys.argv) > 1:
        measure(sys.argv[1], [body for _, (_, _, body) in zip(range(MOST_PAGES), pages(sys.argv[1]), strict=False)])


if __name__ == "__main__":
    main()
