from __future__ import annotations

import gzip
import time
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.model.url import canonical
from dowse.seeds import sitemaps
from dowse.seeds.sitemaps import read_sitemap

HERE = "https://example.org/maps/sitemap.xml"
URLSET = b"""<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
        xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <url>
    <loc> https://example.org/a?x=1&amp;y=2#top </loc>
    <lastmod>2024-05-01</lastmod>
    <image:image><image:loc>https://example.org/a.png</image:loc></image:image>
  </url>
  <url><loc><![CDATA[https://example.org/b]]></loc><lastmod>2024-05-01T12:00:00+02:00</lastmod></url>
  <url><loc>../c</loc><lastmod>yesterday</lastmod></url>
  <url><loc>https://example.org/b</loc></url>
  <url><loc>mailto:x@example.org</loc></url>
  <url></url>
</urlset>"""
RSS = b"""<rss version="2.0"><channel><link>https://example.org/</link>
<item><title>One</title><link>https://example.org/1</link><pubDate>Wed, 01 May 2024 10:00:00 GMT</pubDate></item>
<item><link>https://example.org/2</link><pubDate>never</pubDate></item></channel></rss>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://example.org/"/>
<entry><link rel="enclosure" href="https://example.org/1.mp3"/><link href="https://example.org/1"/>
<updated>2024-05-01T10:00:00Z</updated></entry></feed>"""
RDF = b"""<rdf:RDF xmlns:rdf="r" xmlns:dc="d"><channel><link>https://example.org/</link></channel>
<item><link>https://example.org/1</link><dc:date>2024-05-01T10:00:00Z</dc:date></item></rdf:RDF>"""
INDEX = b"""<sitemapindex><sitemap><loc>https://example.org/1.xml</loc><lastmod>2024</lastmod></sitemap>
<sitemap><loc>2.xml.gz</loc></sitemap></sitemapindex>"""
MAY_1 = 1714521600.0


def test_a_urlset_with_its_warts() -> None:
    sitemap = read_sitemap(URLSET, HERE)
    assert list(sitemap.pages.items()) == [
        ("https://example.org/a?x=1&y=2", MAY_1),
        ("https://example.org/b", MAY_1 + 10 * 3600),
        ("https://example.org/c", None),
    ]
    assert sitemap.children == ()
    assert sitemap.problems == ("2 entries are not web addresses",)


def test_prefixes_or_no_namespace_make_no_difference() -> None:
    bare = b"<urlset><url><loc>https://e.org/</loc></url></urlset>"
    prefixed = b'<s:urlset xmlns:s="x"><s:url><s:loc>https://e.org/</s:loc></s:url></s:urlset>'
    undeclared = b"<s:urlset><s:url><s:loc>https://e.org/</s:loc></s:url></s:urlset>"
    assert read_sitemap(bare, HERE) == read_sitemap(prefixed, HERE) == read_sitemap(undeclared, HERE)
    assert read_sitemap(bare, HERE).pages == {"https://e.org/": None}


def test_feeds_serve_as_sitemaps() -> None:
    dated = {"https://example.org/1": MAY_1 + 10 * 3600}
    assert read_sitemap(RSS, HERE).pages == {**dated, "https://example.org/2": None}
    assert read_sitemap(ATOM, HERE).pages == dated
    assert read_sitemap(RDF, HERE).pages == dated


def test_an_index_names_children() -> None:
    sitemap = read_sitemap(INDEX, HERE)
    assert sitemap.children == ("https://example.org/1.xml", "https://example.org/maps/2.xml.gz")
    assert not sitemap.pages
    assert not sitemap.problems


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_text_sitemap(encoding: str) -> None:
    text = "https://example.org/a\n\n  https://example.org/ä  \nnot an address\n"
    sitemap = read_sitemap(text.encode(encoding), HERE)
    assert list(sitemap.pages) == ["https://example.org/a", "https://example.org/%C3%A4"]
    assert sitemap.problems == ("1 entries are not web addresses",)


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1", "windows-1251"])
def test_other_encodings_of_xml(encoding: str) -> None:
    xml = f'<?xml version="1.0" encoding="{encoding}"?><urlset><url><loc>https://e.org/a</loc></url></urlset>'
    assert read_sitemap(xml.encode(encoding), HERE).pages == {"https://e.org/a": None}


@pytest.mark.parametrize("encoding", ["shift_jis", "no-such-thing"])
def test_an_encoding_nobody_reads_is_a_problem(encoding: str) -> None:
    xml = f'<?xml version="1.0" encoding="{encoding}"?><urlset></urlset>'.encode()
    (problem,) = read_sitemap(xml, HERE).problems
    assert "XML" in problem


