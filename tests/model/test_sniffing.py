from __future__ import annotations

import pytest

from dowse.fetch import disguised


@pytest.mark.parametrize(
    ("declared", "body", "expected"),
    [
        ("text/html", b"%PDF-1.7\n", "application/pdf"),
        ("", b"%PDF-1.7\n", "application/pdf"),
        ("Text/HTML", b"\x89PNG\r\n\x1a\n....", "image/png"),
        ("text/plain", b"PK\x03\x04....", "application/zip"),
        ("application/xhtml+xml", b"\x1f\x8b\x08....", "application/gzip"),
        ("application/pdf", b"%PDF-1.7\n", ""),  # it is what it says
        ("application/vnd.oasis.opendocument.text", b"PK\x03\x04....", ""),
        ("text/html", b"<!doctype html>", ""),
        ("text/html", b" %PDF-1.7 is how a PDF begins", ""),
        ("text/html", b"%PD", ""),
        ("text/html", b"GIF pictures", ""),
        ("text/html", b"", ""),
    ],
)
def test_files_sent_as_pages(declared: str, body: bytes, expected: str) -> None:
    assert disguised(declared, body) == expected
