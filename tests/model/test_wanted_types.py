"""Which answers are read, by their declared types."""

from __future__ import annotations

import pytest

from dowse.model.http import is_unwanted
from dowse.model.topic import Scope
from dowse.model.wanted_types import wanted_types

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PAGES_ONLY = Scope(documents=False)


@pytest.mark.parametrize(
    ("scope", "url", "declared", "read"),
    [
        (Scope(), "/a", "text/html; charset=utf-8", True),
        (Scope(), "/a", "", True),
        (Scope(), "/a", "application/pdf", True),
        (Scope(), "/a", DOCX.upper(), True),
        (Scope(), "/a", "application/rss+xml", True),
        (Scope(), "/feed", "text/xml", True),
        (Scope(), "/sitemap.xml", "application/xml", False),
        (Scope(), "/a.pdf", "application/octet-stream", True),
        (Scope(), "/A.PDF?v=1", "application/x-download", True),
        (Scope(), "/a.docx", "application/zip", True),
        (Scope(), "/a", "application/octet-stream", False),
        (Scope(), "/a.bin", "application/octet-stream", False),
        (Scope(), "/a.zip", "application/zip", False),
        (Scope(), "/a", "application/json", False),
        (Scope(), "/a", "image/png", False),
        (PAGES_ONLY, "/a", "text/plain", True),
        (PAGES_ONLY, "/a", "application/pdf", False),
        (PAGES_ONLY, "/a", "text/xml", False),
        (PAGES_ONLY, "/a.pdf", "application/octet-stream", False),
        (Scope(content_types=("text/html",)), "/a", "application/pdf", False),
        (Scope(content_types=("text/html",)), "/a", "text/xml", False),
        (Scope(content_types=("application/pdf",)), "/a.pdf", "application/octet-stream", True),
        (Scope(content_types=("application/pdf",)), "/a.docx", "application/octet-stream", False),
        (Scope(content_types=()), "/a", "image/png", True),
    ],
)  # fmt: skip
def test_declared_types(scope: Scope, url: str, declared: str, read: bool) -> None:
    assert is_unwanted(declared, wanted_types(scope).at(f"http://example.org{url}")) is not read


@pytest.mark.parametrize(
    ("scope", "media", "taken"),
    [
        (Scope(), "application/pdf", True), (Scope(), "", True), (Scope(), "image/png", False),
        (Scope(), "application/xml", False), (PAGES_ONLY, "application/pdf", False), (PAGES_ONLY, "text/html", True),
        (Scope(content_types=()), "image/png", True),
    ],
)  # fmt: skip
def test_types_in_truth(scope: Scope, media: str, taken: bool) -> None:
    assert wanted_types(scope).take(media) is taken
