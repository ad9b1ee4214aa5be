"""docs/blocks.md: its example gives what it shows."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from dowse.cli.main import main
from tests.docs.markdown import DOCS, blocks

TEXT = (DOCS / "blocks.md").read_text(encoding="utf-8")


def test_the_example_prints_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    for name, language in (("portal.html", "html"), ("topic.toml", "toml")):
        [block] = blocks(TEXT, language)
        Path(name).write_text(block.text, "utf-8")
    [command] = [block.text for block in blocks(TEXT, "sh") if "portal.html" in block.text]
    monkeypatch.setattr(sys, "argv", shlex.split(command))
    with pytest.raises(SystemExit) as end:
        main()
    assert not end.value.code
    [shown] = blocks(TEXT, "text")
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == shown.text.splitlines()
    assert Path("portal.png").read_bytes().startswith(b"\x89PNG")


def test_the_picture_is_small() -> None:
    assert (DOCS / "images" / "blocks-portal.png").stat().st_size < 150_000
