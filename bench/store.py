"""What the store costs: composing WARC members (in a worker) and committing batches (in the engine).

``python -m bench.store [--warc FILE] [--json FILE]`` takes real HTML bodies from a WARC file, else made-up ones. CPU
time, one core; the best of several rounds, since other programs only ever make a round slower.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from dowse.model.batch import Batch
from dowse.model.budget import Spent
from dowse.model.http import Response, Timings
from dowse.model.page import PageContent
from dowse.model.records import CandidateRow, CandidateState, DecisionRow, PageRow, SiteRow
from dowse.store import CrawlStore, compose
from dowse.store.ledger import Ledger

PAGES, LINKS, NEW, BATCHES = 100, 90, 25, 20
FIELDS = {"via": "http://example.org/", "depth": 3, "score": 0.41, "relevant": True, "title": "A page", "total_s": 0.3}
HEADERS = (
    ("Date", "Wed, 01 May 2024 10:00:00 GMT"), ("Server", "nginx"), ("Content-Type", "text/html; charset=utf-8"),
    ("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked"), ("Connection", "keep-alive"), ("ETag", '"5f3-61"'),
    ("Vary", "Accept-Encoding"), ("Cache-Control", "max-age=600"), ("Last-Modified", "Tue, 30 Apr 2024 08:00:00 GMT"),
)  # fmt: skip


def made_up(count: int) -> list[bytes]:
    dice = random.Random(1)
    words = ["".join(dice.choices("etaoinshrdlu", k=dice.randint(2, 11))) for _ in range(4000)]
    weights = [1 / (rank + 10) for rank in range(len(words))]
    bodies = []
    for _ in range(count):
        parts = [f'<p class="c{dice.randint(1, 9)}">{" ".join(dice.choices(words, weights, k=60))}</p>'
                 f'<a href="/{"/".join(dice.choices(words, k=3))}.html">{dice.choice(words)}</a>\n'
                 for _ in range(70)]  # fmt: skip
        bodies.append("".join(parts).encode())
    return bodies


def real(path: Path, count: int) -> list[bytes]:
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    bodies: list[bytes] = []
    with path.open("rb") as stream:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.response):
            body = record.reader.read()
            if 20_000 < len(body) < 55_000:
                bodies.append(body)
            if len(bodies) == count:
                break
    return bodies


def exchange(body: bytes, n: int) -> Response:
    return Response(f"http://site{n % 7}.example/path/page{n}.html", 200, HEADERS, body, "OK", len(body) // 4,
                    address="192.0.2.7", request_headers=(("User-Agent", "Dowse/0.1"), ("Accept", "*/*")))  # fmt: skip


def url(n: int) -> str:
    return f"http://site{n % 50}.example/section/some-article-{n}.html"


CONTENT = PageContent("The title of some article", "en", "utf-8", words=4000, text_len=24000, n_links=LINKS)


def page(n: int, archive: list[bytes]) -> PageRow:
    return PageRow(
        id=n, url=url(n), final_url=url(n), fetched_at=1.7e9 + n, outcome="fetched", status=200,
        content_type="text/html; charset=utf-8", wire_bytes=8000, body_bytes=34000, score=0.4, relevant=True,
        similarity=0.4, erid=0.1, content=CONTENT, depth=3, signature=2**63 + n,
        minhash=bytes(512), etag='"5f3-61"', timings=Timings(0, 0, 0.1, 0.2), verdict=[("similarity", 0.4, 1.0)],
        archive=archive,
    )  # fmt: skip


def pages_and_links(first: int, archives: list[list[bytes]]) -> Batch:
    """100 pages with 90 links each: 25 to new URLs, the rest to recent ones."""
    dice = random.Random(first)
    made = Batch(spent=Spent(pages=first, requests=first))
    for n in range(first, first + PAGES):
        new = range(n * NEW, n * NEW + NEW)
        old = [dice.randrange(max(0, n * NEW - 5000), n * NEW + NEW) for _ in range(LINKS - NEW)]
        made.links += [(n, target, "some anchor text of a link", 1, 0, "") for target in [*new, *old]]
        made.pages.append(page(n, archives[n % len(archives)]))
    return made


def everything(first: int, archives: list[list[bytes]]) -> Batch:
    """The same, with the new URLs, a new priority for the others, states, sites and decisions."""
    made = pages_and_links(first, archives)
    features = {"average": (0.25, 0.5), "anchor": (0.5, 0.3), "links": (0.1, 0.2)}
    for n in range(first, first + PAGES):
        site = n % 50
        made.candidates += [CandidateRow(i, url(i), site, 3, n, 0.25) for i in range(n * NEW, n * NEW + NEW)]
        made.states[n] = (CandidateState.FETCHED, "", 1)
        made.sites[site] = SiteRow(site, f"http://site{site}.example", f"site{site}.example", requests=n)
        made.decisions.append(DecisionRow(n, 1.7e9 + n, 0.4, "hybrid", 3, features))
    made.priorities = {target: 0.5 for page, target, *_ in made.links if target < page * NEW}
    return made


def commits(
    name: str, make: Callable[[int, list[list[bytes]]], Batch], archives: list[list[bytes]]
) -> dict[str, float | str]:
    cpu, wall = [], []
    with tempfile.TemporaryDirectory() as place, CrawlStore.create(Path(place) / "crawl", {}, 1.7e9) as store:
        for number in range(BATCHES):
            made = make(number * PAGES, archives)
            start, start_wall = time.process_time(), time.perf_counter()
            store.commit(made)
            cpu.append((time.process_time() - start) * 1e3)
            wall.append((time.perf_counter() - start_wall) * 1e3)
    print(f"commit, {name} ({len(made.links)} links, {len(made.candidates)} new URLs, "
          f"{len(made.priorities)} priorities): "
          f"CPU ms {min(cpu):.1f} best, {sorted(cpu)[BATCHES // 2]:.1f} median, {max(cpu):.1f} worst; "
          f"wall {sorted(wall)[BATCHES // 2]:.1f} median")  # fmt: skip
    return {
        "what": name, "links": len(made.links), "new": len(made.candidates), "priorities": len(made.priorities),
        "best_ms": min(cpu), "median_ms": sorted(cpu)[BATCHES // 2],
    }  # fmt: skip


def best(run: Callable[[], object], rounds: int = 5) -> float:
    """CPU seconds of the best round."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--warc", type=Path)
    parser.add_argument("--json", type=Path, help="write the figures")
    options = parser.parse_args()
    bodies = real(options.warc, 200) if options.warc else made_up(200)
    responses = [exchange(body, n) for n, body in enumerate(bodies)]
    archives = [compose(response, 1.7e9, FIELDS) for response in responses]
    size, stored = sum(map(len, bodies)), sum(len(member) for members in archives for member in members)
    cost = best(lambda: [compose(response, 1.7e9, FIELDS) for response in responses]) / len(responses)
    print(f"compose: {cost * 1e3:.3f} ms a page of {size / len(bodies) / 1e3:.1f} KB, stored as {stored / size:.1%}")

    done = [commits("pages and links", pages_and_links, archives), commits("everything", everything, archives)]
    with tempfile.TemporaryDirectory() as place:
        ledger, spent = Ledger(Path(place) / "ledger"), Spent(1, 2, 3.0, 4)

        def note() -> None:
            for _ in range(100_000):
                ledger.note(spent)

        note_us = best(note) / 100_000 * 1e6
        print(f"note_spent: {note_us:.2f} µs")
        ledger.close()
    if options.json:
        composed = {"ms": cost * 1e3, "page_bytes": size / len(bodies), "stored_share": stored / size}
        found = {"compose": composed, "pages": PAGES, "commits": done, "note_us": note_us}
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
