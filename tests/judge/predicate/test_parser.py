"""Mistakes are found while parsing, and told on one line with their place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.judge import build_judge
from dowse.judge.predicate.parser import parse
from dowse.judge.predicate.syntax import And, Leaf, Not, Or, SyntaxFault
from dowse.model.errors import TopicError
from dowse.model.topic import Expression, Topic
from dowse.model.topicfile import parse_topic


def test_and_binds_tighter_than_or_and_not_tightest() -> None:
    tree = parse('not word("a") and word("b") or word("c")')
    assert isinstance(tree, Or)
    both, last = tree.parts
    assert isinstance(both, And)
    assert isinstance(both.parts[0], Not)
    assert isinstance(last, Leaf)
    assert last.text == 'word("c")'


def test_parentheses_among_equals_say_nothing() -> None:
    tree = parse('word("a") and (word("b") and word("c")) AND (word("d"))')
    assert isinstance(tree, And)
    assert len(tree.parts) == 4


def test_strings_and_numbers() -> None:
    for text, argument in [
        ('"it\'s"', "it's"), ("'a \"b\"'", 'a "b"'), (r'"a \"b\""', 'a "b"'), (r'"\d"', r"\d"), ("'é 太'", "é 太"),
    ]:  # fmt: skip
        leaf = parse(f"url.contains({text})")
        assert isinstance(leaf, Leaf)
        assert leaf.argument == argument
    for text, bound in [("3", 3.0), ("0.5", 0.5), (".5", 0.5), ("1e-3", 0.001), ("-2", -2.0), ("+2.", 2.0)]:
        leaf = parse(f"words>{text}")
        assert isinstance(leaf, Leaf)
        assert leaf.bound == bound
    flipped = parse("0.3 < similarity")
    assert isinstance(flipped, Leaf)
    assert (flipped.operator, flipped.bound, flipped.text) == (">", 0.3, "0.3 < similarity")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "column 1: the predicate is empty"),
        ("  \n ", "the predicate is empty"),
        ('word("x") > "a"', 'column 13, at "a": word is a number: compare it with one, not with a string'),
        ("language > 3", "column 10, at > 3: language can be compared with == and != only"),
        ('language == "german"', 'is a code of two letters in quotes, such as "de"'),
        ("language == 3", "is a code of two letters in quotes"),
        ('kind == "a pdf"', 'kind is a kind of page or document in quotes, such as "pdf"'),
        ("kind", 'column 1, at kind: kind is to be compared, as in kind == "pdf"'),
        ("language", 'column 1, at language: language is to be compared, as in language == "de"'),
        ("similarity", "similarity is a number: compare it, as in similarity > 0.1"),
        ('object("Event") == 1', "column 17, at == 1: object(...) is true or false: it cannot be compared"),
        ('object("Event") == "x"', 'its fields can: object("Event").location == "Bratislava"'),
        ('word("x").name == "a"', "only an object has fields"),
        ('object("Event").location > "Brno"', "only numbers and days have an order"),
        ('object("Event").location == "!"', "location of an object is compared with a number or a text"),
        ('object("Event").location == object("Place").name', "is compared with a number or a string, not with object"),
        ('object("Event") .name', "a test ends before this"),
        ('object("Event").', "this is no number"),
        ('category("x") > 60', "column 17, at 60: category is a number from 0 to 1"),
        ("1.5 > similarity", "column 1, at 1.5 > similarity: similarity is a number from 0 to 1"),
        ("similarity > erid", "is compared with a number or a string, not with erid"),
        ("1 < 2", "this compares two constants"),
        ("0.3", "a number alone tests nothing"),
        ('"hockey"', "a string alone tests nothing"),
        ("0.1 < similarity < 0.3", "column 18, at < 0.3: one comparison at a time"),
        ('categry("x") > 0.6', 'column 1, at categry("x") > 0.6: unknown name categry: did you mean category?'),
        ('word("a") and wrod("b")', 'column 15, at wrod("b"): unknown name wrod: did you mean word?'),
        ('url("x")', "unknown name url: did you mean url.host or url.suffix"),
        ("number > 3", "unknown name number: there are word, title"),
        ("word", 'word needs a string, as in word("...")'),
        ("word(hockey)", "column 6, at hockey): word takes a string in quotes"),
        ('word("a", "b")', "word takes one string: write ) behind it"),
        ('word("a"', "column 9: word takes one string"),
        ('similarity("a") > 1', "similarity takes nothing in parentheses"),
        ('word(" ")', "word needs something to look for"),
        ('word("the")', 'this has only stop words: add a word, or set language = "none"'),
        ('url.regex("a(")', 'column 11, at "a("): this is no regular expression: missing ), unterminated subpattern'),
        ('url.glob("papers")', "a path pattern begins with / or *"),
        ('category("../x")', "a category's name has letters"),
        ('object("http://schema.org/")', ""),
        ('object("://")', "object needs the name of a type"),
        ('word("a") word("b")', "column 11, at word(\"b\"): a test ends before this: join two with and, or or"),
        ('word("a") and', "column 14: something is missing at the end"),
        ("and", "a test was expected before and"),
        ('(word("a")', "column 1, at (word(\"a\"): this ( is never closed: add )"),
        ('word("a"))', "column 10, at ): this ) closes nothing"),
        ('word("a") && word("b")', "& means nothing here: write and"),
        ('language = "de"', "= means nothing here: write =="),
        ("word(“a”)", '“ means nothing here: write "'),
        ('word("a', 'column 6, at "a: this string has no end: add "'),
        ('word("a\nb")', "this string has no end"),
        ('word("a\0")', r"a string cannot hold the character '\x00'"),
        ("\0", "means nothing here"),
        ("similarity > 0.3.1", "column 14, at 0.3.1: this is no number"),
        ("similarity > 1e400", "this number is too large"),
        ("(" * 10_000, "a predicate has at most 4,000 characters, this has 10,000"),
        ("(" * 3_000, "nested too deeply: 50 levels"),
        ("not " * 900 + 'word("a")', "nested too deeply: 50 levels"),
        (" or ".join(['word("a")'] * 201), "a predicate has at most 200 tests"),
        (f'word("{"a" * 1_000_000}")', "a predicate has at most 4,000 characters"),
        ("\U0001f600", "means nothing here"),
        ("\ud800", "means nothing here"),
        ("erid > 0.1", "column 1, at erid > 0.1: erid needs keywords or a query"),
        ("similarity > 0.1", "similarity to what?"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_that_says_where(text: str, message: str) -> None:
    if not message:
        build_judge(Topic(predicate=text))
        return
    with pytest.raises(TopicError) as caught:
        build_judge(Topic(predicate=text))
    assert message in str(caught.value)
    assert str(caught.value).startswith("predicate: ")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@given(st.text(max_size=60) | st.lists(st.sampled_from(
    ["word", "(", ")", '"a"', "and", "or", "not", ">", "3", "language", "==", " ", "\n", "url.regex", "'"]
)).map(" ".join))  # fmt: skip
def test_any_text_parses_or_is_a_fault(text: str) -> None:
    place = 0
    try:
        parse(text)
    except SyntaxFault as fault:
        place = fault.at
    assert 0 <= place <= len(text)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ('name = "x"\npredicate = \'wrod("a")\'', "t.toml:2: predicate: column 1, at wrod"),
        ("\npredicate = '''\nword(\"a\")\n  and wrod(\"b\")\n'''", "t.toml:4: predicate: column 7, at wrod"),
        ('predicate = """word(\'a\')\nor wrod(\'b\')"""', "t.toml:2: predicate: column 4, at wrod"),
    ],
)
def test_a_mistake_in_a_topic_file_names_file_line_and_column(file: str, message: str) -> None:
    with pytest.raises(TopicError) as caught:
        build_judge(parse_topic(file, "t.toml"))
    assert str(caught.value).startswith(message)


def test_a_mistake_in_a_flag_names_the_flag() -> None:
    with pytest.raises(TopicError, match=r"^--predicate: column 1, at x: unknown name x"):
        build_judge(Topic(predicate=Expression("x", "--predicate")))
    with pytest.raises(TopicError, match=r"^predicate: line 2, column 5, at x: unknown name x"):
        build_judge(Topic(predicate='word("a")\nand x'))
