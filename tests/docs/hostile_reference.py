"""Writes docs/hostile.md from the catalogue of trials: ``.venv/bin/python -m tests.docs.hostile_reference``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from dowse.loopback.hostile import GROUPS, TRIALS, Trial

__all__ = ["REGENERATE", "TARGET", "page"]

TARGET = Path(__file__).parents[2] / "docs" / "hostile.md"
REGENERATE = ".venv/bin/python -m tests.docs.hostile_reference"
_HEAD = f"""\
# The hostile web

<!-- Written by {REGENERATE}: change the trials, or that file. -->

Servers lie, hang, loop, and send more than anyone asked for. The hostile web is a server on your own machine that does
all of this on purpose. It has {len(TRIALS)} *trials*, each on a host of its own and with an expected outcome. Dowse's
own tests crawl every one of them. You can try your settings, or another crawler, against it.

## Try it

In one terminal:

```sh
dowse hostile serve
```

It lists the trials, writes `hostile.toml` into the folder you are in, and prints the two commands for another terminal:

```sh
dowse crawl hostile.toml --out hostile-crawl
dowse hostile check hostile-crawl
```

The first command crawls all trials at once. That takes some 25 seconds, mostly because it waits 10 seconds twice for
servers that never answer. The second compares how each URL ended with the tables below. It ends with exit code 1 if one
differs.

`hostile.toml` is a [topic file](topic-file.md) like any other. Change what you like in it (`limits.timeout`, the traps,
the strategy, the seeds), crawl into another folder, and check that one. The check leaves out trials whose seed you
removed. The server must still be running. It overwrites the file each time it starts, so save yours under another name.

The server makes its certificates on the fly. For that it needs the extra `hostile` (`pip install "dowse[hostile]"`).

## What it shows

- Nothing leaves the machine. The server listens on loopback only. A crawler must refuse the trials that lead to other
  private addresses before it connects: `network.allow_addresses` in `hostile.toml` allows only the server's own
  address.
- Names such as `gzip-bomb.hostile.test` exist only in `network.resolve` of that file. You can also look at one with
  `curl`, using the port that the server prints:

```text
curl --connect-to ::127.0.0.1:PORT http://short-body.hostile.test/
```

- Every trial answers a request that carries a cookie with 403, because Dowse keeps no cookies.
- `dns-rebinding` needs a DNS server of its own, which no topic file can provide. So only Dowse's tests run it.
- The server never builds a bomb in full: it sends one small block again and again, and stays small itself.

The tables give the outcome and the reason as in [the records](schema.md). A `*` stands for anything, and "cut" is the
column `truncated`. A path in front of an outcome means another URL of the same host.
"""
_TITLES = {
    "body": ("Bodies", "Dowse keeps and marks a usable prefix. A URL that brings nothing fails after its repeats."),
    "documents": (
        "Documents",
        "A document that cannot be read fails with a reason. PDF is read in a process of its own, whose end costs one"
        " PDF.",
    ),
    "floods": (
        "Floods",
        "A few bytes that cost a lot. Slow work is done outside the loop, and every byte from a socket counts.",
    ),
    "headers": ("Headers", "No header makes a crawl wait longer than `politeness.max_delay`, and no cookie is kept."),
    "redirects": (
        "Redirects",
        "Dowse follows at most `limits.max_redirects`. Each target is a URL of its own that must pass scope, traps, "
        "robots.txt and the address guard.",
    ),
    "addresses": (
        "Addresses",
        "What counts is the address a connection really uses. TLS trials end at their robots.txt: it is unreachable.",
    ),
    "robots": (
        "robots.txt",
        "RFC 9309: an unreachable robots.txt forbids everything, a missing one allows everything.",
    ),
    "traps": ("Traps", "Crawls of endless sites end, and one broken link does not spoil the others on its page."),
    "lies": (
        "Lies",
        "Dowse decodes text as a browser would. It marks duplicates and does not judge them. It treats what a page "
        "says as text and nothing else. Text stuffed with the words of a topic is judged by its words: Dowse does not "
        "detect stuffing.",
    ),
    "honest": ("The neighbour", "A host that does nothing wrong, to check that the others do not hold it up."),
}


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "\\<")


def _rows(trials: list[Trial]) -> Iterator[str]:
    yield "\n| trial | what it does | what must come of it |\n|---|---|---|\n"
    for trial in trials:
        yield f"| `{trial.name}` | {_cell(trial.does)} | {_cell(trial.expected)} |\n"


def page() -> str:
    """The whole page."""
    parts = [_HEAD]
    for group, trials in groupby(TRIALS, key=lambda trial: trial.group):
        title, rule = _TITLES[group]
        parts += [f"\n## {title}\n\n{rule}\n", *_rows(list(trials))]
    assert list(_TITLES) == list(GROUPS)
    return "".join(parts)


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
