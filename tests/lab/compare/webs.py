"""A small recorded web with labels, for comparisons: solar pages link to solar pages, the rest to anything."""

from __future__ import annotations

import random
from pathlib import Path

from tests.engine.servers import WORDS
from tests.lab.corpus.made import Page, write_warc

PAGES = 120


def url(number: int) -> str:
    return f"http://w.test/{number}.html"


def write_many_sites(folder: Path, hosts: int = 12, pages: int = 20, seed: int = 5) -> Path:
    """A corpus of many sites: each has pages on solar cells and others, and links to all sites. A site's pages are
    large, middling or small."""
    dice = random.Random(seed)
    names = [(host, number) for host in range(hosts) for number in range(pages)]
    recorded, rows = [], ["url,label"]
    for host, number in names:
        kind = "solar" if number % 2 == 0 else "bread"
        targets = [*dice.sample(names, 5), (host, (number + 1) % pages), ((host + 1) % hosts, number)]
        anchors = " ".join(f'<a href="http://h{site}.test/{page}">more</a>' for site, page in targets)
        unique = " ".join(f"{kind}{host}x{number}x{n}" for n in range(30))
        padding = f"<!-- {'x' * (0, 5_000, 60_000)[host % 3]} -->"
        url = f"http://h{host}.test/{number}"
        recorded.append(Page(url, f"<p>{WORDS[kind]}<p>{unique}<p>{anchors}{padding}".encode()))
        rows.append(f"{url},{'solar cells' if kind == 'solar' else 'bread'}")
    folder.mkdir(parents=True, exist_ok=True)
    write_warc(folder / "pages.warc.gz", recorded)
    (folder / "labels.csv").write_text("\n".join(rows) + "\n")
    return folder


def write_labelled(folder: Path, seed: int = 3, pages: int = PAGES, *, also: bool = False) -> Path:
    """A corpus: every third is about solar cells and says so. ``also``: half the pages of a kind have one more word."""
    dice = random.Random(seed)
    solar = list(range(0, pages, 3))
    recorded = []
    for number in range(pages):
        kind = "solar" if number % 3 == 0 else "bread"
        near = dice.sample(solar, 3) if kind == "solar" else []
        targets = [*near, *dice.sample(range(pages), 3), (number + 1) % pages]
        anchors = " ".join(f'<a href="{target}.html">page {target}</a>' for target in targets)
        unique = " ".join(f"{kind}{number}x{n}" for n in range(30)) + f" also{kind}" * (also and number % 2)
        away = '<a href="http://away.test/">away</a>' if number % 10 == 0 else ""
        recorded.append(
            Page(url(number), f"<title>{kind} {number}</title><p>{WORDS[kind]}<p>{unique}<p>{anchors}{away}".encode())
        )
    folder.mkdir(parents=True, exist_ok=True)
    write_warc(folder / "pages.warc.gz", recorded)
    rows = [f"{url(number)},{'solar cells' if number % 3 == 0 else 'bread'}" for number in range(pages)]
    (folder / "labels.csv").write_text("\n".join(["url,label", *rows, f"{url(1)},rare"]) + "\n")
    return folder


def with_people(folder: Path, pages: int = PAGES) -> Path:
    """Beside a corpus of these pages the log of eight people, who come back; four read of solar cells alone."""
    rows = ["time,user,url"]
    for day in range(4):
        for person in range(8):
            dice = random.Random(10 * day + person)
            read = dice.sample(range(0, pages, 3) if person % 2 else range(pages), 12)
            rows += [
                f"{1_700_000_000 + 86_400 * day + 60 * step},p{person},{url(one)}" for step, one in enumerate(read)
            ]
    (folder / "traces.csv").write_text("\n".join(rows) + "\n")
    return folder
