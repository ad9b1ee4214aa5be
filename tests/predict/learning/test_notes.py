"""Links noted by the compiled core, and by the Python that says what is right."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.model.page import Context
from dowse.predict.learning.link_tokens import link_tokens
from dowse.predict.learning.notes import PARENTS, ROW, Rows, name_links, note_links
from dowse.predict.learning.siblings import Siblings
from tests.compiled import needs_core, pure

similarities = st.floats(-1, 1, width=32) | st.sampled_from((float("nan"), 0.0, 1e-7, 3e-6, 6.1e-5, 0.5, 2.0))
texts = st.text(st.sampled_from("aBçΣσİ日٣ _-/:.?%\u0301\U0001d400") | st.characters(codec="utf-8"), max_size=40)
urls = st.builds("{}{}/{}".format, st.sampled_from(("http://", "", "https://a.b.c.d")), texts, texts) | texts


def records(count: int) -> Rows:
    rows = np.zeros(count, ROW)
    rows["own"] = np.nan
    return rows


def opened(pages: int) -> Siblings:
    """So many pages, each with all the links a page may have."""
    siblings = Siblings()
    for page in range(pages):
        siblings.open_one(page, 1250, 0.5)
    return siblings


@needs_core
@settings(deadline=None)
@given(data=st.data(), count=st.integers(0, 4), pages=st.integers(1, 12), known=st.sampled_from((0, 7, 59_995)))
def test_links_are_noted_as_python_does(data: st.DataObject, count: int, pages: int, known: int) -> None:
    rows = records(count)
    rows["parents"] = known
    rows["own"] = data.draw(st.lists(st.sampled_from((0.25, 0.75, float("nan"))), min_size=count, max_size=count))
    literal, siblings, others = rows.copy(), opened(pages), opened(pages)
    for page in range(pages):
        places = np.array(data.draw(st.lists(st.integers(0, 1250), min_size=count, max_size=count)), np.int64)
        told = data.draw(st.integers(0, count))
        sites = np.arange(page, page + told)
        drawn = data.draw(st.lists(similarities, min_size=told * len(Context), max_size=told * len(Context)))
        similarity = np.array(drawn, np.float32).reshape(told, len(Context))
        note_links(rows, page, places, sites, similarity, siblings)
        with pure():
            note_links(literal, page, places, sites, similarity, others)
    assert rows.tobytes() == literal.tobytes()
    assert siblings.tables[1].tobytes() == others.tables[1].tobytes()


@needs_core
def test_every_half_is_read_and_rounded_as_numpy_does() -> None:
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    exact = np.unique(halves[np.abs(halves) < 30_000].astype(np.float32))
    numbers = np.concatenate([exact[:-1] + part * np.diff(exact) for part in (0.0, 0.25, 0.5, 0.75)])
    numbers = np.resize(numbers, (len(numbers) // len(Context) + 1, len(Context)))
    rows, places, sites = records(len(numbers)), np.zeros(len(numbers), np.int64), np.zeros(len(numbers), np.int64)
    for each in (numbers, numbers[::-1]):
        note_links(rows, 0, places, sites, each, opened(1))
    literal = records(len(numbers))
    with pure():
        for each in (numbers, numbers[::-1]):
            note_links(literal, 0, places, sites, each, opened(1))
    for name in ("best", "mean"):
        np.testing.assert_array_equal(rows[name], literal[name])


def test_the_oldest_page_is_forgotten() -> None:
    rows = records(1)
    none, siblings = np.zeros((0, len(Context)), np.float32), opened(PARENTS + 2)
    for page in range(PARENTS + 2):
        note_links(rows, page, np.array([page]), np.zeros(0, np.int64), none, siblings)
    assert rows["page"].tolist() == rows["place"].tolist() == [list(range(2, PARENTS + 2))]
    assert rows["parents"].tolist() == [PARENTS + 2]


@settings(deadline=None)
@given(links=st.lists(st.tuples(urls, texts), max_size=4))
def test_links_are_named_by_their_tokens(links: list[tuple[str, str]]) -> None:
    rows = records(len(links))
    name_links(rows, [url for url, _ in links], [anchor for _, anchor in links])
    assert rows["token"].tolist() == [link_tokens(url, anchor) for url, anchor in links]


def test_a_name_stays_and_half_a_character_is_no_harm() -> None:
    rows = records(3)
    rows["token"][0, 0] = 7
    name_links(rows, ["http://a.example/x"] * 3, ["b", "c\ud800d", "e"])
    assert rows["token"][0].tolist() == [7] + [0] * 11
    assert rows["token"][1:].tolist() == [link_tokens("http://a.example/x", anchor) for anchor in ("c\ud800d", "e")]


def test_long_tokens_are_hashed_as_the_library_does() -> None:
    for size in range(70):
        rows = records(1)
        name_links(rows, [""], ["0123456789é"[:size] * 7 + "x" * size])
        assert rows["token"][0].tolist() == link_tokens("", "0123456789é"[:size] * 7 + "x" * size)
