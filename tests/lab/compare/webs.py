"""A small recorded web with labels, for comparisons: solar pages link to solar pages, the rest to anything."""

from __future__ import annotations

import random
from pathlib import Path

from tests.engine.servers import WORDS
from tests.lab.corpus.made import Page, write_warc

PAGES = 120


def url(number: int) -> str:
    return f"http://w.test/{number}.html"


def write_labelled(folder: Path, seed: int = 3, pages: int = PAGES) -> Path:
    """A corpus: every third is about solar cells and says so."""
    dice = random.Random(seed)
    solar = list(range(0, pages, 3))
    recorded = []
    for number in range(pages):
        kind = "solar" if number % 3 == 0 else "bread"
        near = dice.sample(solar, 3) if kind == "solar" else []
        targets = [*near, *dice.sample(range(pages), 3), (number + 1) % pages]
        anchors = " ".join(f'<a href="{target}.html">page {target}</a>' for target in targets)
        unique = " ".join(f"{kind}{number}x{n}" for n in range(30))
        away = '<a href="http://away.test/">away</a>' if number % 10 == 0 else ""
        recorded.append(
            Page(url(number), f"<title>{kind} {number}</title><p>{WORDS[kind]}<p>{unique}<p>{anchors}{away}".encode())
        )
    folder.mkdir(parents=True, exist_ok=True)
    write_warc(folder / "pages.warc.gz", recorded)
    rows = [f"{url(number)},{'solar cells' if number % 3 == 0 else 'bread'}" for number in range(pages)]
    (folder / "labels.csv").write_text("\n".join(["url,label", *rows, f"{url(1)},rare"]) + "\n")
    return folder
