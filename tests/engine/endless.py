"""A web without end, in a process of its own: ``python -m tests.engine.endless`` prints its address, then serves.

Page n of a host has eight children of its own, named by words and so each of its own kind, and links to pages that are
known by then: its siblings' children, its parents, and the same number on other hosts. Everything follows from the
address, so that a page is the same whenever it is asked for.
"""

from __future__ import annotations

import random
import sys

from dowse.loopback import Ask, Resource, Site, Web, in_thread

HOSTS = [f"h{n}.test" for n in range(50)]
CHILDREN = 8
_LETTERS = "abcdefghij"
_WORDS = [f"{a}{b}{c}" for a in ("so", "pe", "ka", "ru", "mi") for b in ("lar", "rov", "ten", "dim") for c in "aeiou"]
_TOPIC = "perovskite solar cells reach high efficiency because the perovskite layer absorbs light"


def name(number: int) -> str:
    """A number as letters: no trap rule takes such pages for one pattern."""
    return "/article/" + "".join(_LETTERS[int(digit)] for digit in str(number))


def number_of(target: str) -> int:
    letters = target.removeprefix("/article/")
    return int("".join(str(_LETTERS.index(letter)) for letter in letters))


def page(ask: Ask) -> Resource | None:
    """The page at an address; None where no page links to."""
    try:
        number = number_of(ask.target)
    except ValueError:
        return None
    dice = random.Random(f"{ask.host}{number}")
    first = CHILDREN * number + 1
    parents = [number // CHILDREN ** (step + 1) for step in range(4)]
    links = [name(n) for n in (*range(first, first + CHILDREN), *range(max(0, first - 16), first), *parents)]
    links += [f"http://{host}{name(n)}" for host in dice.sample(HOSTS, 4) for n in (number, *parents[:2])]
    text = " ".join(dice.choices(_WORDS, k=150))
    anchors = " ".join(f'<a href="{link}">{dice.choice(_WORDS)}</a>' for link in links)
    about = _TOPIC if dice.random() < 0.4 else ""
    return Resource(
        f"<html><head><title>Page {number}</title></head><body><p>{about} {text}</p>{anchors}</body></html>".encode()
    )


def main() -> None:
    web = Web.of(*(Site(host, made={"/article/": page}) for host in HOSTS))
    with in_thread(web, keep_log=100) as server:
        sys.stdout.write(f"{server.address}\n")
        sys.stdout.flush()
        sys.stdin.read()  # until the one who started it closes the pipe, or dies


if __name__ == "__main__":
    main()
