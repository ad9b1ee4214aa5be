"""Milliseconds of CPU a page, by stage, on a WARC file: ``python bench/parse.py pages.warc.gz [topic query]``.

Pages go through one by one, as in a worker; the best of several rounds is shown, since other work on the machine only
adds.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator

import numpy as np
from fastwarc.warc import ArchiveIterator, WarcRecordType

from dowse.judge import TopicJudge, build_judge
from dowse.model.topic import Topic
from dowse.model.url import canonical
from dowse.model.words import WordLines
from dowse.parse import (
    Measures,
    anchor_lines,
    block_starts,
    detect_language,
    gather_links,
    line_groups,
    measure_links,
    mentions_of,
    parse_html,
    sign_hashes,
)
from dowse.parse.bounds import bounded
from dowse.parse.decode import in_utf8

PAGES, ROUNDS = 1_000, 5
STAGES = ("decode", "html, text, words", "judge", "blocks", "links, context", "language", "signature")


def pages(path: str) -> Iterator[tuple[str, str, bytes]]:
    with open(path, "rb") as stream:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.response, parse_http=True):
            url = canonical(record.headers["WARC-Target-URI"])
            content_type = (record.http_headers.get("Content-Type") if record.http_headers else None) or ""
            if url is not None and "html" in content_type:
                yield url, content_type, record.reader.read()


def run(page: tuple[str, str, bytes], judge: TopicJudge, spent: list[float]) -> tuple[int, int]:
    """One page through every stage; adds what each took to ``spent``."""
    url, content_type, body = page
    clock = time.process_time
    marks = [clock()]
    text, charset = in_utf8(body, content_type)
    marks.append(clock())
    document = parse_html(bounded(text), url=url, charset=charset)
    tokens = document.lines.tokens()
    marks.append(clock())
    reading = judge.nearness.read(tokens)
    judge.verdict_of(reading)
    by_line = judge.nearness.similarities(reading)
    marks.append(clock())
    starts = block_starts(document)
    by_block = judge.nearness.similarities(reading, line_groups(starts, len(by_line)))
    marks.append(clock())
    found = gather_links(document)
    texts, of_mentions = anchor_lines(found)
    anchors = judge.nearness.read(WordLines("\n".join(texts)).tokens())
    by_anchor = judge.nearness.similarities(anchors)[np.array(of_mentions, np.intp)]
    by_url = judge.nearness.of_urls(found.urls)
    measures = Measures(by_anchor, by_url, by_line, by_block, np.ones(len(starts)))
    measure_links(found, mentions_of(document, found, starts), measures)
    marks.append(clock())
    detect_language(document.raw_text, document.lang)
    marks.append(clock())
    hashes = reading.hashes()
    sign_hashes(hashes)
    marks.append(clock())
    for stage in range(len(STAGES)):
        spent[stage] += marks[stage + 1] - marks[stage]
    return len(hashes), found.n_links


def main(path: str, query: str) -> None:
    sample = [page for number, page in enumerate(pages(path)) if number % 4 == 0][:PAGES]
    judge = build_judge(Topic(query=query))
    gc.freeze()  # as a worker does: what is loaded stays, and pages make no cycles
    gc.set_threshold(100_000, 50, 50)
    rounds = []
    for _ in range(ROUNDS):
        spent = [0.0] * len(STAGES)
        sizes = [run(page, judge, spent) for page in sample]
        rounds.append(spent)
    n = len(sample)
    kilobytes = sum(len(page[2]) for page in sample) / n / 1000
    print(f"{n} pages: {kilobytes:.1f} KB, {sum(links for _, links in sizes) / n:.0f} links, "
          f"{sum(words for words, _ in sizes) / n:.0f} words a page")  # fmt: skip
    best = [min(seconds) / n * 1000 for seconds in zip(*rounds, strict=True)]
    for name, ms in zip(STAGES, best, strict=True):
        print(f"{name:20} {ms:6.3f} ms")
    print(f"{'all':20} {sum(best):6.3f} ms   ({sum(best) * 34 / kilobytes:.2f} ms for 34 KB)")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python bench/parse.py FILE.warc.gz [topic query]")
    main(sys.argv[1], " ".join(sys.argv[2:]) or "relational database replication")
