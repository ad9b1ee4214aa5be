"""robots.txt that is busy, late, elsewhere, enormous or no robots.txt at all."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

from dowse.loopback.hostile.trial import DOMAIN, End, Trial
from dowse.loopback.hostile.wire import Visit, document

__all__ = ["TRIALS"]

_RULES = b"User-agent: *\nDisallow: /private\n"


def _text(body: bytes) -> Callable[[Visit], Awaitable[None]]:
    async def answer(visit: Visit) -> None:
        await visit.reply(body, content_type="text/plain")

    return answer


def _status(status: str, *lines: str) -> Callable[[Visit], Awaitable[None]]:
    async def answer(visit: Visit) -> None:
        await visit.reply(b"", *lines, status=status)

    return answer


async def _never(visit: Visit) -> None:
    await asyncio.Event().wait()


async def _elsewhere(visit: Visit) -> None:
    """Six redirects before the rules."""
    hop = int(visit.target.rpartition("=")[2]) if "=" in visit.target else 0
    if hop < 6:
        await visit.redirect(f"/robots.txt?hop={hop + 1}")
    else:
        await visit.reply(b"User-agent: *\nDisallow: /\n", content_type="text/plain")


async def _html(visit: Visit) -> None:
    await visit.reply(b"<!doctype html><title>Home</title>\nUser-agent: *\nDisallow: /\n")


async def _ten_megabytes(visit: Visit) -> None:
    """A rule in the first line, and one behind 10 MB of comment."""
    comment = b"# " + b"x" * 97 + b"\n"
    size = len(_RULES) + 105_000 * len(comment)
    late = b"Disallow: /late\n"
    await visit.reply(_RULES, content_type="text/plain", length=size + len(late))
    for _ in range(105):
        await visit.send(comment * 1000)
    await visit.send(late)


def _trial(
    name: str, does: str, robots: Callable[[Visit], Awaitable[None]], *ends: tuple[str, str, str],
    links: tuple[str, ...] = (), events: tuple[tuple[str, str], ...] = (), by_clock: bool = False,
) -> Trial:  # fmt: skip
    """A host whose robots.txt misbehaves while its pages are plain; ``ends``: path, outcome, reason."""

    async def answer(visit: Visit) -> None:
        if visit.target.startswith("/robots.txt"):
            await robots(visit)
        else:
            await visit.reply(document(f"{name}{visit.target}", *(links if visit.target == "/" else ())))

    made = tuple(End(f"http://{name}.{DOMAIN}{path}", outcome, reason) for path, outcome, reason in ends)
    return Trial(name, "robots", does, answer, made, robots=True, events=events, by_clock=by_clock)


def _clipped(name: str, what: str) -> tuple[tuple[str, str], ...]:
    return (("delay clipped", f"http://{name}.{DOMAIN}: {what}"),)


_OPEN = ("/", "fetched", "")
_CLOSED = ("/private", "refused", "robots")
_GONE = "robots.txt unreachable: "
TRIALS = (
    _trial("robots-503", "robots.txt answers 503.", _status("503 Service Unavailable"),
           ("/", "refused", _GONE + "http 503")),
    _trial("robots-429", "robots.txt answers 429 and asks for a day.",
           _status("429 Too Many Requests", "Retry-After: 86400"), ("/", "refused", _GONE + "http 429"),
           events=_clipped("robots-429", "Retry-After")),
    _trial("robots-timeout", "robots.txt never comes.", _never, ("/", "refused", _GONE + "timeout: *"), by_clock=True),
    _trial("robots-six-redirects", "robots.txt is six redirects away.", _elsewhere, _OPEN),
    _trial("robots-html", "An HTML page in place of robots.txt.", _html, _OPEN),
    _trial("robots-10-mb", "10 MB of robots.txt, with a rule at its beginning and one at its end.", _ten_megabytes,
           _OPEN, _CLOSED, ("/late", "fetched", ""), links=("/private", "/late")),
    _trial("robots-bom-cr", "A byte order mark and CR line ends.",
           _text(b"\xef\xbb\xbf" + _RULES.replace(b"\n", b"\r")), _OPEN, _CLOSED, links=("/private",)),
    _trial("robots-crawl-delay", "Crawl-delay: 86400.", _text(b"User-agent: *\nCrawl-delay: 86400\n"), _OPEN,
           ("/next", "fetched", ""), links=("/next",), events=_clipped("robots-crawl-delay", "Crawl-delay")),
    _trial("robots-noise", "Binary noise in place of robots.txt.", _text(random.Random(9309).randbytes(20_000)),
           _OPEN),
    _trial("robots-longest-match", "A short rule with ? against a longer Allow.",
           _text(b"User-agent: *\nDisallow: /*?\nAllow: /abc\n"), _OPEN, ("/abc?x=1", "fetched", ""),
           ("/ab?x=1", "refused", "robots"), links=("/abc?x=1", "/ab?x=1")),
)  # fmt: skip
