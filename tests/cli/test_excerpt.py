from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dowse.cli.excerpt import excerpt
from dowse.cli.label_category import changes
from tests.judge.made import ENGLISH, by_hand

TELLING = {"nest": 1.0, "iron": -0.5}


def shown(text: str) -> str:
    return excerpt(text, TELLING, ENGLISH, marked=True)


def test_the_telling_line_with_its_words_marked() -> None:
    menu, sentence = "Nests", "In spring the nests of these birds are full, and nobody thinks of iron any more at all."
    assert shown(f"{menu}\nNothing here\n{sentence}") == sentence.replace("nests", "*nests*").replace("iron", "*iron*")


def test_a_long_line_is_cut_around_the_words() -> None:
    found = shown(f"{'filler words ' * 60}one nest {'and more filler ' * 60}")
    assert found.startswith("... ")
    assert found.endswith(" ...")
    assert "*nest*" in found
    assert len(found) < 320


def test_nothing_of_a_page_reaches_the_terminal_as_it_is() -> None:
    assert "\x1b" not in shown("a nest \x1b[31m red \x07")


@given(st.text(max_size=800), st.dictionaries(st.sampled_from(["nest", "iron", ""]), st.floats(-1, 1)))
def test_any_text_can_be_shown(text: str, telling: dict[str, float]) -> None:
    found = excerpt(text, telling, ENGLISH, marked=True)
    assert "\n" not in found
    assert len(found) < 900


def test_changes_are_counted_by_the_thresholds_of_each() -> None:
    before = by_hand(("nest", 1.0, 1.0), ("iron", 1.0, -1.0), ("gone", 1.0, 0.5), threshold=0.5)
    after = by_hand(("nest", 2.0, 1.0), ("iron", 1.0, -2.0), ("new", 1.0, 0.25), threshold=0.6)
    was, now = {"a": 0.4, "b": 0.55, "c": 0.9, "d": 0.1}, {"a": 0.7, "b": 0.55, "c": 0.9, "d": 0.1}
    assert changes(before, after, was, now) == [
        "before and now: F1 0.900 -> 0.900, AUC 0.900 -> 0.900",
        "pages of the crawl it takes: 2 of 4",
        "change sides: 1 in, 1 out",
        "gained: nest +1.00, new +0.25",
        "lost: iron -1.00, gone -0.50",
    ]
    assert changes(None, after, {}, now) == ["pages of the crawl it takes: 2 of 4"]
