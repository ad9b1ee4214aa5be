"""Word: paragraphs, headings, tables and links of a document, its footnotes and endnotes.

What its author deleted, comments, headers and footers are not read.
"""

from __future__ import annotations

import re

from dowse.parse.documents.package import Package, nothing
from dowse.parse.documents.writer import Target, Unreadable, Writer

__all__ = ["read_docx"]

_HEADING = re.compile(r"heading ?([1-6])$|^(title)$")
_FIELD = re.compile(r'^\s*HYPERLINK\s+"([^"]+)"', re.IGNORECASE)
_SKIPPED = frozenset(("fallback", "del", "movefrom", "instrtext", "deltext", "comment"))
_LONGEST_FIELD = 8_192


def read_docx(body: bytes, writer: Writer) -> None:
    """Write what a Word file says."""
    package = Package(body)
    main = package.by_type("", "officeDocument") or "word/document.xml"
    about = package.text_of("docProps/core.xml", "title", "language")
    writer.title = about.get("title", "")
    styles = _styles(package, package.by_type(main, "styles") or "word/styles.xml", writer)
    writer.language = about.get("language", "") or writer.language
    wrong = _Part(package, main, styles, writer).read()
    if wrong and writer.is_empty:
        raise Unreadable(f"its text cannot be read: {wrong}")
    for kind in ("footnotes", "endnotes"):
        part = package.by_type(main, kind)
        if part in package:
            _Part(package, part, styles, writer).read()


def _styles(package: Package, part: str, writer: Writer) -> dict[str, int]:
    """The level of each style that is one of headings; 0: the title's. The language of the text, on the way."""
    levels: dict[str, int] = {}
    style = ""

    def start(name: str, values: dict[str, str]) -> None:
        nonlocal style
        if name == "style":
            style = values.get("styleid", "")
        elif name == "name" and style:
            found = _HEADING.search(values.get("val", "").lower())
            if found is not None:
                levels[style] = int(found[1] or 0)
        elif name == "outlinelvl" and style and values.get("val", "").isdecimal():
            levels.setdefault(style, int(values["val"][:2]) + 1)
        elif name == "lang" and not writer.language:
            writer.language = values.get("val", "")

    package.events(part, start, nothing, nothing)
    return {style: level for style, level in levels.items() if level <= 6}


class _Part:
    """A part of the package that has paragraphs."""

    def __init__(self, package: Package, part: str, styles: dict[str, int], writer: Writer) -> None:
        self._package = package
        self._name = part
        self._styles = styles
        self._writer = writer
        self._targets = package.links(part)
        self._text: list[str] = []  # of the paragraph, or of the row of a table
        self._links: list[Target] = []
        self._link: tuple[str, int] | None = None  # where an open one leads, and where its text begins
        self._field = ""  # the instruction of an open field, being read
        self._fields: list[bool] = []  # open ones: is it a link?
        self._level: int | None = None
        self._tables = 0
        self._skipped = 0
        self._in_text = self._in_field = False

    def read(self) -> str:
        """What was wrong with it, or ""."""
        return self._package.events(self._name, self._start, self._end, self._data)

    def _start(self, name: str, values: dict[str, str]) -> None:
        if self._skipped or name in _SKIPPED:
            self._skipped += name in _SKIPPED
            self._in_field = name == "instrtext" and self._skipped == 1
        elif name == "t":
            self._in_text = True
        elif name in ("tab", "br", "cr", "tc"):
            self._text.append(" ")
        elif name == "nobreakhyphen":
            self._text.append("-")
        elif name == "pstyle":
            self._level = self._styles.get(values.get("val", ""), self._level)
        elif name == "outlinelvl" and values.get("val", "") in tuple("012345"):
            self._level = int(values["val"]) + 1
        elif name == "hyperlink":
            target, outside = self._targets.get(values.get("id", ""), ("", False))
            self._begin_link(target if outside else "")
        elif name == "fldsimple":
            found = _FIELD.match(values.get("instr", ""))
            self._begin_link(found[1] if found is not None else "")
        elif name == "fldchar":
            self._field_mark(values.get("fldchartype", ""))
        elif name == "tbl":
            self._tables += 1
            if self._tables == 1:
                self._writer.begin("table")

    def _end(self, name: str) -> None:
        if self._skipped:
            self._skipped -= name in _SKIPPED
            self._in_field = False
        elif name == "t":
            self._in_text = False
        elif name in ("hyperlink", "fldsimple"):
            self._end_link()
        elif name == "p":
            if self._tables:
                self._text.append(" ")
            else:
                self._flush()
        elif name == "tr" and self._tables == 1:
            self._flush()
        elif name == "tbl":
            self._tables -= 1
            if not self._tables:
                self._flush()
                self._writer.end()

    def _data(self, data: str) -> None:
        if self._in_text and not self._skipped:
            self._text.append(data)
        elif self._in_field and len(self._field) < _LONGEST_FIELD:
            self._field += data

    def _field_mark(self, kind: str) -> None:
        """A field is: begin, its instruction, separate, what is shown, end."""
        if kind == "begin":
            self._field = ""
            self._fields.append(False)
        elif kind == "separate" and self._fields:
            found = _FIELD.match(self._field)
            if found is not None and self._link is None:
                self._fields[-1] = True
                self._begin_link(found[1])
        elif kind == "end" and self._fields and self._fields.pop():
            self._end_link()

    def _begin_link(self, target: str) -> None:
        self._link = (target, len(self._text))

    def _end_link(self) -> None:
        if self._link is not None and self._link[0]:
            target, begin = self._link
            self._links.append((target, "".join(self._text[begin:])))
        self._link = None

    def _flush(self) -> None:
        """The paragraph ends, or the row."""
        text, links, level = "".join(self._text), self._links, self._level
        if self._link is not None:  # a field may go on in the next paragraph
            self._end_link()
        self._text, self._links, self._level = [], [], None
        if level is None or not text.strip():
            self._writer.line(text, links)
            return
        if level == 0:
            self._writer.title = self._writer.title or text
        self._writer.heading(level or 1, text, links)
