from __future__ import annotations

from pathlib import Path

import pytest

import dowse
from dowse.lab.corpus.code_version import source_version


def test_a_changed_file_is_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "parse").mkdir()
    (tmp_path / "parse" / "html.py").write_text("one")
    (tmp_path / "other.py").write_text("one")
    (tmp_path / "__init__.py").write_text("")
    monkeypatch.setattr(dowse, "__file__", str(tmp_path / "__init__.py"))
    versions = []
    for text in ("one", "two"):
        (tmp_path / "parse" / "html.py").write_text(text)
        source_version.cache_clear()
        versions.append((source_version(), source_version("parse"), source_version("other.py")))
    source_version.cache_clear()
    before, after = versions
    assert before[0] != after[0]
    assert before[1] != after[1]
    assert before[2] == after[2]
