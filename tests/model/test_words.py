from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.model.words import LINE_END, WordLines, lines_of_words, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The CELL's mp3_player, 1997!", ["the", "cell", "s", "mp3", "player", "1997"]),
        ("Größe “naïve” café—bar", ["größe", "naïve", "café", "bar"]),
        ("cafe\u0301", ["café"]),
        ("東京都", ["東京", "京都"]),
        ("日 本", ["日", "本"]),
        ("Python入門です", ["python", "入門", "門で", "です"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("한국어 문서", ["한국어", "문서"]),
        ("Привет, мир", ["привет", "мир"]),
        ("a\nb", ["a", "b"]),
        ("", []),
        ("-- ... ©", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def naive(line: str) -> list[str]:
    """The definition for text without combining marks and unspaced scripts."""
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFC", line.lower()))


# İ alone becomes two characters in lower case, the second a combining mark
PLAIN = st.text(
    st.one_of(st.characters(max_codepoint=0x2BF, exclude_characters="İ"), st.sampled_from("’“—…→Жж Ωω")), max_size=80
)


@given(st.lists(PLAIN.map(lambda text: text.replace("\n", " ")), min_size=1, max_size=4))
def test_fast_paths_agree_with_the_definition(lines: list[str]) -> None:
    assert lines_of_words("\n".join(lines)) == [naive(line) for line in lines]


@given(st.text(st.one_of(st.characters(), st.sampled_from("aB \n\n\né東’")), max_size=60))
def test_tokens_are_the_words_of_each_line_with_ends_between(text: str) -> None:
    lines = lines_of_words(text)
    expected = [word for line in lines for word in [*line, LINE_END]][:-1]
    if LINE_END not in text:
        assert WordLines(text).tokens() == expected


@given(st.text(st.characters(), max_size=100))
def test_never_raises_and_gives_no_empty_word(text: str) -> None:
    assert all(words(text))
    assert len(lines_of_words(text)) == text.count("\n") + 1
