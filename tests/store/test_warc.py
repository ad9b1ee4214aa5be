from __future__ import annotations

import base64
import gzip
import hashlib
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from dowse.model.errors import StoreError
from dowse.model.http import Response, Truncation
from dowse.store.warc import compose, read_response, warcinfo
from tests.store.made import WALL, response, warc_records

FIELDS = {"via": "http://site.example/", "depth": 2, "score": 0.5, "relevant": True, "nothing": None, "list": [1, "é"]}


def back(tmp_path: Path, members: list[bytes]) -> list[Any]:
    path = tmp_path / "one.warc.gz"
    path.write_bytes(b"".join(members))
    return list(warc_records(path))


def test_three_linked_records_that_warcio_reads(tmp_path: Path) -> None:
    sent = response(3)
    request, answer, metadata = back(tmp_path, compose(sent, WALL, FIELDS))

    assert [record.rec_type for record in (request, answer, metadata)] == ["request", "response", "metadata"]
    assert answer.rec_headers.protocol == "WARC/1.1"
    for record in (request, answer, metadata):
        assert record.rec_headers["WARC-Target-URI"] == sent.url
        assert record.rec_headers["WARC-Date"] == "2023-11-14T22:13:20.250000Z"
    for record in (request, metadata):
        assert record.rec_headers["WARC-Concurrent-To"] == answer.rec_headers["WARC-Record-ID"]
    assert answer.rec_headers["WARC-IP-Address"] == "192.0.2.7"
    digest = base64.b32encode(hashlib.sha1(sent.body).digest()).decode()
    assert answer.rec_headers["WARC-Payload-Digest"] == f"sha1:{digest}"
    assert answer.rec_headers["WARC-Truncated"] is None
    assert answer.http_headers.statusline == "200 OK"
    assert answer.content == sent.body
    assert request.http_headers.statusline == "/page/3 HTTP/1.1"
    assert request.http_headers["Host"] == "site.example"
    assert request.http_headers["User-Agent"] == "Dowse"
    lines = metadata.content.decode().splitlines()
    assert lines == ["via: http://site.example/", "depth: 2", "score: 0.5", "relevant: true", 'list: [1, "é"]']


def test_each_record_is_one_gzip_member() -> None:
    for member in compose(response(6), WALL, FIELDS):
        whole = gzip.decompress(member)
        assert whole.startswith(b"WARC/1.1\r\n")
        assert whole.endswith(b"\r\n\r\n")


def test_the_same_exchange_gives_the_same_bytes_and_each_record_its_own_id(tmp_path: Path) -> None:
    members = compose(response(5), WALL, FIELDS)
    assert members == compose(pickle.loads(pickle.dumps(response(5))), WALL, dict(FIELDS))
    ids = {record.rec_headers["WARC-Record-ID"] for record in back(tmp_path, members + compose(response(5), WALL + 1))}
    assert len(ids) == 5
    assert all(id.startswith("<urn:uuid:") and len(id) == 47 for id in ids)


def test_wire_headers_are_renamed_and_the_length_made_true(tmp_path: Path) -> None:
    headers = (("content-encoding", "br"), ("Transfer-Encoding", "chunked"), ("Content-Length", "17"), ("ETag", '"x"'))
    _, answer = back(tmp_path, compose(response(4, headers=headers), WALL))
    assert answer.http_headers.headers == [
        ("X-Archive-Orig-content-encoding", "br"),
        ("X-Archive-Orig-Transfer-Encoding", "chunked"),
        ("X-Archive-Orig-Content-Length", "17"),
        ("ETag", '"x"'),
        ("Content-Length", str(len(answer.content))),
    ]


def test_a_true_length_stays_and_a_second_one_is_set_aside(tmp_path: Path) -> None:
    headers = (("Content-Length", "5"), ("Content-Length", "5"))
    _, answer = back(tmp_path, compose(response(4, headers=headers, body=b"12345"), WALL))
    assert answer.http_headers.headers == [("Content-Length", "5"), ("X-Archive-Orig-Content-Length", "5")]


@pytest.mark.parametrize(
    ("why", "told"),
    [("length", "length"), ("time", "time"), ("disconnect", "disconnect"), ("budget", "length"),
     ("encoding", "unspecified"), ("type", "unspecified")],
)  # fmt: skip
def test_truncation_is_told(tmp_path: Path, why: str, told: str) -> None:
    _, answer = back(tmp_path, compose(response(1, truncated=Truncation(why)), WALL))
    assert answer.rec_headers["WARC-Truncated"] == told


def test_every_truncation_has_a_word() -> None:
    for why in set(Truncation) - {Truncation.NONE}:
        assert b"WARC-Truncated: " in gzip.decompress(compose(response(1, truncated=why), WALL)[1])


def test_bytes_that_were_no_utf8_come_back_as_they_were(tmp_path: Path) -> None:
    value = b"caf\xe9 \xff".decode("utf-8", "surrogateescape")
    members = compose(response(1, headers=(("X-Name", value),)), WALL)
    assert b"X-Name: caf\xe9 \xff\r\n" in gzip.decompress(members[1])
    (tmp_path / "a").write_bytes(members[1])
    assert read_response(tmp_path, "a", 0)[0][0] == ("X-Name", value)


