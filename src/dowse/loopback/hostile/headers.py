"""Headers beyond measure, headers that contradict each other, and waits no one would keep."""

from __future__ import annotations

from dowse.loopback.hostile.trial import DOMAIN, Answer, End, Trial
from dowse.loopback.hostile.wire import HTML, Visit, document, head

__all__ = ["TRIALS"]

_SUFFIX_TAKER = f"http://taker.cookie-for-a-suffix.{DOMAIN}/"


async def _ten_megabytes(visit: Visit) -> None:
    await visit.send(b"HTTP/1.1 200 OK\r\nX-Long: ")
    for _ in range(160):
        await visit.send(b"x" * 65_536)
    await visit.send(b"\r\n\r\nnever read")


async def _hundred_thousand(visit: Visit) -> None:
    await visit.send(b"HTTP/1.1 200 OK\r\n")
    for start in range(0, 100_000, 1000):
        await visit.send("".join(f"X-{number}: {number}\r\n" for number in range(start, start + 1000)).encode())
    await visit.send(b"\r\nnever read")


async def _two_lengths(visit: Visit) -> None:
    await visit.send(head(f"Content-Type: {HTML}", "Content-Length: 5", "Content-Length: 50"), b"x" * 50)


async def _length_and_chunks(visit: Visit) -> None:
    await visit.send(
        head(f"Content-Type: {HTML}", "Content-Length: 5", "Transfer-Encoding: chunked"), b"5\r\nhello\r\n"
    )
    await visit.send(b"0\r\n\r\n")


def _location(raw: bytes) -> Answer:
    """Redirects with these very bytes; whatever else it is asked for is a page."""

    async def answer(visit: Visit) -> None:
        if visit.target == "/":
            await visit.send(b"HTTP/1.1 302 Found\r\nLocation: " + raw + b"\r\nContent-Length: 0\r\n\r\n")
        else:
            await visit.reply(document(f"reached{visit.host.partition('.')[0]}"))

    return answer


async def _cookies(visit: Visit) -> None:
    """400 cookies of 500 bytes; a visitor who brings one back is turned away (as everywhere on this server)."""
    jar = [f"Set-Cookie: c{number}={'x' * 490}; Max-Age=99999999" for number in range(400)]
    await visit.reply(document(f"cookies{visit.target}", "/next"), *jar)


async def _suffix_cookie(visit: Visit) -> None:
    lines = [f"Set-Cookie: super=1; Domain={domain}" for domain in ("test", DOMAIN, f".cookie-for-a-suffix.{DOMAIN}")]
    await visit.reply(document(f"suffix{visit.host}", _SUFFIX_TAKER), *lines)


def _busy(status: str, retry_after: str) -> Answer:
    async def answer(visit: Visit) -> None:
        await visit.reply(b"Busy.\n", f"Retry-After: {retry_after}", status=status, content_type="text/plain")

    return answer


def _url(name: str, path: str = "/") -> str:
    return f"http://{name}.{DOMAIN}{path}"


def _trial(name: str, does: str, answer: Answer, *ends: End, events: tuple[tuple[str, str], ...] = ()) -> Trial:
    return Trial(name, "headers", does, answer, ends, events=events)


def _clipped(name: str) -> tuple[tuple[str, str], ...]:
    return (("delay clipped", f"http://{name}.{DOMAIN}: Retry-After"),)


TRIALS = (
    _trial("huge-header", "A header of 10 MB.", _ten_megabytes, End(_url("huge-header"), "failed", "protocol: *")),
    _trial("many-headers", "100,000 headers.", _hundred_thousand, End(_url("many-headers"), "failed", "protocol: *")),
    _trial("two-lengths", "Two Content-Length headers that differ.", _two_lengths,
           End(_url("two-lengths"), "failed", "protocol: *")),
    _trial("length-and-chunks", "Both a Content-Length and chunks.", _length_and_chunks,
           End(_url("length-and-chunks"), "fetched")),
    _trial("location-utf8", "A Location in raw UTF-8.", _location("/grün/太陽".encode()),
           End(_url("location-utf8"), "redirected", "redirect"),
           End(_url("location-utf8", "/gr%C3%BCn/%E5%A4%AA%E9%99%BD"), "fetched")),
    _trial("location-latin1", "A Location in raw Latin-1.", _location("/grün".encode("latin-1")),
           End(_url("location-latin1"), "redirected", "redirect"),
           End(_url("location-latin1", "/gr%C3%BCn"), "fetched")),
    _trial("location-newline", "A line break in the Location.", _location(b"/a\n/b"),
           End(_url("location-newline"), "failed", "protocol: *")),
    _trial("cookie-bomb", "400 cookies, and a 403 for any visitor that sends one back.", _cookies,
           End(_url("cookie-bomb"), "fetched"), End(_url("cookie-bomb", "/next"), "fetched")),
    _trial("cookie-for-a-suffix", "Cookies for whole domain suffixes, and a host below them.", _suffix_cookie,
           End(_url("cookie-for-a-suffix"), "fetched"), End(_SUFFIX_TAKER, "fetched")),
    _trial("retry-after-negative", "503, Retry-After: -5.", _busy("503 Service Unavailable", "-5"),
           End(_url("retry-after-negative"), "failed", "http 503")),
    _trial("retry-after-a-year", "429, Retry-After: 31536000.", _busy("429 Too Many Requests", "31536000"),
           End(_url("retry-after-a-year"), "failed", "http 429"), events=_clipped("retry-after-a-year")),
    _trial("retry-after-infinite", "429, Retry-After: 1e999.", _busy("429 Too Many Requests", "1e999"),
           End(_url("retry-after-infinite"), "failed", "http 429")),
    _trial("retry-after-malformed", "503, Retry-After: soon.", _busy("503 Service Unavailable", "soon"),
           End(_url("retry-after-malformed"), "failed", "http 503")),
)  # fmt: skip
