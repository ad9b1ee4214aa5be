"""A program of its own that reads PDF (the only module that knows the PDF library).

The library is C++, and what strangers wrote may crash it, hold it or fill its memory. So it runs in a process that
nobody misses: :mod:`dowse.parse.documents.pdf` starts it when the first PDF comes, hands it one at a time, and gives up
one that it does not come back from. It imports nothing of Dowse, so that it is there in a twentieth of a second.

In: eight bytes with the length of a PDF, and the PDF. Out: eight bytes with the length of an answer, and the answer in
JSON: ``{"fault": why}``, or title, language, how many pages there are, and of each that was read its text and its links
(address, anchor).
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import resource
import struct
import sys
import time
from typing import Any, BinaryIO

import pypdfium2 as pdfium
from pypdfium2 import raw

LENGTH = struct.Struct(">Q")
MOST_PAGES = 500
MOST_CHARACTERS = 4_000_000
MOST_MEMORY = 448 << 20  # the library alone takes 40 MB of it, a large page some tens more
CPU_S = 8.0  # a document that takes longer is read up to there
_HARD_CPU_S = 12.0  # and here a page that holds the library for good is left
_MOST_OF_PAGE = 400_000  # characters
_MOST_LINKS = 2_000  # of a page
_MOST_LOST = 20  # pages in a row that cannot be read: so the number of pages was a lie
_LONGEST_ADDRESS = 8_192
_BEHIND = "’”»›"  # an address that is written out: the library takes these for a part of it
_FAULTS = {
    raw.FPDF_ERR_FILE: "it cannot be opened",
    raw.FPDF_ERR_FORMAT: "it is damaged, or no PDF",
    raw.FPDF_ERR_PASSWORD: "it is encrypted",
    raw.FPDF_ERR_SECURITY: "it is encrypted in a way that is not read",
    raw.FPDF_ERR_PAGE: "its pages cannot be read",
}


def read_pdf(body: bytes) -> dict[str, Any]:
    """What a PDF says, as far as it can be read within the limits."""
    until = time.process_time() + CPU_S
    try:
        document = pdfium.PdfDocument(body)
    except pdfium.PdfiumError as error:
        return {"fault": _FAULTS.get(getattr(error, "err_code", None) or 0, "it is damaged, or no PDF")}
    with contextlib.closing(document):
        count = len(document)
        pages: list[dict[str, Any]] = []
        left, lost = MOST_CHARACTERS, 0
        for number in range(min(count, MOST_PAGES)):
            try:
                page = _page(document, number)
                lost = 0
            except pdfium.PdfiumError:
                page = {"text": "", "links": []}
                lost += 1
            pages.append(page)
            left -= len(page["text"])
            if left < 0 or lost >= _MOST_LOST or time.process_time() > until:
                break
        if lost == len(pages):
            return {"fault": "its pages cannot be read"}
        return {"title": _title(document), "language": _language(document), "count": count, "pages": pages}


def _page(document: pdfium.PdfDocument, number: int) -> dict[str, Any]:
    page = document[number]
    try:
        text = page.get_textpage()
        try:
            shown = text.get_text_range(0, min(text.count_chars(), _MOST_OF_PAGE)) if text.count_chars() else ""
            return {"text": shown, "links": [*_annotated(document, page, text), *_written(text)][:_MOST_LINKS]}
        finally:
            text.close()
    finally:
        page.close()


def _annotated(document: pdfium.PdfDocument, page: pdfium.PdfPage, text: pdfium.PdfTextPage) -> list[tuple[str, str]]:
    """Links that are areas of the page: the text that stands there is their anchor."""
    found: list[tuple[str, str]] = []
    place, link, area = ctypes.c_int(0), raw.FPDF_LINK(), raw.FS_RECTF()
    while len(found) < _MOST_LINKS and raw.FPDFLink_Enumerate(page, place, link):
        action = raw.FPDFLink_GetAction(link)
        if not action or raw.FPDFAction_GetType(action) != raw.PDFACTION_URI:
            continue
        size = raw.FPDFAction_GetURIPath(document, action, None, 0)
        if not 1 < size <= _LONGEST_ADDRESS:
            continue
        buffer = ctypes.create_string_buffer(size)
        raw.FPDFAction_GetURIPath(document, action, buffer, size)
        address = buffer.value.decode("utf-8", "replace")
        anchor = ""
        if raw.FPDFLink_GetAnnotRect(link, area):
            anchor = text.get_text_bounded(area.left, area.bottom, area.right, area.top)[:1_000]
        found.append((address, anchor))
    return found


def _written(text: pdfium.PdfTextPage) -> list[tuple[str, str]]:
    """Addresses that stand in the text."""
    links = raw.FPDFLink_LoadWebLinks(text)
    if not links:
        return []
    found = []
    try:
        for number in range(min(raw.FPDFLink_CountWebLinks(links), _MOST_LINKS)):
            size = raw.FPDFLink_GetURL(links, number, None, 0)
            if not 1 < size <= _LONGEST_ADDRESS:
                continue
            buffer = (ctypes.c_ushort * size)()
            raw.FPDFLink_GetURL(links, number, buffer, size)
            address = bytes(buffer).decode("utf-16-le", "replace").rstrip("\0" + _BEHIND)
            if not address.startswith("mailto:"):
                found.append((address, ""))
    finally:
        raw.FPDFLink_CloseWebLinks(links)
    return found


def _title(document: pdfium.PdfDocument) -> str:
    return str(document.get_metadata_value("Title"))[:1_000]


def _language(document: pdfium.PdfDocument) -> str:
    size = raw.FPDFCatalog_GetLanguage(document, None, 0)
    if not 2 < size <= 100:
        return ""
    buffer = (ctypes.c_ushort * (size // 2))()
    raw.FPDFCatalog_GetLanguage(document, buffer, size)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0")


def _limit_cpu() -> None:
    """The next document may take so much and no more: the system ends the process."""
    used = time.process_time()
    with contextlib.suppress(ValueError, OSError):
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (int(used + _HARD_CPU_S) + 1, hard))


def serve(asked: BinaryIO, told: BinaryIO) -> None:
    """Read what is sent until nothing more comes."""
    while len(head := asked.read(LENGTH.size)) == LENGTH.size:
        (size,) = LENGTH.unpack(head)
        body = asked.read(size)
        if len(body) < size:
            return
        _limit_cpu()
        try:
            found = read_pdf(body)
        except MemoryError:
            found = {"fault": "it takes too much memory"}
        except Exception as error:  # of the library, or of its binding
            found = {"fault": f"it cannot be read ({type(error).__name__})"}
        answer = json.dumps(found).encode("ascii")
        told.write(LENGTH.pack(len(answer)) + answer)
        told.flush()


if __name__ == "__main__":
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        serve(sys.stdin.buffer, sys.stdout.buffer)
