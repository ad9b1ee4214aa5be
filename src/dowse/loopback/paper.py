"""Documents made for the webs of this package: PDF, Word and RSS, as small as they can be, the same bytes each time."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

__all__ = ["Entry", "Section", "made_docx", "made_feed", "made_pdf", "zipped"]

Link = tuple[str, str]
"""Target and anchor."""
_PAGE = (595, 842)  # points: A4
_LEFT, _TOP, _LEADING, _SIZE = 60, 780, 16, 11
_WIDE = 92  # characters of a line
_LINES = 44  # of a page
_CHARACTER = 5.0  # points that a link's area has for each
_THEN = (1980, 1, 1, 0, 0, 0)
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, paragraphs, and links that stand below them."""

    heading: str
    paragraphs: Sequence[str] = ()
    links: Sequence[Link] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """One of a feed."""

    title: str
    link: str
    summary: str = ""


def made_pdf(title: str, sections: Sequence[Section], *, language: str = "en") -> bytes:
    """A PDF of one font, with a link annotation for each link."""
    pages = _pages(sections)
    objects: list[bytes] = []

    def add(text: str | bytes) -> int:
        objects.append(text if isinstance(text, bytes) else text.encode("latin-1", "replace"))
        return len(objects)

    catalog, tree = add(""), add("")
    font = add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    kids = []
    for lines in pages:
        marks, areas = ["BT", f"/F1 {_SIZE} Tf", f"{_LEFT} {_TOP} Td", f"{_LEADING} TL"], []
        for number, (text, target) in enumerate(lines):
            marks.append(f"({_escaped(text)}) Tj T*")
            if target:
                low = _TOP - number * _LEADING - 4
                areas.append(add(
                    f"<< /Type /Annot /Subtype /Link /Rect [{_LEFT} {low} {_LEFT + len(text) * _CHARACTER + 40:.0f} "
                    f"{low + _LEADING - 2}] /Border [0 0 0] /A << /S /URI /URI ({_escaped(target)}) >> >>"
                ))  # fmt: skip
        stream = "\n".join([*marks, "ET"]).encode("cp1252", "replace")
        content = add(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream))
        kids.append(add(
            f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 {_PAGE[0]} {_PAGE[1]}] /Contents {content} 0 R "
            f"/Resources << /Font << /F1 {font} 0 R >> >> /Annots [{' '.join(f'{area} 0 R' for area in areas)}] >>"
        ))  # fmt: skip
    about = add(f"<< /Title ({_escaped(title)}) >>")
    objects[catalog - 1] = f"<< /Type /Catalog /Pages {tree} 0 R /Lang ({language}) >>".encode()
    objects[tree - 1] = (
        f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] >>".encode()
    )
    return _numbered(objects, catalog, about)


def _pages(sections: Sequence[Section]) -> list[list[tuple[str, str]]]:
    """Lines of text, and where each leads."""
    lines: list[tuple[str, str]] = []
    for section in sections:
        lines.append((section.heading, ""))
        for paragraph in section.paragraphs:
            lines += [(line, "") for line in _wrapped(paragraph)]
        lines += [(anchor, target) for target, anchor in section.links]
    return [lines[start : start + _LINES] for start in range(0, len(lines), _LINES)] or [[]]


def _wrapped(text: str) -> list[str]:
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > _WIDE:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def _numbered(objects: Sequence[bytes], root: int, about: int) -> bytes:
    """A file of objects, and the table that tells where each begins."""
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, text in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, text)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R >>\n" % (len(objects) + 1, root, about)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


def zipped(files: Mapping[str, str | bytes], *, first: str = "") -> bytes:
    """A ZIP file; the one named ``first`` is not packed, as OpenDocument and EPUB have their type."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for name, text in files.items():
            info = zipfile.ZipInfo(name, _THEN)
            info.compress_type = zipfile.ZIP_STORED if name == first else zipfile.ZIP_DEFLATED
            package.writestr(info, text)
    return out.getvalue()


def made_docx(title: str, sections: Sequence[Section], *, language: str = "en") -> bytes:
    """A Word document: headings, paragraphs, hyperlinks."""
    targets: list[str] = []
    parts = []
    for section in sections:
        parts.append(_paragraph(_run(section.heading), style="Heading1"))
        parts += [_paragraph(_run(text)) for text in section.paragraphs]
        for target, anchor in section.links:
            targets.append(target)
            parts.append(_paragraph(f'<w:hyperlink r:id="rId{len(targets)}">{_run(anchor)}</w:hyperlink>'))
    links = "".join(
        f'<Relationship Id="rId{number}" Type="{_OFFICE}/hyperlink" Target={quoteattr(target)} TargetMode="External"/>'
        for number, target in enumerate(targets, 1)
    )
    return zipped({
        "[Content_Types].xml": _xml(
            f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
            'ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType='
            '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
        ),
        "_rels/.rels": _relations(
            f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/>'
        ),
        "docProps/core.xml": _xml(
            f'<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
            f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{escape(title)}</dc:title>'
            f"<dc:language>{language}</dc:language></cp:coreProperties>"
        ),
        "word/styles.xml": _xml(
            f'<w:styles xmlns:w="{_WORD}"><w:style w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>'
            "</w:styles>"
        ),
        "word/_rels/document.xml.rels": _relations(links),
        "word/document.xml": _xml(
            f'<w:document xmlns:w="{_WORD}" xmlns:r="{_OFFICE}"><w:body>{"".join(parts)}</w:body></w:document>'
        ),
    })  # fmt: skip


def _paragraph(content: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}{content}</w:p>"


def _run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def _relations(inner: str) -> str:
    return _xml(f'<Relationships xmlns="{_PACKAGE}/relationships">{inner}</Relationships>')


def _xml(text: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def made_feed(title: str, home: str, entries: Sequence[Entry], *, about: str = "", language: str = "en") -> bytes:
    """RSS 2.0."""
    items = "".join(
        f"<item><title>{escape(entry.title)}</title><link>{escape(entry.link)}</link>"
        f"<description>{escape(entry.summary)}</description></item>\n"
        for entry in entries
    )
    return _xml(
        f'<rss version="2.0"><channel><title>{escape(title)}</title><link>{escape(home)}</link>'
        f"<description>{escape(about)}</description><language>{language}</language>\n{items}</channel></rss>"
    ).encode()
