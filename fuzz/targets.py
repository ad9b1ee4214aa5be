"""What is fuzzed, and what must hold of each input."""

from __future__ import annotations

import asyncio
import math
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dowse.fetch import Decoder, read_robots
from dowse.fetch.faults import Malformed
from dowse.fetch.headers import read_head
from dowse.judge import check_predicate, load_category
from dowse.judge.category_file import save_category
from dowse.model.errors import TopicError, UserError
from dowse.model.http import NO_SECRETS, Response, Secrets, Truncation
from dowse.model.search import Results, Trouble
from dowse.model.topic import Topic
from dowse.model.topicfile import parse_topic
from dowse.model.url import Base, canonical, split
from dowse.parse import Unreadable, decode
from dowse.predict.learning import read_statistics, statistics_bytes
from dowse.seeds.answers import complaint_in
from dowse.seeds.engines import ENGINES
from dowse.seeds.query import read_query
from dowse.seeds.sitemaps import MAX_ENTRIES, read_sitemap
from dowse.traces import FORMATS, Pages
from dowse.traces.access import Access
from dowse.traces.readers import read_log
from fuzz import documents, objects, pages

__all__ = ["TARGETS", "Target"]

_URL = "https://www.example.org/a/b.html?c=d"
_TYPES = (
    "",
    "text/html",
    "text/html; charset=utf-8",
    "text/html; charset=shift_jis",
    "text/plain",
    "text/html;charset=",
)
_CODINGS = ("gzip", "deflate", "br", "zstd", "gzip, gzip", "br, gzip", "x-gzip, deflate, zstd", "utf-8", "")
_MOST_DECODED = 1_000_000


@dataclass(frozen=True, slots=True)
class Target:
    """``run`` raises what it ``declares``, or AssertionError where a promise is broken."""

    name: str
    run: Callable[[bytes], None]
    words: tuple[bytes, ...]  # that its language has
    declares: tuple[type[Exception], ...] = ()
    in_core: bool = False  # reads it with the compiled core
    long: bool = True  # may it be some hundred kilobytes? Not where they are the user's own, and the standard library's


def _charsets(data: bytes) -> None:
    text, name = decode(data, _TYPES[len(data) % len(_TYPES)])
    text.encode("utf-8")
    assert name == name.lower()
    assert name


def _robots(data: bytes) -> None:
    rules = read_robots(data)
    assert rules.delay_s is None or rules.delay_s >= 0
    for url in (_URL, "https://www.example.org/", "https://www.example.org/%zz?*$"):
        assert rules.allowed(url) in (True, False)


def _sitemaps(data: bytes) -> None:
    found = read_sitemap(data, "https://www.example.org/sitemap.xml")
    assert len(found.pages) + len(found.children) <= MAX_ENTRIES
    for url in (*found.pages, *found.children):
        assert canonical(url) == url, url


_ASKED = [
    made("key", base="https://search.example.org") if name == "brave" else made(base="https://search.example.org")
    for name, made in ENGINES.items()
    if name not in ("local", "file")
]


def _answers(data: bytes) -> None:
    """What a search engine answers, as each of them reads it; and the query it was asked with."""

    async def ask(url: str, *, secrets: Secrets = NO_SECRETS, also: Sequence[int] = ()) -> Response | Trouble:
        return Response(url, 200, (), data)

    query = read_query(data[:300].decode("utf-8", "replace") + " site:example.org")
    for engine in _ASKED:
        engine.say(query)
        for page in range(2):
            found = asyncio.run(engine.search(query, page, ask))
            assert isinstance(found, (Results, Trouble)), found
    assert len(complaint_in(Response("https://e.test/", 400, (), data)).splitlines()) <= 1


def _contents(data: bytes) -> None:
    coding = _CODINGS[len(data) % len(_CODINGS)]
    bodies = []
    for size in (len(data) or 1, 7):
        decoder = Decoder(coding, _MOST_DECODED)
        for start in range(0, min(len(data), 20_000), size):
            if not decoder.feed(data[start : min(start + size, 20_000)]):
                break
        body, truncated = decoder.finish()
        assert len(body) <= _MOST_DECODED
        bodies.append((body, truncated))
    (one, why), (other, why_other) = bodies
    if why is why_other is Truncation.NONE:
        assert one == other, "a body depends on how it arrives"


def _headers(data: bytes) -> None:
    try:
        head = read_head(data)
    except Malformed:
        return
    sent = "".join(f"{name}: {value}\r\n" for name, value in head.headers).encode()
    again = read_head(b"HTTP/1.1 200 OK\r\n" + sent + b"\r\n")
    assert (again.headers, again.length, again.is_chunked) == (head.headers, head.length, head.is_chunked)


