from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.parse import detect_language


@pytest.mark.parametrize(
    ("text", "declared", "code"),
    [
        ("The quick brown fox jumps over the lazy dog and then goes home to sleep for the night.", "", "en"),
        ("Der schnelle braune Fuchs springt über den faulen Hund und geht dann nach Hause.", "en", "de"),
        ("これは日本語の文章です。太陽電池の効率について説明します。", "", "ja"),
        ("זהו טקסט בעברית על תאים סולאריים ועל היעילות שלהם", "", "he"),
        ("", "fr-CA", "fr"),
        ("12 34", "pt_BR", "pt"),
        ("", "english", ""),
        ("\x00\x01 \ud800 ok", "nl", "nl"),
    ],
)
def test_language(text: str, declared: str, code: str) -> None:
    assert detect_language(text, declared) == code


@given(st.text(st.characters(), max_size=200), st.text(max_size=8))
def test_language_never_raises(text: str, declared: str) -> None:
    code = detect_language(text, declared)
    assert code == "" or (len(code) == 2 and code.islower())
