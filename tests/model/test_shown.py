from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.model.shown import json_line, shown, shown_lines

TEXT = st.text(st.characters(exclude_categories=()), max_size=60)  # lone surrogates too
DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def is_control(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or char in DIRECTIONS


@given(TEXT)
def test_nothing_that_a_terminal_obeys(text: str) -> None:
    assert not any(map(is_control, shown(text)))
    assert not any(is_control(char) for line in shown_lines(text).split("\n") for char in line)
    assert shown_lines(text).count("\n") == text.count("\n"), "no line is added"


@pytest.mark.parametrize("char", [*DIRECTIONS, *map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0))])
def test_each_is_written_out(char: str) -> None:
    said = shown(f"a{char}b")
    assert said == ("a b" if char in "\t\n\v\f\r\x85" else f"a{char.encode('unicode_escape').decode()}b")


@given(st.recursive(TEXT | st.none() | st.integers(), lambda part: st.lists(part) | st.dictionaries(TEXT, part)))
def test_json_means_what_it_meant(value: object) -> None:
    line = json_line(value)
    assert json.loads(line) == value
    assert not any(is_control(char) for char in line)


def test_letters_stay_letters() -> None:
    text = "Zażółć 漢字 مرحبا नमस्ते مى\u200cخواهم 👩\u200d🔬"
    assert shown(text) == text
    assert text in json_line([text])
