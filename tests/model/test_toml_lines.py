from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.model.toml_lines import KeyPath, key_lines

TEXT = '''\
# name = "not me"
name = "a # b = c"   # comment = 1
'quoted "key"' = 1
query = """
[not.a.table]
x = 1 \\""" still
"""
literal = \'\'\'
y = 2\'\'\'
budget.pages = 5
inline = { a = 1, "b.c" = [ "x]", { d = 2 } ], e.f = 3 }

[scope]
hosts = [
    "a",  # first ]
    "b", "c",

    'd',
]
[scope.traps]
max_per_host = 5

[[steps]]
n = 1
[[steps]]
n = 2
[steps.inner]
z = 3
'''
LINES: dict[KeyPath, int] = {
    ("name",): 2,
    ('quoted "key"',): 3,
    ("query",): 4,
    ("literal",): 8,
    ("budget",): 10,
    ("budget", "pages"): 10,
    ("inline",): 11,
    ("inline", "a"): 11,
    ("inline", "b.c"): 11,
    ("inline", "b.c", 0): 11,
    ("inline", "b.c", 1): 11,
    ("inline", "b.c", 1, "d"): 11,
    ("inline", "e"): 11,
    ("inline", "e", "f"): 11,
    ("scope",): 13,
    ("scope", "hosts"): 14,
    ("scope", "hosts", 0): 15,
    ("scope", "hosts", 1): 16,
    ("scope", "hosts", 2): 16,
    ("scope", "hosts", 3): 18,
    ("scope", "traps"): 20,
    ("scope", "traps", "max_per_host"): 21,
    ("steps",): 23,
    ("steps", 0): 23,
    ("steps", 0, "n"): 24,
    ("steps", 1): 25,
    ("steps", 1, "n"): 26,
    ("steps", 1, "inner"): 27,
    ("steps", 1, "inner", "z"): 28,
}


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_every_form_of_toml(newline: str) -> None:
    text = TEXT.replace("\n", newline)
    assert key_lines(text) == LINES
    assert set(key_lines(text)) == set(paths(tomllib.loads(text)))


def paths(value: Any, path: KeyPath = ()) -> list[KeyPath]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, item in items for found in ((*path, key), *paths(item, (*path, key)))]


def quote(text: str) -> str:
    return '"' + "".join(c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08X}" for c in text) + '"'


texts = st.text(st.sampled_from("ab #=[]{},.\"'\\\n\té"), max_size=8)
values = st.recursive(
    texts.map(quote) | st.sampled_from(["1", "2.5", "true", "1979-05-27T07:32:00Z", "'''a]\n'''", '"""x\n\\"""}\n"""']),
    lambda inner: st.lists(inner, max_size=3).map(lambda items: "[\n" + ", # ]\n".join(items) + "\n]")
    | st.dictionaries(texts, st.sampled_from(["1", '"}"', "[1, 2]"]), max_size=3).map(
        lambda table: "{" + ", ".join(f"{quote(k)} = {v}" for k, v in table.items()) + "}"
    ),
    max_leaves=6,
)  # fmt: skip
documents = st.dictionaries(texts, st.dictionaries(texts, values, max_size=4), max_size=4)


@settings(max_examples=150)
@given(documents)
def test_written_documents_are_found_again(document: dict[str, dict[str, str]]) -> None:
    text, expected = "", dict[KeyPath, int]()
    for table, pairs in document.items():
        text += f"# {quote(table)}\n[ {quote(table)} ]\n"
        expected[(table,)] = text.count("\n")
        for key, value in pairs.items():
            expected[(table, key)] = text.count("\n") + 1
            text += f"{quote(key)} = {value} # end\n"
    found = key_lines(text)
    assert set(found) == set(paths(tomllib.loads(text)))
    assert {path: line for path, line in found.items() if path in expected} == expected


@given(st.text("ab=[]{}\"'#.\n, 1"))
def test_what_is_not_toml_ends_too(text: str) -> None:
    key_lines(text)
