"""PowerPoint: the slides of a presentation, in order, each with its title, text and links. Speakers' notes are not
read."""

from __future__ import annotations

from dowse.parse.documents.package import Package, nothing
from dowse.parse.documents.writer import Target, Unreadable, Writer

__all__ = ["read_pptx"]

_MOST_SLIDES = 2_000
_TITLES = ("title", "ctrtitle")
_NUMBERS = ("sldnum", "dt", "ftr")  # placeholders of what every slide repeats


def read_pptx(body: bytes, writer: Writer) -> None:
    """Write what a presentation says."""
    package = Package(body)
    main = package.by_type("", "officeDocument") or "ppt/presentation.xml"
    about = package.text_of("docProps/core.xml", "title", "language")
    writer.title, writer.language = about.get("title", ""), about.get("language", "")
    ids: list[str] = []

    def start(name: str, values: dict[str, str]) -> None:
        if name == "sldid":
            ids.append(values.get("r:id") or values.get("id", ""))

    wrong = package.events(main, start, nothing, nothing)
    if wrong and not ids:
        raise Unreadable(f"its slides cannot be read: {wrong}")
    targets = package.links(main)
    slides = [targets[id_][0] for id_ in ids if id_ in targets]
    writer.parts = len(slides)
    for slide in slides[:_MOST_SLIDES]:
        if slide in package:
            _Slide(package, slide, writer).read()


class _Slide:
    """One slide: its title becomes a heading, its other paragraphs a section."""

    def __init__(self, package: Package, part: str, writer: Writer) -> None:
        self._package = package
        self._part = part
        self._writer = writer
        self._targets = package.links(part)
        self._lines: list[tuple[str, list[Target]]] = []
        self._title: list[tuple[str, list[Target]]] = []
        self._text: list[str] = []
        self._links: list[Target] = []
        self._run: list[str] = []
        self._run_target = self._shape_target = ""
        self._placeholder = ""
        self._in_text = self._in_run = False
        self._rows = 0

    def read(self) -> None:
        self._package.events(self._part, self._start, self._end, self._data)
        for text, links in self._title:
            self._writer.heading(2, text, links)
        self._writer.section("section", self._lines)

    def _start(self, name: str, values: dict[str, str]) -> None:
        if name == "t":
            self._in_text = True
        elif name in ("sp", "pic", "graphicframe"):
            self._placeholder = self._shape_target = ""
        elif name == "ph":
            self._placeholder = values.get("type", "body").lower()
        elif name == "r":
            self._run, self._run_target, self._in_run = [], "", True
        elif name == "br":
            self._text.append(" ")
        elif name == "tr":
            self._rows += 1
        elif name in ("hlinkclick", "hlinkhover"):
            target, outside = self._targets.get(values.get("id", ""), ("", False))
            if outside and self._in_run:
                self._run_target = self._run_target or target
            elif outside:
                self._shape_target = target

    def _end(self, name: str) -> None:
        if name == "t":
            self._in_text = False
        elif name == "r":
            if self._run_target:
                self._links.append((self._run_target, "".join(self._run)))
            self._in_run = False
        elif name == "p":
            if self._rows:
                self._text.append(" ")
            else:
                self._flush()
        elif name == "tr":
            self._rows -= 1
            self._flush()
        elif name in ("sp", "pic") and self._shape_target:
            last = self._lines[-1][0] if self._lines and name == "sp" else ""
            self._lines.append(("", [(self._shape_target, last)]))
            self._shape_target = ""

    def _data(self, data: str) -> None:
        if self._in_text:
            self._text.append(data)
            self._run.append(data)

    def _flush(self) -> None:
        text, links = "".join(self._text), self._links
        self._text, self._links = [], []
        if (text.strip() or links) and self._placeholder not in _NUMBERS:
            (self._title if self._placeholder in _TITLES else self._lines).append((text, links))
