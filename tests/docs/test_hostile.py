"""docs/hostile.md is what the catalogue of trials says."""

from __future__ import annotations

from tests.docs.hostile_reference import REGENERATE, TARGET, page


def test_the_page_is_what_the_catalogue_says() -> None:
    assert TARGET.read_text(encoding="utf-8") == page(), f"docs/hostile.md is out of date: run {REGENERATE}"
