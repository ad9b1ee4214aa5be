"""Files sent as web pages: a body whose first bytes are those of a format that no page begins with."""

from __future__ import annotations

__all__ = ["disguised"]

# Signatures of the WHATWG MIME Sniffing Standard, sections 6.1, 6.2.1 and 7.1: none of them is text.
_SIGNATURES = (
    (b"%PDF-", "application/pdf"),
    (b"%!PS-Adobe-", "application/postscript"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"Rar!\x1a\x07", "application/x-rar-compressed"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"OggS\x00", "application/ogg"),
    (b"\x1a\x45\xdf\xa3", "video/webm"),
)
_PAGES = ("text/", "application/xhtml+xml", "application/xml")
_BEGINNINGS = tuple(signature for signature, _ in _SIGNATURES)


def disguised(declared: str, body: bytes) -> str:
    """The type of a file that was declared as a page (or as nothing) and plainly is none; "" for all others.

    >>> disguised("text/html", b"%PDF-1.7 ..."), disguised("text/html", b"<!doctype html>")
    ('application/pdf', '')
    """
    if not body.startswith(_BEGINNINGS) or (declared and not declared.lower().startswith(_PAGES)):
        return ""
    return next(kind for signature, kind in _SIGNATURES if body.startswith(signature))
