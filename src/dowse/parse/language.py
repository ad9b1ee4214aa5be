"""The language of a page's text (the only module that knows the language library)."""

from __future__ import annotations

import re

import pycld2

__all__ = ["SAMPLE_CHARACTERS", "detect_language"]

SAMPLE_CHARACTERS = 800
"""So much of a text is looked at."""
_UNWELCOME = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_RENAMED = {"iw": "he", "in": "id", "jw": "jv", "mo": "ro"}


def detect_language(text: str, declared: str = "") -> str:
    """ISO 639-1 code of the language of ``text``, or "" when unknown.

    ``declared`` (``<html lang>``) is a hint, and the answer when the text says nothing certain.
    """
    hint = declared.strip().split("-")[0].split("_")[0].lower()
    hint = hint if len(hint) == 2 and hint.isascii() and hint.isalpha() else ""
    sample = text[:SAMPLE_CHARACTERS]
    try:
        reliable, _, details = pycld2.detect(sample, isPlainText=True, hintLanguage=hint or None)
    except (pycld2.error, ValueError):  # control characters, lone surrogates
        try:
            sample = _UNWELCOME.sub(" ", sample)
            reliable, _, details = pycld2.detect(sample, isPlainText=True, hintLanguage=hint or None)
        except (pycld2.error, ValueError):
            return hint
    code: str = details[0][1].split("-")[0]
    if not reliable or code == "un":
        return hint
    return _RENAMED.get(code, code) if len(code) == 2 else ""
