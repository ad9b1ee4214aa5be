"""Excel: the sheets of a workbook, in order, a line for each row that says something. Formulas count as what they came
to when the file was saved; hidden sheets are not read."""

from __future__ import annotations

import re

from dowse.parse.documents.package import Package, nothing
from dowse.parse.documents.writer import Target, Unreadable, Writer

__all__ = ["read_xlsx"]

_MOST_SHEETS = 500
_LONGEST_CELL = 32_767  # as Excel has it
_FORMULA = re.compile(r'HYPERLINK\(\s*"([^"]+)"', re.IGNORECASE)
_CELL = re.compile(r"\$?([A-Za-z]+)\$?(\d+)")


def read_xlsx(body: bytes, writer: Writer) -> None:
    """Write what a workbook says."""
    package = Package(body)
    main = package.by_type("", "officeDocument") or "xl/workbook.xml"
    about = package.text_of("docProps/core.xml", "title", "language")
    writer.title, writer.language = about.get("title", ""), about.get("language", "")
    sheets: list[tuple[str, str]] = []

    def start(name: str, values: dict[str, str]) -> None:
        if name == "sheet" and values.get("state", "visible") == "visible":
            sheets.append((values.get("name", ""), values.get("r:id", "")))

    wrong = package.events(main, start, nothing, nothing)
    if wrong and not sheets:
        raise Unreadable(f"its sheets cannot be read: {wrong}")
    writer.parts = len(sheets)
    targets = package.links(main)
    shared = _shared(package, package.by_type(main, "sharedStrings"))
    for name, id_ in sheets[:_MOST_SHEETS]:
        part = targets.get(id_, ("", True))[0]
        if part in package:
            writer.heading(2, name)
            _Sheet(package, part, shared, writer).read()


def _shared(package: Package, part: str) -> list[str]:
    """The texts that cells refer to by their numbers."""
    found: list[str] = []
    pieces: list[str] = []
    in_text = phonetic = False

    def start(name: str, _: dict[str, str]) -> None:
        nonlocal in_text, phonetic
        if name == "si":
            pieces.clear()
        phonetic = phonetic or name == "rph"
        in_text = name == "t" and not phonetic

    def end(name: str) -> None:
        nonlocal in_text, phonetic
        in_text = False
        if name == "rph":
            phonetic = False
        elif name == "si":
            found.append("".join(pieces)[:_LONGEST_CELL])

    def text(data: str) -> None:
        if in_text:
            pieces.append(data)

    if part in package:
        package.events(part, start, end, text)
    return found


class _Sheet:
    """One sheet, a table. Its links stand behind its rows, and name the cells they are of."""

    def __init__(self, package: Package, part: str, shared: list[str], writer: Writer) -> None:
        self._package = package
        self._part = part
        self._shared = shared
        self._writer = writer
        self._targets = package.links(part)
        self._cells: list[str] = []
        self._links: list[Target] = []
        self._places: dict[str, tuple[int, str]] = {}  # cell -> its line, and its text
        self._row: dict[str, str] = {}
        self._cell = self._type = self._formula = ""
        self._value: list[str] = []
        self._reading = ""
        self._element = 0

    def read(self) -> None:
        self._element = self._writer.begin("table")
        self._package.events(self._part, self._start, self._end, self._data)
        self._writer.end()

    def _start(self, name: str, values: dict[str, str]) -> None:
        if name == "c":
            self._cell, self._type = values.get("r", ""), values.get("t", "n")
            self._value, self._formula = [], ""
        elif name in ("v", "t", "f"):
            self._reading = name
        elif name == "hyperlink":
            target, outside = self._targets.get(values.get("r:id", ""), ("", False))
            found = _CELL.match(values.get("ref", ""))
            if outside and found is not None:
                line, text = self._places.get(f"{found[1].upper()}{found[2]}", (0, ""))
                if line:
                    self._writer.link(target, text or values.get("display", ""), line, self._element)

    def _data(self, data: str) -> None:
        if self._reading == "f":
            self._formula += data[: _LONGEST_CELL - len(self._formula)]
        elif self._reading:
            self._value.append(data)

    def _end(self, name: str) -> None:
        self._reading = ""
        if name == "c":
            text = self._text()
            found = _FORMULA.match(self._formula)
            if found is not None:
                self._links.append((found[1], text))
            if text:
                self._cells.append(text)
                self._row[self._cell] = text
        elif name == "row":
            if self._cells:
                line = self._writer.line("  ".join(self._cells), self._links)
                self._places.update((cell, (line, text)) for cell, text in self._row.items())
            self._cells, self._links, self._row = [], [], {}

    def _text(self) -> str:
        value = "".join(self._value)[:_LONGEST_CELL].strip()
        if self._type != "s":
            return "" if self._type in ("b", "e") else value
        number = int(value) if value.isdecimal() and len(value) < 10 else -1
        return self._shared[number] if 0 <= number < len(self._shared) else ""
