"""Documents: whatever comes, they become a document that blocks and links can be told of, or one that says why not."""

from __future__ import annotations

from dowse.loopback.paper import zipped
from dowse.model.document_kinds import KINDS
from dowse.parse import Document, block_starts, detect_language, gather_links, mentions_of, parse_page
from dowse.parse.outline import FIRST_LINE

__all__ = ["FORMATS", "MARKS", "documents", "parts"]

_TYPES = (
    "", "text/html", "application/xml", "application/octet-stream", *(kind.types[0] for kind in KINDS),
)  # fmt: skip
_URL = "http://example.org/a/b"
FORMATS = (
    b"%PDF-1.7\n", b"1 0 obj\n<< /Type /Pages /Kids [2 0 R] /Count 9 >>\nendobj\n", b"endobj", b"stream\n",
    b"/Count 99", b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b"mimetype", b"<rss version='2.0'>", b"<feed>",
    b"<item>", b"</item>", b"<link>http://a.test/</link>", b"<entry>", b"<!DOCTYPE rss [", b"<![CDATA[<p>", b"]]>",
    b"&lt;a href=x&gt;",
    b'{"version": "https://jsonfeed.org/version/1", "items": [', b'{"url": "/a", "title": null}', b"# ", b"[a](b)",
    b"[a]: ", b"```", b"---\n", b"![", b"](", b"\n===\n",
)  # fmt: skip
MARKS = (
    b"<w:p>", b"</w:p>", b"<w:t>", b"</w:t>", b"<w:tbl>", b"</w:tbl>", b"<w:tr>", b"</w:tr>", b"<w:hyperlink r:id='a'>",
    b"</w:hyperlink>", b"<w:fldChar w:fldCharType='begin'/>", b"<w:fldChar w:fldCharType='end'/>", b"<w:instrText>",
    b"<w:del>", b"<row>", b"</row>", b"<c r='A1' t='s'>", b"<v>0</v>", b"</c>", b"<f>HYPERLINK(\"http://a.test/\")</f>",
    b"<hyperlink ref='A1' r:id='a'/>", b"<text:h text:outline-level='2'>", b"<text:a xlink:href='http://a.test/'>",
    b"</text:a>", b"<table:table>", b"</table:table>", b"<draw:page>", b"</draw:page>", b"<office:presentation>",
    b"<text:tracked-changes>", b"<a:p>", b"</a:p>", b"<a:t>", b"<a:r>", b"<p:sp>", b"<p:ph type='title'/>",
    b"<a:hlinkClick r:id='a'/>", b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&amp;", b"<itemref idref='a'/>",
    b"<item id='a' href='x.xhtml' media-type='text/html'/>",
)  # fmt: skip
_LINKS = (
    "<R xmlns='r'><Relationship Id='a' Target='http://a.test/x' TargetMode='External'/>"
    "<Relationship Id='b' Type='t/sharedStrings' Target='s.xml'/><Relationship Id='c' Target='main.xml'/></R>"
)
_SHARED = "<sst><si><t>shared</t></si></sst>"
_CONTAINER = "<c><rootfile full-path='a.opf'/></c>"


def _wrapped(part: bytes) -> dict[str, bytes]:
    """Packages with this as the part that matters."""
    return {
        "docx": zipped({"word/document.xml": part, "word/_rels/document.xml.rels": _LINKS}),
        "pptx": zipped({"ppt/presentation.xml": "<p><sldId r:id='c'/></p>", "ppt/_rels/presentation.xml.rels": _LINKS,
                        "ppt/main.xml": part, "ppt/_rels/main.xml.rels": _LINKS}),
        "xlsx": zipped({"xl/workbook.xml": "<w><sheet name='A' r:id='c'/></w>", "xl/_rels/workbook.xml.rels": _LINKS,
                        "xl/s.xml": _SHARED, "xl/main.xml": part, "xl/_rels/main.xml.rels": _LINKS}),
        "odt": zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": part}, first="mimetype"),
        "epub": zipped({"mimetype": "application/epub+zip", "META-INF/container.xml": _CONTAINER, "a.opf": part,
                        "x.xhtml": part}, first="mimetype"),
    }  # fmt: skip


def documents(data: bytes) -> None:
    """A body, declared as anything."""
    _check(parse_page(data, url=_URL, content_type=_TYPES[len(data) % len(_TYPES)]))


def parts(data: bytes) -> None:
    """The XML inside of packages."""
    for kind, body in _wrapped(data).items():
        document = parse_page(body, url=_URL, content_type="application/zip")
        assert document.kind == kind, f"{kind} is taken for {document.kind}"
        _check(document)


def _check(document: Document) -> None:
    assert not document.fault or not (document.visible or document.links), "what cannot be read says nothing else"
    assert "\0" not in document.raw_text or document.kind == "text"
    lines, outline = document.outline.lines, document.outline
    if document.kind not in ("html", "text") and not document.fault:
        assert document.raw_text.count("\n") + 1 + FIRST_LINE in (lines, lines + 1), "lines and outline disagree"
    assert all(0 <= link.paragraph < max(lines, 2) and 0 <= link.element < len(outline) for link in document.links)
    for parent, start, end in zip(outline.parents, outline.starts, outline.ends, strict=True):
        assert outline.starts[parent] <= start <= end <= outline.ends[parent], "an element is not in its parent"
    starts = block_starts(document)
    assert starts == sorted(set(starts))
    mentions_of(document, gather_links(document), starts)
    detect_language(document.opening(500), document.lang)
