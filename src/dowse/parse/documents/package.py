"""ZIP files from strangers: what office files and EPUB are made of. No file inside is ever unpacked to the disk.

Limits hold for the whole package: files in it, bytes that come out of it, and how many come out of one that went in.
What is encrypted, or packed in a way that such files are not, is refused. A package within the package is not opened.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from urllib.parse import unquote

from dowse.model.xml_events import Named, Start, XmlRefused, local_name, read_events
from dowse.parse.documents.writer import Unreadable

__all__ = ["MOST_EXPANDED", "MOST_FILES", "Package", "nothing"]

MOST_FILES = 10_000
MOST_EXPANDED = 64_000_000  # bytes, of all files that are read of a package
_MOST_RATIO = 200  # bytes for one, beyond the first million: text packs ten times as small, sheets of zeros fifty times
_SURE = 1_000_000
_CHUNK = 1 << 18
_ENTRY = b"PK\x01\x02"
_ENCRYPTED = 0x1
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_MOST_ELEMENTS = 3_000_000
_DEEPEST = 256
_MOST_PIECES = 100
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError,
           UnicodeError, OverflowError)  # fmt: skip


class Package:
    """A package in memory. Every method may raise Unreadable."""

    def __init__(self, body: bytes) -> None:
        if body.count(_ENTRY) > MOST_FILES:  # before a table of contents is made of them
            raise Unreadable(f"there are more than {MOST_FILES:,} files in it")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
        except _BROKEN:
            raise Unreadable("it is damaged, or only a part of it came") from None
        self._left = MOST_EXPANDED

    def __contains__(self, name: str) -> bool:
        return name in self._zip.NameToInfo

    def read(self, name: str) -> bytes:
        """A file of the package; empty where there is none of this name."""
        info = self._zip.NameToInfo.get(name)
        if info is None:
            return b""
        if info.flag_bits & _ENCRYPTED:
            raise Unreadable("it is encrypted")
        if info.compress_type not in _PACKED:
            raise Unreadable("it is packed in a way that is not read")
        try:
            return self._unpacked(info)
        except _BROKEN:
            raise Unreadable(f"it is damaged: {name[:80]} cannot be unpacked") from None

    def _unpacked(self, info: zipfile.ZipInfo) -> bytes:
        most = max(_SURE, _MOST_RATIO * info.compress_size)
        pieces: list[bytes] = []
        size = 0
        with self._zip.open(info) as packed:
            while piece := packed.read(_CHUNK):
                pieces.append(piece)
                size += len(piece)
                self._left -= len(piece)
                if size > most:
                    raise Unreadable(f"{info.filename[:80]} unpacks to more than {_MOST_RATIO} times its size")
                if self._left < 0:
                    raise Unreadable(f"it unpacks to more than {MOST_EXPANDED // 1_000_000} MB")
        return b"".join(pieces)

    def events(self, name: str, start: Start, end: Named, text: Named) -> str:
        """The XML of a file, as events: names without their prefixes, in lower case; what is broken is read up to
        there. What was wrong with it, or ""."""
        body = self.read(name)
        if not body:
            return "it is not there"
        bounded = _Bounded(start, end)
        try:
            return read_events(body, bounded.start, bounded.end, text)
        except XmlRefused as refused:
            raise Unreadable(f"{name[:80]} is refused: {refused}") from None

    def text_of(self, name: str, *elements: str) -> dict[str, str]:
        """Of a small file: the text of the first element of each of these names."""
        found: dict[str, list[str]] = {}
        open_name = ""

        def start(element: str, _: dict[str, str]) -> None:
            nonlocal open_name
            open_name = element if element in elements and element not in found else ""
            if open_name:
                found[open_name] = []

        def text(data: str) -> None:
            if open_name and len(found[open_name]) < _MOST_PIECES:
                found[open_name].append(data)

        def end(_: str) -> None:
            nonlocal open_name
            open_name = ""

        self.events(name, start, end, text)
        return {element: "".join(pieces).strip() for element, pieces in found.items()}

    def links(self, part: str) -> dict[str, tuple[str, bool]]:
        """Of an Office part: the targets that it names, by their ids; is it outside of the package?"""
        folder, name = posixpath.split(part)
        found: dict[str, tuple[str, bool]] = {}

        def start(element: str, values: dict[str, str]) -> None:
            if element == "relationship" and "id" in values:
                target, outside = values.get("target", ""), values.get("targetmode", "").lower() == "external"
                found[values["id"]] = (target if outside else _inside(folder, target), outside)

        self.events(f"{folder}/_rels/{name}.rels".lstrip("/"), start, nothing, nothing)
        return found

    def by_type(self, part: str, kind: str) -> str:
        """Of an Office part: the first part that it names of a kind, as the last word of the kind's address."""
        folder, name = posixpath.split(part)
        found: list[str] = []

        def start(element: str, values: dict[str, str]) -> None:
            if element == "relationship" and values.get("type", "").rpartition("/")[2] == kind:
                found.append(_inside(folder, values.get("target", "")))

        self.events(f"{folder}/_rels/{name}.rels".lstrip("/"), start, nothing, nothing)
        return found[0] if found else ""


class _Bounded:
    """Passes on a number of elements, nested so deep, with plain names."""

    __slots__ = ("_depth", "_end", "_left", "_start")

    def __init__(self, start: Start, end: Named) -> None:
        self._start = start
        self._end = end
        self._left = _MOST_ELEMENTS
        self._depth = 0

    def start(self, name: str, values: dict[str, str]) -> None:
        self._left -= 1
        self._depth += 1
        if self._left < 0:
            raise Unreadable(f"it has more than {_MOST_ELEMENTS:,} elements")
        if self._depth > _DEEPEST:
            raise Unreadable("its elements are nested too deeply")
        self._start(local_name(name), _plain(values) if values else values)

    def end(self, name: str) -> None:
        self._depth -= 1
        self._end(local_name(name))


def _plain(values: dict[str, str]) -> dict[str, str]:
    """Attributes without their prefixes. One that has a prefix is there as ``r:id``, too: slides have an id of each
    kind."""
    found = {f"r:{local_name(key)}": value for key, value in values.items() if ":" in key}
    found |= {local_name(key): value for key, value in values.items() if ":" in key}
    return found | {key.lower(): value for key, value in values.items() if ":" not in key}


def _inside(folder: str, target: str) -> str:
    """The name of a part that another one refers to."""
    target = unquote(target.partition("#")[0])
    return posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")


def nothing(_: str) -> None:
    """An event that is not needed."""
