"""robots.txt that is busy, late, elsewhere, enormous or no robots.txt at all."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import random
import zlib
from collections.abc import Awaitable, Callable

from dowse.loopback.hostile.trial import DOMAIN, End, Trial
from dowse.loopback.hostile.wire import Visit, document

__all__ = ["TRIALS"]

_RULES = b"User-agent: *\nDisallow: /private\n"
_FORBIDDEN = 190  # links: a few less than the topic's cap for a host


def _text(body: bytes, *lines: str) -> Callable[[Visit], Awaitable[None]]:
    async def answer(visit: Visit) -> None:
        await visit.reply(body, *lines, content_type="text/plain")

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
    await visit.reply(b"<!doctype html><title>Home</title>\n<p>User-agent: *\n<p>Disallow: /\n")


def _wildcards() -> bytes:
    """480 KB of rules, each of which takes as long to look for in a forbidden link as it can, and is not there."""
    rules = (b"Allow: /no/*" + b"a" * 20 + b"b" + b"a" * 20 + b"*%05d$\n" % number for number in range(8000))
    return b"User-agent: *\n" + b"".join(rules) + b"Disallow: /no/\n"


def _forbidden() -> tuple[str, ...]:
    """Links that differ in their letters, so that no cap on numbers keeps them out."""
    words = map("".join, itertools.product("abcdefghijklmnopqrstuvwxyz", repeat=2))
    return tuple(f"/no/{word}/{'a' * 1900}" for word in itertools.islice(words, _FORBIDDEN))


def _packed_in_nothing() -> bytes:
    """gzip that has 600 KB of empty blocks in front of the rules."""
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    start = packer.flush(zlib.Z_FULL_FLUSH)
    return start + b"\x00\x00\x00\xff\xff" * 120_000 + packer.compress(_RULES) + packer.flush()


def _packed(times: int) -> bytes:
    body = _RULES
    for _ in range(times):
        body = gzip.compress(body)
    return body


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
    refusals: tuple[tuple[str, int], ...] = (),
) -> Trial:  # fmt: skip
    """A host whose robots.txt misbehaves while its pages are plain; ``ends``: path, outcome, reason."""

    async def answer(visit: Visit) -> None:
        if visit.target.startswith("/robots.txt"):
            await robots(visit)
        else:
            await visit.reply(document(f"{name}{visit.target}", *(links if visit.target == "/" else ())))

    made = tuple(End(f"http://{name}.{DOMAIN}{path}", outcome, reason) for path, outcome, reason in ends)
    return Trial(name, "robots", does, answer, made, robots=True, events=events, by_clock=by_clock, refusals=refusals)


def _clipped(name: str, what: str) -> tuple[tuple[str, str], ...]:
    return (("delay clipped", f"http://{name}.{DOMAIN}: {what}"),)


_OPEN = ("/", "fetched", "")
_CLOSED = ("/private", "refused", "robots")
_GONE = "robots.txt unreachable: "
_CUT = ("/", "refused", _GONE + "http 200, cut: encoding")
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
    _trial("robots-bom-cr", "A byte order mark, and CR line ends.",
           _text(b"\xef\xbb\xbf" + _RULES.replace(b"\n", b"\r")), _OPEN, _CLOSED, links=("/private",)),
    _trial("robots-crawl-delay", "Crawl-delay: 86400.", _text(b"User-agent: *\nCrawl-delay: 86400\n"), _OPEN,
           ("/next", "fetched", ""), links=("/next",), events=_clipped("robots-crawl-delay", "Crawl-delay")),
    _trial("robots-noise", "Binary noise in place of robots.txt.", _text(random.Random(9309).randbytes(20_000)),
           _OPEN),
    _trial("robots-longest-match", "A short Disallow with ? against a longer Allow.",
           _text(b"User-agent: *\nDisallow: /*?\nAllow: /abc\n"), _OPEN, ("/abc?x=1", "fetched", ""),
           ("/ab?x=1", "refused", "robots"), links=("/abc?x=1", "/ab?x=1")),
    _trial("robots-blanks", "A letter and 480 KB of blanks in front of the rules.",
           _text(b"a" + b" " * 480_000 + b"\n" + _RULES), _OPEN, _CLOSED, links=("/private",)),
    _trial("robots-wildcards", f"480 KB of rules with wildcards, and {_FORBIDDEN} links of 2 KB that are forbidden.",
           _text(_wildcards()), _OPEN, links=_forbidden(),
           refusals=(("robots", _FORBIDDEN),)),
    _trial("robots-comment", "An HTML comment in front of the rules.", _text(b"<!-- -->\n" + _RULES), _OPEN, _CLOSED,
           links=("/private",)),
    _trial("robots-nul", "A NUL in front of the rules.", _text(b"#\0\n" + _RULES), _OPEN, _CLOSED, links=("/private",)),
    _trial("robots-broken-gzip", "Half of a gzipped robots.txt, with the right length.",
           _text(_packed(1)[:20], "Content-Encoding: gzip"), _CUT),
    _trial("robots-four-codings", "A robots.txt packed four times.",
           _text(_packed(4), "Content-Encoding: gzip, gzip, gzip, gzip"), _CUT),
    _trial("robots-empty-blocks", "600 KB of gzip that unpack to nothing, in front of the rules.",
           _text(_packed_in_nothing(), "Content-Encoding: gzip"), ("/", "refused", _GONE + "http 200, cut: length")),
)  # fmt: skip
