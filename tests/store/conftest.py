from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a crawl may be made; nothing is there yet."""
    return tmp_path / "a" / "crawl"
