"""Office files as other libraries write them: their text, titles, languages and links."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import docx
import openpyxl
import pptx
import pytest
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from odf import draw, opendocument, style, table, text
from pptx.util import Inches

from dowse.model.document_kinds import KINDS
from dowse.parse import Document, block_starts, parse_page

TYPES = {kind.name: kind.types[0] for kind in KINDS}


def saved(made: Any) -> bytes:
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def read(body: bytes, declared: str = "application/octet-stream") -> Document:
    document = parse_page(body, url="http://example.org/files/a", content_type=declared)
    assert not document.fault
    assert document.lines.words()[: len(document.title.split())] == [
        word.strip(".,").lower() for word in document.title.split()
    ]
    return document


def links(document: Document) -> list[tuple[str, str, str]]:
    """Where each leads, its anchor, and the line it stands on."""
    lines = ["", *document.raw_text.split("\n")]
    return [(link.href, link.anchor, lines[link.paragraph]) for link in document.links]


def hyperlink(paragraph: Any, target: str, anchor: str) -> None:
    id_ = paragraph.part.relate_to(target, RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
    link, run, shown = OxmlElement("w:hyperlink"), OxmlElement("w:r"), OxmlElement("w:t")
    link.set(qn("r:id"), id_)
    shown.text = anchor
    run.append(shown)
    link.append(run)
    paragraph._p.append(link)


def field(paragraph: Any, target: str, anchor: str) -> None:
    """A link as Word's older files have it."""
    for kind, content in (("begin", ""), ("", f' HYPERLINK "{target}" \\o "tip" '), ("separate", ""), ("t", anchor),
                          ("end", "")):  # fmt: skip
        run = paragraph.add_run()
        if kind == "t":
            run.text = content
        elif not kind:
            instruction = OxmlElement("w:instrText")
            instruction.text = content
            run._r.append(instruction)
        else:
            mark = OxmlElement("w:fldChar")
            mark.set(qn("w:fldCharType"), kind)
            run._r.append(mark)


def test_a_word_document() -> None:
    made = docx.Document()
    made.core_properties.title = "Films of perovskite"
    made.core_properties.language = "de"
    made.add_heading("Over view", 0)
    made.add_heading("Methods", 1)
    paragraph = made.add_paragraph("Spin coated at ")
    paragraph.add_run("100").bold = True
    paragraph.add_run(" degrees; see ")
    hyperlink(paragraph, "http://example.org/coat?a=1&b=2", "the coating page")
    made.add_paragraph("An item", style="List Bullet")
    made.add_heading("Results", 2)
    rows = made.add_table(2, 2)
    for row, cells in enumerate((("Layer", "Width"), ("first", "12 nm"))):
        for column, content in enumerate(cells):
            rows.cell(row, column).text = content
    field(made.add_paragraph("Older: "), "../old.html", "an old link")
    made.sections[0].header.paragraphs[0].text = "on every page"
    document = read(saved(made))
    assert (document.kind, document.title, document.lang) == ("docx", "Films of perovskite", "de")
    assert document.text.split("\n") == [
        "Over view", "Methods", "Spin coated at 100 degrees; see the coating page", "An item", "Results",
        "Layer Width", "first 12 nm", "Older: an old link",
    ]  # fmt: skip
    assert links(document) == [
        ("http://example.org/coat?a=1&b=2", "the coating page", "Spin coated at 100 degrees; see the coating page"),
        ("../old.html", "an old link", "Older: an old link"),
    ]
    assert document.outline.headings() == [1, 2, 5]
    assert block_starts(document) == [1, 5]  # what stands below the first headings, and below the last


def test_a_word_document_without_a_title_has_its_first_heading() -> None:
    made = docx.Document()
    made.core_properties.title = ""
    made.add_paragraph("Before it")
    made.add_heading("The heading", 1)
    assert read(saved(made)).title == "The heading"


