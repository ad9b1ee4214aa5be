from __future__ import annotations

from pathlib import Path

import pytest

from dowse.lab.canvas import Canvas
from dowse.lab.picture import check_picture, is_svg
from dowse.model.errors import UserError


@pytest.mark.parametrize(("name", "svg"), [("a.png", False), ("a.PNG", False), ("a.svg", True), ("b.c.Svg", True)])
def test_the_ending_says_what_is_written(tmp_path: Path, name: str, svg: bool) -> None:
    check_picture(Path(name))
    assert is_svg(Path(name)) is svg
    Canvas(20, 10).save(tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(b"<?xml" if svg else b"\x89PNG")


@pytest.mark.parametrize("name", ["x.pdf", "x", ".png", "x.png.jpg"])
def test_nothing_else_is_drawn(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match=r"cannot draw .*: pictures are \.png or \.svg"):
        Canvas(20, 10).save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []
