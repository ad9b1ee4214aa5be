from __future__ import annotations

import importlib.util
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dowse.lab.draw.drawing import Area, Box, Dot, Drawing, Line, Text
from dowse.lab.draw.picture_file import check_picture, picture_ending, save_picture
from dowse.model.errors import UserError

DRAWING = Drawing(20, 10, (Text(1, 8, "<b>"), Line(((0, 0), (9, 9)), "soft")), "a line")


@pytest.mark.parametrize(
    ("name", "start"),
    [("a.png", b"\x89PNG"), ("a.PNG", b"\x89PNG"), ("a.svg", b"<svg "), ("b.c.Svg", b"<svg "), ("a.pdf", b"%PDF")],
)
def test_the_ending_says_what_is_written(tmp_path: Path, name: str, start: bytes) -> None:
    check_picture(Path(name))
    save_picture(DRAWING, tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(start)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["x.jpg", "x", ".png", "x.png.html"])
def test_nothing_else_is_drawn(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match=r"cannot draw .*: pictures are \.png, \.svg or \.pdf"):
        save_picture(DRAWING, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_there_is_svg_and_a_line_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert picture_ending() == ".png"
    known = importlib.util.find_spec
    monkeypatch.setattr(
        "dowse.lab.draw.picture_file.find_spec", lambda name: None if name == "matplotlib" else known(name)
    )
    assert picture_ending() == ".svg"
    save_picture(DRAWING, tmp_path / "a.svg")
    for name in ("a.png", "a.PDF"):
        with pytest.raises(UserError) as told:
            save_picture(DRAWING, tmp_path / name)
        assert "needs matplotlib: pip install 'dowse[plots]', or name a .svg file" in str(told.value)
        assert "\n" not in str(told.value)


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    for name in ("a.svg", "a.png"):
        with pytest.raises(UserError, match=r"cannot write .*: No such file or directory"):
            save_picture(DRAWING, tmp_path / "no" / name)


def test_an_svg_file_has_its_colours_and_its_size_in_it(tmp_path: Path) -> None:
    marks = (
        Area(((0, 0), (5, 0), (5, 5)), "c1", 0.1), Dot(3, 3, 1, "#abcdef"), Box(1, 1, 5, 5, "card", "line"),
        Line(((0, 0), (9, 9)), "soft", 2, (4, 2)), Text(4, 4, "a & b", angle=90),
    )  # fmt: skip
    save_picture(Drawing(20, 10, marks, "told"), tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text()
    root = ElementTree.fromstring(text)
    assert (root.get("width"), root.get("height"), root.get("aria-label")) == ("20", "10", "told")
    assert "var(" not in text
    assert "#0072b2" in text
    assert [part.tag.partition("}")[2] for part in root] == ["rect", "polygon", "circle", "rect", "polyline", "text"]
    assert (root[4].get("stroke-dasharray"), root[5].text, root[5].get("transform")) == (
        "4 2", "a & b", "rotate(-90.00 4.00 4.00)",
    )  # fmt: skip
