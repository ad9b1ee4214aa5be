from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.compiled import core
from dowse.parse import bounds
from tests.compiled import needs_core, pure

NAMES = ["div", "DIV", "b", "section", "blockquote", "figcaption", "h1", "td", "tr", "br", "option", "é", "1", ""]


def mismatched(html: str, most: int) -> bool:
    """Are more than ``most`` start tags never closed by their own name? Plainly."""
    names = Counter(re.findall(r"<(/?[a-z][a-z0-9]*)", html.lower()))
    starts = [name for name in names if not name.startswith("/") and name.encode() not in bounds._NOT_NESTING]
    return sum(max(0, names[name] - names["/" + name]) for name in starts) > most


@given(
    tags=st.lists(
        st.tuples(st.sampled_from(["<", "</", "< "]), st.sampled_from(NAMES), st.sampled_from([">", " x=1>"]))
    ),
    end=st.sampled_from(["", "<", "</", "<d", "text"]),
    most=st.integers(0, 4),
)
def test_many_tags_are_judged_by_name_as_a_plain_count_would(
    tags: list[tuple[str, str, str]], end: str, most: int
) -> None:
    html = "".join(map("".join, tags)) + end
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounds, "_SUSPECT_UNCLOSED", most)
        patch.setattr(bounds, "_SUSPECT_TAGS", 0)
        deep = bounds._looks_deep(html.encode())
        patch.setattr(bounds, "_SUSPECT_TAGS", 1 << 30)  # the names are not looked at
        without = bounds._looks_deep(html.encode())
    many = html.count("<") > most
    assert deep == (without or (many and mismatched(html, most)))


parts = st.lists(
    st.sampled_from(["<", "</", "<a>", "</a>", "<br>", "<b>", "</B>", "<div", "</div>", "<x1y>", "</X1Y>", "<é>", "/",
                     "x", "x" * 300, f"<{'l' * 15}>", f"<{'l' * 16}>", "<1>"]),
    max_size=40,
)  # fmt: skip


@needs_core
@given(parts, st.integers(0, 6), st.integers(0, 20), st.integers(0, 5), st.integers(0, 3), st.integers(0, 20))
def test_the_core_is_sure_only_where_nothing_is_left_out(
    parts: list[str], most: int, suspect: int, depth: int, formatting: int, more: int
) -> None:
    page, tags = "".join(parts).encode(), suspect + more
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("_SUSPECT_UNCLOSED", most), ("_SUSPECT_TAGS", suspect), ("_MAX_TAGS", tags)):
            patch.setattr(bounds, name, value)
        patch.setattr(bounds, "MAX_DEPTH", depth)
        patch.setattr(bounds, "_MAX_FORMATTING", formatting)
        with pure():
            expected = bounds.bounded(page)
        assert bounds.bounded(page) == expected
        assert core is not None
        flat = core.is_flat(page, bounds._NOT_NESTING, bounds._FORMATTING, depth, formatting, tags)
        assert flat == (bounds._flatter(page) == page) or "llll" in str(page)


def test_the_core_counts_no_more_names_than_it_has_room_for() -> None:
    page = "".join(f"<n{i}></n{i}>" for i in range(1_500)).encode()
    assert bounds.bounded(page) == page


def test_a_page_of_divs_closed_as_spans_is_made_flatter() -> None:
    html = "<div></span>" * 15_000
    assert bounds.bounded(html.encode()).count(b"<div>") == bounds.MAX_DEPTH
    honest = "<div></div>" * 15_000
    assert bounds.bounded(honest.encode()) == honest.encode()