def _urls(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape" if len(data) % 2 else "replace")
    for url in (canonical(text), Base(_URL).join(text)):
        if url is not None:
            assert canonical(url) == url, f"{url} is not canonical"
            assert split(url).host
            assert Base(url).join(url) == url


def _predicates(data: bytes) -> None:
    check_predicate(Topic(predicate=data.decode("utf-8", "replace")))


def _topics(data: bytes) -> None:
    parse_topic(data.decode("utf-8", "replace"), "fuzzed.toml")


def _categories(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "fuzzed.category.json"
        place.write_bytes(data)
        category = load_category(place)
        assert math.isfinite(category.likelihood(category.bias))
        save_category(category, place)
        again = load_category(place)
    assert again.terms == category.terms
    assert again.weights.tolist() == category.weights.tolist()


def _statistics(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "fuzzed.json"
        place.write_bytes(data)
        found = read_statistics(place)
        place.write_bytes(statistics_bytes(found))
        assert statistics_bytes(read_statistics(place)) == statistics_bytes(found)


def _logs(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "access.log"
        place.write_bytes(data)
        pages = Pages()
        for format in (None, *FORMATS):
            try:
                rows = list(read_log(place, b"https://www.example.org", format, lambda _: None))
            except UserError:
                continue
            for row in rows:
                if isinstance(row, Access):
                    assert 0 < row.at < 1 << 32
                    assert row.user
                    pages.judge(row)
        assert all(canonical(url) == url for url in pages.fresh.values())


def _split(words: bytes) -> tuple[bytes, ...]:
    return tuple(words.split())


_CHARSETS = (
    b"<meta charset=", b"<?xml encoding='", b"gb18030", b"euc-jp", b"utf-16", b"\x1b$B", b"\x1b(B", b"\x8e\xa1",
    b"\x81\x30\x81\x30", b"<!--", b"-->",
)  # fmt: skip
_ROBOTS = (
    *_split(b"User-agent: Disallow: Allow: Crawl-delay: Sitemap: * $ / dowse %2a %41 ?"),
    b"\n", b"\nDisallow: /a*b$", b"*a" * 50,
)  # fmt: skip
_SITEMAPS = _split(
    b"<urlset> </urlset> <url> </url> <loc> </loc> <sitemap> <lastmod> <!ENTITY &amp; &#0; <![CDATA[ ]]> https:// "
    b"2024-01-01 <?xml?> <!DOCTYPE"
)
_ANSWERS = (
    *_split(
        b'{ } [ ] "results": "url": "title": "hits": "query": "search": "pageid": "web": "message": "items": null 1 ,'
    ),
    *_split(
        b"<feed> </feed> <entry> <link href= <rss> <item> <!ENTITY <OpenSearchDescription> <Url template= OR -x site:"
    ),
)
_PACKED = (b"\x1f\x8b\x08\0\0\0\0\0\0\x03", b"\x28\xb5\x2f\xfd", b"\x78\x9c", b"\x0b", b"<html>")
_HEADERS = (
    *_split(b"Content-Length: Transfer-Encoding: chunked identity Content-Type: : ,"),
    b"\r\n", b"\n", b"\r\n\r\n", b"\r\n ", b"\t",
)  # fmt: skip
_URLS = _split(b"http:// https: // @ : [::1] .. ./ ../ %2e %00 \xc3\xa9 xn-- ? # & = utm_source= :80 0x7f.1")
_PREDICATES = _split(
    b"word( title( url.glob( url.regex( object( category( similarity erid words links language and or not ( ) == >= < "
    b"\"a\" 'b' 0.5 1e9"
)
_TOPICS = _split(
    b'query = keywords = [seeds] urls = [ ] "https://a.org/" [scope] [limits] [[a]] { } """ 10s 5GB true 1e400'
)
_CATEGORIES = _split(b'"terms": [ ] { } "weights" null 1e308 -0.0 "english" "threshold": "a",')
_STATISTICS = _split(b'"tokens": "words": "hosts": "mix": [ ] { } 1e308 null "features" -1,')

_LOGS = (
    *_split(b'1286536308.779 TCP_MISS/200 GET - text/html http://a.org/ [10/Oct/2000:13:55:36 "GET 200 time,user,url'),
    b"\n", b'\\"', b" -0700] ", b" - - ", b"PAR1", b"\x1f\x8b\x08\0\0\0\0\0\0\x03", b"\x28\xb5\x2f\xfd",
)  # fmt: skip

TARGETS = (
    Target("pages", pages.digests, pages.TAGS, (Unreadable,), in_core=True),
    Target("documents", documents.documents, documents.FORMATS),
    Target("parts", documents.parts, documents.MARKS),
    Target("objects", objects.objects, objects.MARKS),
    Target("wrappers", objects.wrappers, objects.TOML, (TopicError,), long=False),
    Target("bounds", pages.bounds, pages.TAGS, in_core=True),
    Target("words", pages.words, pages.LETTERS, in_core=True),
    Target("charsets", _charsets, _CHARSETS),
    Target("robots", _robots, _ROBOTS),
    Target("sitemaps", _sitemaps, _SITEMAPS),
    Target("answers", _answers, _ANSWERS),
    Target("contents", _contents, _PACKED),
    Target("headers", _headers, _HEADERS),
    Target("urls", _urls, _URLS),
    Target("predicates", _predicates, _PREDICATES, (TopicError,)),
    Target("topics", _topics, _TOPICS, (TopicError,), long=False),
    Target("categories", _categories, _CATEGORIES, (TopicError,)),
    Target("logs", _logs, _LOGS),
    Target("statistics", _statistics, _STATISTICS, (TopicError,)),
)