def test_gzip_in_one_or_more_members_and_cut_short() -> None:
    whole = read_sitemap(URLSET, HERE)
    assert read_sitemap(gzip.compress(URLSET), HERE) == whole
    assert read_sitemap(gzip.compress(URLSET[:100]) + gzip.compress(URLSET[100:]), HERE) == whole
    lines = b"".join(b"https://example.org/%d\n" % (i * 7919 % 10007) for i in range(5000))
    packed = gzip.compress(lines)
    cut = read_sitemap(packed[: len(packed) // 2], HERE)
    assert 1000 < len(cut.pages) < 5000
    assert "gzip ends early" in cut.problems
    assert "broken gzip" in read_sitemap(packed[:40] + b"\xff" * 40, HERE).problems


def test_a_gzip_bomb_is_cut_at_the_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemaps, "MAX_BYTES", 1_000_000)
    bomb = gzip.compress(b"https://example.org/a\n" + b" " * 100_000_000, 1)
    tracemalloc.start()
    sitemap = read_sitemap(bomb, HERE)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sitemap.pages == {"https://example.org/a": None}
    assert sitemap.problems == ("cut at 1000000 bytes",)
    assert peak < 20_000_000


BOMB = b"""<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "https://e.org/"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><urlset><url><loc>&c;</loc></url></urlset>"""
EXTERNAL = b"""<!DOCTYPE urlset [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset><url><loc>&x;</loc></url></urlset>"""
PARAMETER = b"""<!DOCTYPE urlset [<!ENTITY % x SYSTEM "http://127.0.0.1/x.dtd"> %x;]><urlset/>"""


@pytest.mark.parametrize("xml", [BOMB, EXTERNAL, PARAMETER])
def test_entities_are_refused_not_expanded(xml: bytes) -> None:
    assert read_sitemap(xml, HERE) == sitemaps.Sitemap(problems=("refused: it declares an XML entity",))


def test_broken_xml_keeps_what_came_before() -> None:
    xml = b"<urlset><url><loc>https://e.org/a</loc></url><url><loc>https://e.org/b</loc></url><url><loc>https://e.org/"
    sitemap = read_sitemap(xml, HERE)
    assert list(sitemap.pages) == ["https://e.org/a", "https://e.org/b"]
    assert sitemap.problems[0].startswith("broken XML")


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (b"<!DOCTYPE html><html><body><a href='/x'>x</a></body></html>", "not a sitemap: its root is <html>"),
        (b"<urlset>" + b"<a>" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_sitemap_says_so(body: bytes, problem: str) -> None:
    assert read_sitemap(body, HERE) == sitemaps.Sitemap(problems=(problem,))


def test_a_file_ends_at_fifty_thousand_urls_and_is_fast() -> None:
    rows = b"".join(b"<url><loc>https://e.org/%d</loc></url>" % i for i in range(60_000))
    start = time.perf_counter()
    sitemap = read_sitemap(b"<urlset>" + rows + b"</urlset>", HERE)
    assert time.perf_counter() - start < 5
    assert len(sitemap.pages) == 50_000
    assert sitemap.problems == ("cut at 50000 entries",)


def hostile(kind: str) -> bytes:
    size = 20_000_000
    return {
        "lines": b"a\n" * (size // 2),
        "blank lines": b"x" + b"\n" * size,
        "elements": b"<urlset>" + b"<a/>" * (size // 4),
        "empty entries": b"<urlset>" + b"<url/>" * (size // 6),
        "one long tag": b"<urlset><url " + b"a" * size,
        "attributes": b"<urlset " + b"".join(b'a%d="" ' % n for n in range(1_000_000)),
        "one comment": b"<urlset><!--" + b"-" * size,
        "text": b"<urlset>" + b"x" * size,
        "members": gzip.compress(b"") * (size // 20),
        "members in a member": gzip.compress(gzip.compress(b"") * (size // 20)),
    }[kind]


@pytest.mark.parametrize(
    "kind",
    [
        "lines", "blank lines", "elements", "empty entries", "one long tag", "attributes", "one comment", "text",
        "members", "members in a member",
    ],
)  # fmt: skip
def test_no_file_takes_long_or_much_memory(kind: str) -> None:
    body = hostile(kind)
    began = time.process_time()
    sitemap = read_sitemap(body, HERE)
    assert time.process_time() - began < 4
    assert not sitemap.pages
    assert sitemap.problems
    if kind == "elements":
        return  # traced, a million of them take too long
    tracemalloc.start()
    read_sitemap(body, HERE)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200_000_000


def test_an_endless_address_costs_no_memory() -> None:
    xml = b"<urlset><url><loc>https://e.org/" + b"x" * 5_000_000 + b"</loc></url><url><loc>/y</loc></url></urlset>"
    assert list(read_sitemap(xml, HERE).pages) == ["https://example.org/y"]


def test_a_local_file_has_no_base_to_join_to() -> None:
    sitemap = read_sitemap(b"<urlset><url><loc>/x</loc></url><url><loc>https://e.org/</loc></url></urlset>", "map.xml")
    assert sitemap.pages == {"https://e.org/": None}


mutations = st.lists(st.tuples(st.integers(0, 2000), st.binary(max_size=6), st.integers(0, 40)), max_size=6)


@settings(max_examples=200)
@given(st.sampled_from([URLSET, RSS, ATOM, INDEX, BOMB, gzip.compress(URLSET)]), mutations)
def test_mutated_sitemaps_never_raise(body: bytes, changes: list[tuple[int, bytes, int]]) -> None:
    for place, new, cut in changes:
        place %= len(body) + 1
        body = body[:place] + new + body[place + cut :]
    sitemap = read_sitemap(body, HERE)
    for url in [*sitemap.pages, *sitemap.children]:
        assert canonical(url) == url


@given(st.text("0123456789-:TZ+ .WedMayGT,", max_size=30))
def test_any_date_is_a_number_or_nothing(text: str) -> None:
    xml = f"<urlset><url><loc>/a</loc><lastmod>{text}</lastmod></url></urlset>".encode()
    (changed,) = read_sitemap(xml, HERE).pages.values()
    assert changed is None or isinstance(changed, float)
