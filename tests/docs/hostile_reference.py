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
all of it on purpose: {len(TRIALS)} *trials*, each on a host of its own, each with an end that a crawl must bring it to.
Dowse's own tests crawl every one of them. You can try your settings, or another crawler, against it.

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

The first crawls all trials at once. That takes some 25 seconds, most of them for two waits of 10 seconds for servers
that never answer. The second compares how each URL ended with what the tables below say, and ends with exit code 1 if
one differs.

`hostile.toml` is a [topic file](topic-file.md) like any other. Change what you like in it (`limits.timeout`, the traps,
the strategy, the seeds), crawl into another folder, and check that one: trials whose seed you took out are left out.
The server must still run, and writes the file anew each time it starts; keep yours under another name.

The certificates are made on the fly, for which the server needs the extra `hostile`
(`pip install "dowse[hostile]"`).

## What it shows

- Nothing leaves the machine. The server listens on loopback only. Trials that lead to other private addresses must be
  refused before a connection is made: `network.allow_addresses` in `hostile.toml` lets in the server's own address and
  no other.
- Names such as `gzip-bomb.hostile.test` exist only in `network.resolve` of that file. `curl` can look at one, too, with
  the port that the server prints:

```text
curl --connect-to ::127.0.0.1:PORT http://short-body.hostile.test/
```

- Whoever sends a cookie gets a 403 from every trial: Dowse keeps none.
- `dns-rebinding` needs a DNS of its own, which no topic file can give: only Dowse's tests run it.
- Bombs are never built: the server sends one small block again and again, and stays small itself.

The tables give the outcome and the reason as they stand in [the records](schema.md); a `*` stands for anything, "cut"
is the column `truncated`. A path in front of an outcome means another URL of the same host.
"""
_TITLES = {
    "body": ("Bodies", "A usable prefix is kept and marked; what brings nothing fails after its repeats."),
    "floods": (
        "Floods",
        "A little that costs a lot. Whatever takes long is done beside the loop, and every byte from a socket counts.",
    ),
    "headers": ("Headers", "No header makes a crawl wait longer than `politeness.max_delay`, and no cookie is kept."),
    "redirects": (
        "Redirects",
        "At most `limits.max_redirects`, each a URL of its own that goes through scope, traps, robots.txt and the "
        "address guard.",
    ),
    "addresses": (
        "Addresses",
        "What counts is the address a connection really uses. TLS trials end at their robots.txt, which cannot be had.",
    ),
    "robots": ("robots.txt", "RFC 9309: what cannot be reached forbids everything, what is not there allows it."),
    "traps": ("Traps", "Endless sites end, and the other links of a page survive a broken one."),
    "lies": (
        "Lies",
        "Text is decoded as a browser would, duplicates are marked and not judged, and what a page says is text and "
        "nothing else. Text stuffed with the words of a topic is judged by its words: Dowse does not detect stuffing.",
    ),
    "honest": ("The neighbour", "A host that does nothing wrong, to see that it is not held up."),
}


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")


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
