from __future__ import annotations

import gzip
import zlib

import pytest

from dowse.engine.exchange.recorded_exchange import read_response, target_of
from dowse.model.http import Truncation
from dowse.store.warc_records import Record

URL = "http://odd.test/"


def record(block: bytes, kind: str = "response", **headers: str) -> Record:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Record({"warc-type": kind, "warc-target-uri": URL, **named}, block, 0, 0)


def http(body: bytes, *headers: str, status: str = "HTTP/1.1 200 OK") -> bytes:
    return "\r\n".join([status, *headers]).encode() + b"\r\n\r\n" + body


def chunked(body: bytes, size: int) -> bytes:
    parts = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join(b"%x;ext=1\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\nTrailer: x\r\n\r\n"


CHUNKED = "Transfer-Encoding: chunked"
GZIPPED, DEFLATED = gzip.compress(b"x" * 999, mtime=0), zlib.compress(b"x" * 999)


@pytest.mark.parametrize(
    ("block", "body", "wire_bytes"),
    [
        (http(b"plain"), b"plain", 5),
        (http(b"plain", "Content-Length: 5"), b"plain", 5),
        (http(chunked(b"abcdefghij", 4), CHUNKED), b"abcdefghij", 10),
        (http(chunked(b"abcdefghij", 4)[:20], CHUNKED), b"abcd", 4),
        (http(b"0\r\n\r\n", CHUNKED), b"", 0),
        (http(b"<p>not in chunks", CHUNKED), b"<p>not in chunks", 16),
        (http(b"dad\nis not in chunks, as his first word might be" + b"!" * 3500, CHUNKED), None, 3548),
        (http(GZIPPED, "Content-Encoding: gzip"), b"x" * 999, len(GZIPPED)),
        (http(chunked(DEFLATED, 7), CHUNKED, "Content-Encoding: deflate"), b"x" * 999, len(DEFLATED)),
        (http(b"<p>unpacked already", "Content-Encoding: gzip", "Content-Length: 7"), b"<p>unpacked already", 7),
        (http(b"by Dowse", "X-Archive-Orig-Content-Length: 4", "Content-Length: 8"), b"by Dowse", 4),
        (http(b"odd length", "Content-Length: ten"), b"odd length", 10),
        (b"HTTP/1.0 200\nA: b\n\nold", b"old", 3),
        (b"HTTP/1.1 200 OK\r\nA: b", b"", 0),
    ],
)
def test_bodies_are_what_a_crawler_gets(block: bytes, body: bytes | None, wire_bytes: int) -> None:
    response = read_response(record(block), URL)
    assert response is not None
    assert response.body == (block.partition(b"\r\n\r\n")[2] if body is None else body)
    assert response.wire_bytes == wire_bytes
    assert response.truncated is Truncation.NONE


def test_status_and_headers() -> None:
    block = http(b"", "A: 1", "B: two\r\n  lines", "a:3", "no colon", "C: \u00e9", status="HTTP/2 404")
    response = read_response(record(block, warc_ip_address="192.0.2.1"), URL)
    assert response is not None
    assert (response.status, response.reason, response.address) == (404, "", "192.0.2.1")
    assert response.headers == (("A", "1"), ("B", "two lines"), ("a", "3"), ("C", "\u00e9"))


def test_truncated_records_say_so_and_count_what_is_there() -> None:
    cut = record(http(b"half", "Content-Length: 9"), warc_truncated="time")
    response = read_response(cut, URL)
    assert response is not None
    assert (response.truncated, response.wire_bytes) == (Truncation.TIME, 4)
    response = read_response(record(http(gzip.compress(b"word " * 999)[:-9], "Content-Encoding: gzip")), URL)
    assert response is not None
    assert response.truncated is Truncation.ENCODING


def test_a_resource_is_an_answer_and_a_revisit_has_the_body_of_its_original() -> None:
    resource = read_response(record(b"<p>", "resource", content_type="text/html"), URL)
    assert resource is not None
    assert (resource.status, resource.header("content-type"), resource.body) == (200, "text/html", b"<p>")
    revisit = record(http(b"", "Content-Type: text/html", "Content-Length: 5"), "revisit")
    original = record(http(b"first", "X: y"))
    response = read_response(revisit, URL, original)
    assert response is not None
    assert (response.body, response.headers) == (b"first", (("Content-Type", "text/html"), ("Content-Length", "5")))
    assert read_response(revisit, URL) is None
    assert read_response(record(b"no http at all"), URL) is None


def test_addresses_are_canonical() -> None:
    def of(target: str) -> str | None:
        return target_of(Record({"warc-target-uri": target}, b"", 0, 0))

    assert of("<http://Odd.test:80/a#b>") == "http://odd.test/a"
    assert of("metadata://gnu.org/software/wget/warc/wget.log") is None
    assert of("dns:odd.test") is None
    assert of("") is None
