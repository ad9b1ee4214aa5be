"""PDF: its text page by page, its links, title and language.

The library that reads it has a process of its own (:mod:`dowse.parse.documents.pdf_process`), one for each process that
reads documents, from the first PDF on. So a PDF that crashes it, or takes too long or too much memory, costs that PDF
and nothing else, wherever it is read: in a worker of a crawl, in the crawler's own process, in the lab.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from dowse.parse.documents.pdf_lines import paragraphs, place_of
from dowse.parse.documents.writer import Target, Unreadable, Writer

__all__ = ["read_pdf"]

_PROGRAM = Path(__file__).with_name("pdf_process.py")
_HEAD = 8
_PATIENCE_S = 30.0  # by the clock, for one PDF: its own limit, of CPU time, is lower
_MOST_ANSWER = 64_000_000
_NO_TITLE = re.compile(
    r"(?:microsoft \w+ - .*|untitled.*|.*\.(?:docx?|tex|dvi|indd|qxd|pdf|rtf|pptx?|xlsx?|odt))$", re.I
)


def read_pdf(body: bytes, writer: Writer) -> None:
    """Write what a PDF says."""
    found = _reader().read(body)
    if "fault" in found:
        raise Unreadable(found["fault"])
    title = " ".join(found["title"].split())
    writer.title = "" if _NO_TITLE.match(title) else title
    writer.language = found["language"]
    writer.parts = found["count"]
    for page in found["pages"]:
        _write_page(page["text"], page["links"], writer)


def _write_page(text: str, links: list[list[str]], writer: Writer) -> None:
    """A page is an element, its paragraphs are lines. A link is on the first line that has its anchor's words."""
    lines = paragraphs(text)
    of_line: dict[int, list[Target]] = {}
    seen: set[str] = set()
    for address, anchor in links:
        anchor = " ".join(anchor.split())
        if not anchor and address in seen:
            continue  # written out where a link is already
        seen.add(address)
        of_line.setdefault(place_of(anchor or address, lines), []).append((address, anchor or address))
    if of_line and not lines:
        lines = [""]
    writer.section("section", [(line, of_line.get(number, ())) for number, line in enumerate(lines)])


class _Reader:
    """The process, and the way to it."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        # -P: nothing of this folder is taken for a module of the same name
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_PROGRAM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, restore_signals=True, start_new_session=True,
        )  # fmt: skip

    def read(self, body: bytes) -> dict[str, Any]:
        """What it says of a PDF. When it says nothing in time, or is no more, it is ended."""
        assert self._process.stdin is not None
        until = time.monotonic() + _PATIENCE_S
        try:
            self._process.stdin.write(len(body).to_bytes(_HEAD, "big") + body)
            self._process.stdin.flush()
            size = int.from_bytes(self._take(_HEAD, until), "big")
            if size > _MOST_ANSWER:
                raise EOFError
            found: dict[str, Any] = json.loads(self._take(size, until))
            return found
        except TimeoutError:
            self.end()
            return {"fault": "it takes too long to read"}
        except (OSError, EOFError, ValueError):
            return {"fault": self._why_gone()}

    def _take(self, size: int, until: float) -> bytes:
        assert self._process.stdout is not None
        place = self._process.stdout.fileno()
        waits = select.poll()
        waits.register(place, select.POLLIN)
        taken = bytearray()
        while len(taken) < size:
            left_s = until - time.monotonic()
            if left_s <= 0 or not waits.poll(left_s * 1000):
                raise TimeoutError
            piece = os.read(place, min(size - len(taken), 1 << 20))
            if not piece:
                raise EOFError
            taken += piece
        return bytes(taken)

    def _why_gone(self) -> str:
        """How it ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        code = self._process.poll()
        self.end()
        if code in (-signal.SIGXCPU, -signal.SIGKILL):
            return "it takes too long to read"
        if code == 1:  # as Python ends after an exception: nothing of the reader's own gets so far
            return "the reader of PDF does not start: is pypdfium2 installed?"
        return "the reader of PDF died over it"

    @property
    def is_over(self) -> bool:
        return self._process.poll() is not None

    def end(self) -> None:
        """End the process; it may be over already."""
        if self.owner != os.getpid():
            self._process.returncode = 0  # it is another process' child
            return
        self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        self._process.wait()


_readers: list[_Reader] = []


def _reader() -> _Reader:
    """That of this process: a fork has none yet."""
    if _readers and (_readers[0].owner != os.getpid() or _readers[0].is_over):
        _readers.pop().end()
    if not _readers:
        _readers.append(_Reader())
    return _readers[0]


@atexit.register
def _end_all() -> None:
    while _readers:
        _readers.pop().end()
