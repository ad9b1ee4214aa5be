"""What lies around an access, against its definition: the accesses of the same user in the same session."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dowse.model.arrays import Strings
from dowse.model.traces import IDLE_S, Traces
from dowse.model.url import fingerprint

Row = tuple[int, int, int]  # user, time, page


def made_of(rows: list[tuple[int, int, str]]) -> Traces:
    """Traces of rows with URLs."""
    urls = sorted({url for _, _, url in rows}, key=fingerprint)
    return made([(user, at, urls.index(url)) for user, at, url in rows], len(urls), urls)


def made(rows: list[Row], pages: int = 6, urls: list[str] | None = None) -> Traces:
    """Traces of rows whose users are numbers and whose pages are numbers below ``pages``."""
    urls = urls or sorted((f"http://a.org/{page}" for page in range(pages)), key=fingerprint)
    rows = sorted(rows)
    users = sorted({user for user, _, _ in rows})
    by_page = sorted(range(len(rows)), key=lambda place: (rows[place][2], place))
    text = "".join(urls).encode()
    return Traces(
        users=np.array(users, np.uint64),
        starts=np.array([*(sum(row[0] < user for row in rows) for user in users), len(rows)], np.int64),
        at=np.array([at for _, at, _ in rows], np.uint32),
        page=np.array([page for _, _, page in rows], np.uint32),
        fingerprints=np.array(list(map(fingerprint, urls)), np.uint64),
        by_page=np.array(by_page, np.uint32),
        page_starts=np.array([sum(row[2] < page for row in rows) for page in range(pages + 1)], np.int64),
        urls=Strings(np.frombuffer(text, np.uint8), np.cumsum([len(url) for url in urls])),
    )  # fmt: skip


ROWS = st.lists(
    st.tuples(st.integers(1, 4), st.integers(0, 30).map(lambda part: part * 600 + part % 3), st.integers(0, 5)),
    max_size=40,
)


@given(ROWS, st.sets(st.integers(0, 39)), st.integers(1, 6))
def test_around(rows: list[Row], chosen: set[int], reach: int) -> None:
    traces, rows = made(rows), sorted(rows)
    places = sorted(place for place in chosen if place < len(rows))
    expected: list[int] = []
    for place in places:
        for step in (-1, 1):
            here = place
            for _ in range(reach):
                there = here + step
                if not 0 <= there < len(rows) or rows[there][0] != rows[here][0]:
                    break
                if abs(rows[there][1] - rows[here][1]) > IDLE_S:
                    break
                expected.append(there)
                here = there
    found = traces.around(np.array(places, np.int64), reach)
    assert sorted(found.tolist()) == sorted(expected)
    users = [sorted({row[0] for row in rows}).index(rows[place][0]) for place in places]
    assert traces.user_of(np.array(places, np.int64)).tolist() == users


@given(ROWS)
def test_pages_and_their_accesses(rows: list[Row]) -> None:
    traces, rows = made(rows), sorted(rows)
    for page, url in enumerate(traces.urls):
        assert traces.number(url) == page
        assert traces.accesses(page).tolist() == [place for place, row in enumerate(rows) if row[2] == page]
        assert traces.accesses(page, 2).tolist() == traces.accesses(page).tolist()[:2]
    assert traces.number("http://b.org/") == -1
