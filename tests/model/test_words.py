from __future__ import annotations

import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.compiled import core
from dowse.model.words import LINE_END, WordLines, lines_of_words, words
from tests.compiled import needs_core


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


class Numbered:
    """Looks words up by the compiled core, one text after the other."""

    def __init__(self) -> None:
        assert core is not None
        self.known, self.new, self.recent = {LINE_END: 0}, list[str](), bytearray(core.RECENT_SIZE)

    def tokens(self, text: str | bytes) -> list[str] | None:
        found = WordLines(text).numbers(self.known, self.new, self.recent)
        words = [LINE_END, *self.new]
        assert list(self.known) == words
        return None if found is None else [words[number] for number in np.frombuffer(found, np.int32)]


SCRIPTS = (
    "aB1 _'\n\n\n\0\x1c\xa0éÉßİıſ×ªµ²½·“’…\u200b\ufeffσΣςΆ\u0301\u0308\u00adЙйЁ東かไ한"
    "\u200d😀\u212a\u212b≠\u0338\u2329→ǅȺẞﬁन\ud800"
)


@needs_core
@given(st.lists(st.text(st.sampled_from(SCRIPTS.rstrip("\ud800")) | st.characters(codec="utf-8"), max_size=40)))
def test_a_text_in_utf8_has_the_same_words(texts: list[str]) -> None:
    plain, encoded = Numbered(), Numbered()
    for text in texts:
        assert encoded.tokens(text.encode()) == plain.tokens(text) == WordLines(text.encode()).tokens()
        assert len(WordLines(text.encode())) == text.count("\n") + 1


@needs_core
@pytest.mark.parametrize("end", [b"\xc3", b"\xe6\x9d", b"\xe6", b"\xf0\x9f\x98", b"\xf0\x9f", b"\xf0"])
def test_half_a_character_at_the_end_is_left_to_python(end: bytes) -> None:
    assert Numbered().tokens(b"word " + end) is None


@needs_core
@given(st.lists(st.text(st.sampled_from(SCRIPTS) | st.characters(), max_size=40), max_size=5))
def test_compiled_or_not_the_words_are_the_same(texts: list[str]) -> None:
    numbered = Numbered()
    for text in [*texts, *texts]:
        found = numbered.tokens(text)
        assert found == WordLines(text).tokens() or (found is None and max(text) >= "\ud800")


@needs_core
def test_every_character_separates_or_joins_alike() -> None:
    numbered = Numbered()
    for first in range(1, 0x3100, 64):
        text = "\n".join(f"Ab{chr(code)}Cd {chr(code)} É{chr(code)}é" for code in range(first, first + 64))
        assert numbered.tokens(text) == WordLines(text).tokens(), hex(first)


@needs_core
def test_long_words_and_many_are_told_apart() -> None:
    numbered = Numbered()
    sizes = [1, 7, 8, 9, 23, 24, 25, 300]
    text = " ".join("x" * size + tail for size in sizes for tail in ("", "y", "É"))
    assert numbered.tokens(text) == WordLines(text).tokens()
    many = " ".join(f"w{number}" for number in range(40_000))  # more than are remembered as recent
    assert numbered.tokens(many) == numbered.tokens(many) == many.split()
