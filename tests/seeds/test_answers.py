from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.model.http import Response
from dowse.model.search import SearchResult, Trouble
from dowse.seeds.answers import XmlElement, complaint_in, items_of, plain_text, read_feed, read_json, read_xml, text_of


def response(body: bytes) -> Response:
    return Response("https://e.test/", 200, (("Content-Type", "text/html; charset=x"),), body)


ATOM = b"""<?xml version="1.0"?><a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry>
<a:title type="html">A &lt;b&gt;c</a:title>
<a:link rel="self" href="https://e.test/self"/><a:link href="https://e.test/page"/><a:content>text</a:content></a:entry>
<a:entry><a:id>https://e.test/id</a:id></a:entry><a:entry><a:title>nowhere</a:title></a:entry></a:feed>"""
RSS = b"<rss><channel><link>https://e.test/</link><item><title>T</title><link> https://e.test/1 </link></item>"
RSS += b"</channel></rss>"


def test_feeds_become_results() -> None:
    assert read_feed(response(ATOM)) == [
        SearchResult("https://e.test/page", "A c", "text"), SearchResult("https://e.test/id")
    ]  # fmt: skip
    assert read_feed(response(RSS)) == [SearchResult("https://e.test/1", "T")]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "no XML"),
        (b"<feed><entry>", "no XML"),
        (b"<html></html>", "its root is <html>"),
        (b'<!DOCTYPE feed [<!ENTITY x "y">]><feed>&x;</feed>', "declares an XML entity"),
        (b'<!DOCTYPE feed [<!ENTITY x SYSTEM "file:///etc/passwd">]><feed>&x;</feed>', "declares an XML entity"),
        (b"<feed>" + b"<a>" * 70 + b"</a>" * 70 + b"</feed>", "nests them too deeply"),
        (b"<feed>" + b"<a/>" * 100_001 + b"</feed>", "too many elements"),
        (b'<?xml version="1.0" encoding="x-none"?><feed/>', "no XML"),
    ],
)
def test_other_xml_is_a_trouble(body: bytes, message: str) -> None:
    found = read_feed(response(body))
    assert isinstance(found, Trouble)
    assert message in str(found)


@given(st.binary(max_size=400))
def test_any_bytes_are_a_value_or_a_trouble(body: bytes) -> None:
    read_json(response(body))
    assert isinstance(read_feed(response(body)), (list, Trouble))
    assert isinstance(read_xml(response(b"<feed>" + body + b"</feed>"), "feed"), (XmlElement, Trouble))


def test_long_texts_are_cut() -> None:
    assert len(plain_text("word " * 10_000)) == 2_000
    long = b"<rss><item><link>https://e.test/</link><title>" + b"x" * 10**6 + b"</title></item></rss>"
    found = read_feed(response(long))
    assert not isinstance(found, Trouble)
    assert len(found[0].title) == 2_000


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_values_of_any_shape_give_items_and_texts(value: object) -> None:
    items = items_of({"a": value}, "a")
    assert all(isinstance(item, dict) for item in items)
    assert isinstance(text_of({"a": value}, "b", "a"), str)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b'{"message": "no\\n<b>filter</b>"}', "no filter"),
        (b'{"error": {"code": 7, "message": "too long"}}', "too long"),
        (b'{"error": "Invalid", "message": ""}', "Invalid"),
        (b'{"error": {"error": {"message": "too deep"}}}', ""),
        (b'{"detail": [{"loc": 1}]}', ""),
        (b"<html>no", ""),
        (b"[" * 100_000, ""),
        (b'{"message": "%b"}' % (b"x" * 9_000), "x" * 160),
    ],
)
def test_a_service_may_say_what_is_wrong(body: bytes, told: str) -> None:
    assert complaint_in(response(body)) == told