def test_a_presentation() -> None:
    made = pptx.Presentation()
    made.core_properties.title = ""
    for title, lines in (("Silicon", ["Wafers", "Cells"]), ("Tandem", ["Two layers"])):
        slide = made.slides.add_slide(made.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = "\n".join(lines)
    run = made.slides[1].placeholders[1].text_frame.add_paragraph().add_run()
    run.text = "Read on"
    run.hyperlink.address = "http://example.org/tandem"
    grid = made.slides[0].shapes.add_table(1, 2, Inches(1), Inches(1), Inches(4), Inches(1)).table
    grid.cell(0, 0).text, grid.cell(0, 1).text = "Bandgap", "1.1 eV"
    box = made.slides[1].shapes.add_textbox(Inches(1), Inches(1), Inches(1), Inches(1))
    box.text_frame.text = "Box"
    box.click_action.hyperlink.address = "http://example.org/box"
    made.slides[1].notes_slide.notes_text_frame.text = "not to be read"
    document = read(saved(made), TYPES["pptx"])
    assert (document.kind, document.title, document.parts) == ("pptx", "Silicon", 2)
    assert document.text.split("\n") == [
        "Silicon", "Wafers", "Cells", "Bandgap 1.1 eV", "Tandem", "Two layers", "Read on", "Box",
    ]  # fmt: skip
    assert links(document) == [
        ("http://example.org/tandem", "Read on", "Read on"), ("http://example.org/box", "Box", ""),
    ]  # fmt: skip
    assert document.outline.headings() == [1, 5]


def test_a_workbook() -> None:
    made = openpyxl.Workbook()
    made.properties.title, made.properties.language = "Measured", "en"
    first = made.active
    first.title = "Cells"
    first.append(["Cell", "Efficiency", None, 21.5])
    first.append([])
    first.append(["Tandem", "see there"])
    first["B3"].hyperlink = "http://example.org/tandem"
    first["A4"] = '=HYPERLINK("http://example.org/formula","of a formula")'
    made.create_sheet("Hidden").append(["secret"])
    made["Hidden"].sheet_state = "hidden"
    made.create_sheet("Empty")
    document = read(saved(made), TYPES["xlsx"])
    assert (document.kind, document.title, document.lang, document.parts) == ("xlsx", "Measured", "en", 2)
    assert document.text.split("\n") == ["Cells", "Cell Efficiency 21.5", "Tandem see there", "Empty"]
    assert ("http://example.org/tandem", "see there", "Tandem see there") in links(document)
    assert document.outline.headings() == [1, 4]


def _paragraph(made: Any, content: str, level: int = 0) -> None:
    element = text.H(outlinelevel=level, text=content) if level else text.P(text=content)
    made.text.addElement(element)


def test_an_opendocument_text() -> None:
    made = opendocument.OpenDocumentText()
    from odf.dc import Language, Title

    made.meta.addElement(Title(text="Mauern"))
    made.meta.addElement(Language(text="de-DE"))
    _paragraph(made, "Heading", 1)
    paragraph = text.P(text="Spaced")
    paragraph.addElement(text.S(c=2))
    paragraph.addText("out, ")
    link = text.A(href="http://example.org/odt")
    link.addText("a link")
    paragraph.addElement(link)
    made.text.addElement(paragraph)
    rows = table.Table(name="T")
    row = table.TableRow()
    for content in ("left", "right"):
        cell = table.TableCell()
        cell.addElement(text.P(text=content))
        row.addElement(cell)
    rows.addElement(row)
    made.text.addElement(rows)
    document = read(saved(made), "application/zip")
    assert (document.kind, document.title, document.lang) == ("odt", "Mauern", "de-DE")
    assert document.text.split("\n") == ["Heading", "Spaced out, a link", "left right"]
    assert links(document) == [("http://example.org/odt", "a link", "Spaced out, a link")]
    assert document.outline.headings() == [1]


def test_an_opendocument_spreadsheet() -> None:
    made = opendocument.OpenDocumentSpreadsheet()
    for name in ("One", "Two"):
        sheet = table.Table(name=name)
        row = table.TableRow()
        for content in (f"{name} a", f"{name} b"):
            cell = table.TableCell()
            cell.addElement(text.P(text=content))
            row.addElement(cell)
        sheet.addElement(row)
        made.spreadsheet.addElement(sheet)
    document = read(saved(made))
    assert (document.kind, document.parts, document.title) == ("ods", 2, "One")
    assert document.text.split("\n") == ["One", "One a One b", "Two", "Two a Two b"]


def test_an_opendocument_presentation() -> None:
    made = opendocument.OpenDocumentPresentation()
    layout = style.PageLayout(name="L")
    made.automaticstyles.addElement(layout)
    master = style.MasterPage(name="M", pagelayoutname=layout)
    made.masterstyles.addElement(master)
    for number in (1, 2):
        page = draw.Page(masterpagename=master)
        frame, box = draw.Frame(width="1cm", height="1cm"), draw.TextBox()
        box.addElement(text.P(text=f"Slide {number}"))
        link = text.A(href=f"http://example.org/{number}")
        link.addText("more")
        paragraph = text.P()
        paragraph.addElement(link)
        box.addElement(paragraph)
        frame.addElement(box)
        page.addElement(frame)
        made.presentation.addElement(page)
    document = read(saved(made))
    assert (document.kind, document.parts) == ("odp", 2)
    assert document.text.split("\n") == ["Slide 1", "more", "Slide 2", "more"]
    assert block_starts(document) == [1, 3]  # a slide is a block
    assert [link.paragraph for link in document.links] == [2, 4]


@pytest.mark.parametrize("make", [docx.Document, openpyxl.Workbook, opendocument.OpenDocumentText])
def test_an_empty_document_is_no_fault(make: Callable[[], Any]) -> None:
    document = parse_page(saved(make()), url="http://example.org/", content_type="application/octet-stream")
    assert (document.fault, document.text.replace("Sheet", "")) == ("", "")
