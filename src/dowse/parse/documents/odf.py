"""OpenDocument: texts, presentations and spreadsheets, which have one XML for all three. Comments, notes, and what was
deleted are not read."""

from __future__ import annotations

from dowse.parse.documents.package import Package, nothing
from dowse.parse.documents.writer import Target, Unreadable, Writer

__all__ = ["read_odf"]

_SKIPPED = frozenset((
    "annotation", "tracked-changes", "notes", "note-citation", "table-of-content", "alphabetical-index", "bibliography",
    "forms", "header", "footer",
))  # fmt: skip
_BLANK = frozenset(("tab", "line-break", "s", "table-cell"))


def read_odf(body: bytes, writer: Writer) -> None:
    """Write what an OpenDocument file says."""
    package = Package(body)
    if b"encryption-data" in package.read("META-INF/manifest.xml")[:1_000_000]:
        raise Unreadable("it is encrypted")
    about = package.text_of("meta.xml", "title", "language")
    writer.title, writer.language = about.get("title", ""), about.get("language", "") or _language(package)
    wrong = _Content(writer).read(package)
    if wrong and writer.is_empty:
        raise Unreadable(f"its text cannot be read: {wrong}")


def _language(package: Package) -> str:
    """That of the default style."""
    found: list[str] = []

    def start(name: str, values: dict[str, str]) -> None:
        if name == "text-properties" and not found and values.get("language", "none") != "none":
            found.append(values["language"])

    package.events("styles.xml", start, nothing, nothing)
    return found[0] if found else ""


class _Content:
    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._text: list[str] = []
        self._links: list[Target] = []
        self._open: list[tuple[str, int]] = []  # links: where they lead, and where their text begins
        self._level = 0
        self._tables = self._skipped = self._paragraphs = 0
        self._deck = self._book = False  # is it a presentation, or a spreadsheet?

    def read(self, package: Package) -> str:
        """What was wrong with it, or ""."""
        return package.events("content.xml", self._start, self._end, self._data)

    def _start(self, name: str, values: dict[str, str]) -> None:
        if self._skipped or name in _SKIPPED:
            self._skipped += name in _SKIPPED
        elif name in ("p", "h"):
            self._paragraphs += 1
            level = values.get("outline-level", "1")
            self._level = int(level[:2]) if name == "h" and level[:2].isdecimal() else 0
        elif name in _BLANK:
            self._text.append(" ")
        elif name == "a":
            self._open.append((values.get("href", ""), len(self._text)))
        elif name in ("presentation", "spreadsheet"):
            self._deck, self._book = name == "presentation", name == "spreadsheet"
        elif name == "page" and self._deck:
            self._writer.parts += 1
            self._writer.begin("section")
        elif name == "table":
            self._tables += 1
            if self._tables == 1:
                if self._book:
                    self._writer.parts += 1
                    self._writer.heading(2, values.get("name", ""))
                self._writer.begin("table")

    def _end(self, name: str) -> None:
        if self._skipped:
            self._skipped -= name in _SKIPPED
        elif name in ("p", "h"):
            self._paragraphs -= 1
            if self._tables:
                self._text.append(" ")
            else:
                self._flush()
        elif name == "a" and self._open:
            target, begin = self._open.pop()
            if not target.startswith(("#", "../")):
                self._links.append((target, "".join(self._text[begin:])))
        elif name == "table-row" and self._tables == 1:
            self._flush()
        elif name == "table":
            self._tables -= 1
            if not self._tables:
                self._flush()
                self._writer.end()
        elif name == "page" and self._deck:
            self._writer.end()

    def _data(self, data: str) -> None:
        if self._paragraphs and not self._skipped:
            self._text.append(data)

    def _flush(self) -> None:
        text, links, level = "".join(self._text), self._links, self._level
        self._text, self._links, self._level = [], [], 0
        if level and text.strip():
            self._writer.heading(level, text, links)
        else:
            self._writer.line(text, links)