def test_no_value_can_start_a_line_of_its_own(tmp_path: Path) -> None:
    evil = "x\r\nContent-Length: 1\r\n\r\nWARC/1.1"
    sent = response(1, url="http://site.example/a\r\nWARC-Type: warcinfo", reason=evil, address=evil, method=evil,
                    headers=((evil, evil), ("", ""), ("Set-Cookie", evil)), request_headers=((evil,) * 2,))  # fmt: skip
    request, answer, metadata = back(tmp_path, compose(sent, WALL, {evil: evil}))
    assert answer.content == sent.body
    assert answer.rec_headers["WARC-Target-URI"] == "http://site.example/a%0D%0AWARC-Type:%20warcinfo"
    assert answer.http_headers["Set-Cookie"] == "x Content-Length: 1 WARC/1.1"
    assert answer.http_headers["Content-Length"] == str(len(sent.body))
    assert request.content == b""
    assert len(metadata.content.splitlines()) == 1


def test_an_empty_body_and_no_reason(tmp_path: Path) -> None:
    _, answer = back(tmp_path, compose(response(1, status=304, reason="", body=b"", headers=()), WALL))
    assert (answer.http_headers.get_statuscode(), answer.content) == ("304", b"")


def test_warcinfo(tmp_path: Path) -> None:
    [info] = back(tmp_path, [warcinfo("dowse-00000.warc.gz", WALL, {"software": "dowse/1", "robots": "obey"})])
    assert info.rec_type == "warcinfo"
    assert info.rec_headers["WARC-Filename"] == "dowse-00000.warc.gz"
    assert info.content == b"software: dowse/1\r\nrobots: obey\r\n"


TOKEN = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
WIRE = ("content-length", "content-encoding", "transfer-encoding")


def literal_name(name: str) -> str:
    return "".join(char if char in TOKEN else "_" for char in name) or "_"


def literal_value(value: str) -> str:
    kept, gap = "", False
    for char in value:
        control = (ord(char) < 0x20 and char != "\t") or ord(char) == 0x7F
        kept += " " if control and not gap else "" if control else char
        gap = control
    return kept.strip()


header_text = st.text(st.characters(codec="utf-8"), max_size=30)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(header_text.filter(lambda name: name.strip().lower() not in WIRE), header_text), max_size=8),
    st.binary(max_size=6000),
    st.integers(100, 599),
)
def test_any_headers_survive(tmp_path_factory: pytest.TempPathFactory, headers: list[tuple[str, str]], content: bytes,
                             status: int) -> None:  # fmt: skip
    folder = tmp_path_factory.mktemp("warc")
    members = compose(Response("http://a.example/", status, tuple(headers), content), WALL)
    _, answer = back(folder, members)
    expected = [(literal_name(name), literal_value(value)) for name, value in headers]
    assert answer.content == content
    assert answer.http_headers.get_statuscode() == str(status)
    assert [(name, value.strip()) for name, value in answer.http_headers.headers[:-1]] == expected
    assert answer.http_headers.headers[-1] == ("Content-Length", str(len(content)))
    ours, ours_content = read_response(folder, "one.warc.gz", len(members[0]))
    assert [*ours] == [*expected, ("Content-Length", str(len(content)))]
    assert ours_content == content


def test_reading_where_no_response_lies(tmp_path: Path) -> None:
    members = compose(response(1), WALL)
    (tmp_path / "a.warc.gz").write_bytes(b"".join(members)[:-9])
    with pytest.raises(StoreError, match="no response at byte 0"):
        read_response(tmp_path, "a.warc.gz", 0)  # the request
    with pytest.raises(StoreError, match="no response at byte 5"):
        read_response(tmp_path, "a.warc.gz", 5)
    with pytest.raises(StoreError, match="changed or cut"):
        read_response(tmp_path, "a.warc.gz", len(members[0]))
    with pytest.raises(StoreError, match="cannot read"):
        read_response(tmp_path, "b.warc.gz", 0)


def test_warcio_finds_every_digest_right(tmp_path: Path) -> None:
    path = tmp_path / "one.warc.gz"
    whole = [warcinfo(path.name, WALL, {"software": "dowse"}), *compose(response(3), WALL, FIELDS)]
    path.write_bytes(b"".join(whole))
    with path.open("rb") as stream:
        for record in ArchiveIterator(stream, check_digests=True):
            record.content_stream().read()
            assert record.rec_headers["WARC-Block-Digest"].startswith("sha1:")
            assert record.digest_checker.passed, record.digest_checker.problems
    torn = gzip.decompress(path.read_bytes()).replace(b"depth: 2", b"depth: 3")
    path.write_bytes(torn)
    with path.open("rb") as stream:
        checks = [
            (record.content_stream().read(), record.digest_checker.passed)
            for record in ArchiveIterator(stream, check_digests=True)
        ]
    assert [passed for _, passed in checks] == [True, True, True, False], "that of the metadata"
