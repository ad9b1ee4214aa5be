"""PDF: what it says, and what becomes of one that the library does not survive."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dowse.loopback.hostile.papers import deep_pdf, encrypted_pdf, endless_pdf, packed_pdf
from dowse.loopback.paper import Section, made_pdf
from dowse.parse import Document, block_starts, parse_page
from dowse.parse.documents import pdf
from dowse.parse.documents.pdf_lines import paragraphs, place_of
from dowse.parse.documents.pdf_process import MOST_PAGES

LONG = "The films were coated at one hundred degrees, and then annealed for ten minutes under nitrogen in a box."
SECTIONS = [
    Section("Lead halide (and others)", [f"{LONG} " * 3, "Second paragraph: see http://example.org/written there."],
            [("http://example.org/a?b=c&d=e", "Passivation of films"), ("../b.html", "Relative")]),
]  # fmt: skip


def read(body: bytes) -> Document:
    return parse_page(body, url="http://example.org/papers/a.pdf", content_type="application/pdf")


def test_text_title_language_and_links() -> None:
    document = read(made_pdf("A report (2023)", SECTIONS, language="de-DE"))
    assert (document.kind, document.title, document.lang) == ("pdf", "A report (2023)", "de-DE")
    assert (document.parts, document.fault) == (1, "")
    lines = document.text.split("\n")
    assert lines[0] == "Lead halide (and others)"
    assert lines[1] == " ".join([LONG] * 3)
    assert lines[2:] == ["Second paragraph: see http://example.org/written there.", "Passivation of films", "Relative"]
    assert [(link.href, link.anchor, lines[link.paragraph - 1]) for link in document.links] == [
        ("http://example.org/written", "http://example.org/written", lines[2]),
        ("http://example.org/a?b=c&d=e", "Passivation of films", "Passivation of films"),
        ("../b.html", "Relative", "Relative"),
    ]


def test_a_page_with_links_is_a_block() -> None:
    pages = [Section(f"Page {n}", [f"Words of page {n}."] * 43 if n != 1 else ["none"] * 42, []) for n in range(3)]
    linked = [Section(page.heading, page.paragraphs[:40], [(f"http://example.org/{n}", f"link {n}")] * 3)
              for n, page in enumerate(pages)]  # fmt: skip
    document = read(made_pdf("Pages", linked))
    assert document.parts == 3
    assert len(block_starts(document)) == 3


def test_a_title_of_a_word_processor_is_none() -> None:
    for title in ("Microsoft Word - draft_final2.docx", "untitled", "paper.dvi", ""):
        assert read(made_pdf(title, SECTIONS)).title == "Lead halide (and others)"


def test_so_many_pages_are_read_and_all_are_counted() -> None:
    document = read(made_pdf("Long", [Section(f"Page {n}", ["word"] * 43) for n in range(MOST_PAGES + 20)]))
    assert document.parts == MOST_PAGES + 20
    assert f"Page {MOST_PAGES - 1}\n" in document.text
    assert f"Page {MOST_PAGES}\n" not in document.text


def test_pages_that_lead_in_a_circle_end() -> None:
    assert read(endless_pdf()).title == "endless-pdf"


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b"%PDF-1.7\n" + b"\xff" * 99, "it is damaged, or no PDF"),
        (encrypted_pdf(), "it is encrypted"),
        (deep_pdf(), "its pages cannot be read"),
        (made_pdf("x", SECTIONS)[:600], "it is damaged, or no PDF"),
    ],
)
def test_what_cannot_be_read_says_why(body: bytes, fault: str) -> None:
    document = read(body)
    assert (document.fault, document.text, document.links) == (fault, "", [])


def test_the_library_may_die_and_the_next_pdf_is_read() -> None:
    assert read(packed_pdf()).fault  # it runs out of memory
    assert not read(made_pdf("Next", SECTIONS)).fault


def test_a_reader_that_is_killed_costs_one_pdf(monkeypatch: pytest.MonkeyPatch) -> None:
    read(made_pdf("First", SECTIONS))
    reader = pdf._reader()
    monkeypatch.setattr(pdf, "_reader", lambda: reader)
    reader._process.kill()
    assert read(made_pdf("Second", SECTIONS)).fault == "it takes too long to read"
    monkeypatch.undo()
    assert read(made_pdf("Third", SECTIONS)).title == "Third"


def test_one_that_does_not_answer_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    silent = tmp_path / "silent.py"
    silent.write_text("import time\ntime.sleep(600)\n", "utf-8")
    pdf._end_all()
    monkeypatch.setattr(pdf, "_PROGRAM", silent)
    monkeypatch.setattr(pdf, "_PATIENCE_S", 0.2)
    assert read(made_pdf("Any", SECTIONS)).fault == "it takes too long to read"
    monkeypatch.undo()
    assert read(made_pdf("Next", SECTIONS)).title == "Next"


def test_one_that_does_not_start_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("import no_such_module\n", "utf-8")
    pdf._end_all()
    monkeypatch.setattr(pdf, "_PROGRAM", broken)
    assert read(made_pdf("Any", SECTIONS)).fault == "the reader of PDF does not start: is pypdfium2 installed?"
    monkeypatch.undo()
    assert read(made_pdf("Next", SECTIONS)).title == "Next"


def test_a_fork_has_a_reader_of_its_own() -> None:
    read(made_pdf("Before", SECTIONS))
    ours = pdf._reader()
    pid = os.fork()
    if not pid:
        try:
            theirs = pdf._reader()
            good = theirs is not ours and theirs.read(made_pdf("Child", SECTIONS))["title"] == "Child"
            theirs.end()
            os._exit(0 if good else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert pdf._reader() is ours
    assert read(made_pdf("After", SECTIONS)).title == "After"


def test_it_ends_with_whoever_started_it(tmp_path: Path) -> None:
    """However that ended."""
    body = tmp_path / "a.pdf"
    body.write_bytes(made_pdf("A", SECTIONS))
    program = (
        "import os, sys, pathlib\nfrom dowse.parse.documents import pdf\n"
        "reader = pdf._reader()\nassert reader.read(pathlib.Path(sys.argv[1]).read_bytes())['title'] == 'A'\n"
        "print(reader._process.pid, flush=True)\nos.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(body)], capture_output=True, text=True, check=False)
    pid = int(done.stdout)
    until = time.monotonic() + 20
    while Path(f"/proc/{pid}/stat").exists() and time.monotonic() < until:
        if Path(f"/proc/{pid}/stat").read_text("utf-8").split()[2] == "Z":
            break  # nobody waits for it, but it is over
        time.sleep(0.02)
    else:
        assert not Path(f"/proc/{pid}/stat").exists()


def test_lines_become_paragraphs() -> None:
    full = "x" * 70
    assert paragraphs(f"{full} one\r\n{full} two\r\nshort end.\r\nNew {full}\r\nend") == [
        f"{full} one {full} two short end.", f"New {full} end",
    ]  # fmt: skip
    assert paragraphs("") == paragraphs("\r\n \r\n") == []
    assert paragraphs("one\ntwo") == ["one", "two"]


def test_an_anchor_is_found_by_its_beginning() -> None:
    lines = ["nothing here", "as we have shown in the earlier paper on", "cells"]
    assert place_of("shown in the earlier paper on perovskite cells", lines) == 1
    assert place_of("not there at all", lines) == 0
    assert place_of("cells", lines) == 2
