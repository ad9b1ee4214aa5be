"""From logs to columns: what comes out is what a literal reading of the rules gives, however the logs are cut."""

from __future__ import annotations

import gzip
import io
import tempfile
import tracemalloc
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import numpy as np
import pyarrow
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from dowse.model.errors import UserError
from dowse.model.traces import Traces
from dowse.model.url import fingerprint
from dowse.traces import Limits, Pages, UserKey, import_logs, load_traces, merge, read_imported, spool
from tests.traces.literal import kept_of

KEY = UserKey(b"k" * 32)
DAY = 86_400
SQUID = "{at}.123    18 {user} TCP_MISS/200 4111 GET {url} - HIER_DIRECT/192.0.2.1 text/html\n"
Row = tuple[int, str, str]


def _quiet(stage: str, done: int, total: int) -> None:
    assert 0 <= done <= max(total, done), stage


def read(folder: Path, *logs: bytes, limits: Limits = Limits(), pages: Pages | None = None) -> Traces:  # noqa: B008
    paths = []
    for number, log in enumerate(logs):
        paths.append(folder / f"{number}.log")
        paths[-1].write_bytes(log)
    import_logs(paths, folder / "out", KEY, pages or Pages(), _quiet, limits=limits, force=True)
    return load_traces(folder / "out")


def written(rows: Sequence[Row]) -> bytes:
    return "".join(SQUID.format(at=at, user=user, url=url) for at, user, url in rows).encode()


def told(traces: Traces) -> dict[int, list[tuple[int, str]]]:
    """By user's number: times and pages."""
    return {
        int(user): [
            (int(traces.at[place]), traces.urls[int(traces.page[place])])
            for place in range(int(traces.starts[row]), int(traces.starts[row + 1]))
        ]
        for row, user in enumerate(traces.users)
    }


_ROWS = st.lists(
    st.tuples(
        st.one_of(st.integers(10 * DAY, 10 * DAY + 2000), st.integers(10 * DAY, 13 * DAY)),
        st.sampled_from(["10.0.0.1", "10.0.0.2"]),
        st.sampled_from(["http://a.example.org/", "http://b.example.org/x", "http://b.example.org/y?q=1"]),
    ),
    max_size=60,
)


@settings(deadline=None)
@given(_ROWS, st.integers(1, 30), st.integers(1, 20), st.integers(1, 4), st.integers(1, 9), st.integers(0, 60))
def test_it_is_the_literal_reading_however_it_is_cut(
    rows: list[Row], a_run: int, a_part: int, a_day: int, in_all: int, cut: int
) -> None:
    order = {url: fingerprint(url) for _, _, url in rows}
    expected = kept_of(rows, order, a_day, in_all)
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(spool.Spool.__init__, "__defaults__", (a_run,))
        patch.setattr(merge.merge_urls, "__defaults__", (a_part,))
        patch.setattr(merge.merge_accesses, "__defaults__", (a_part,))
        patch.setattr(merge, "_AT_ONCE", a_part)
        traces = read(Path(name), written(rows[cut:]), written(rows[:cut]), limits=Limits(a_day, in_all))
        assert told(traces) == {KEY.number(user.encode()): kept for user, kept in expected.items()}
        for number, mark in enumerate(traces.fingerprints.tolist()):
            assert fingerprint(traces.urls[number]) == mark
            places = traces.accesses(number)
            assert (np.diff(places) > 0).all()
            assert np.flatnonzero(np.asarray(traces.page) == number).tolist() == places.tolist()
        facts = read_imported(Path(name) / "out")
        assert facts.lines == len(rows)
        assert facts.accesses == len(traces) == len(rows) - sum(facts.left_out.values())


ROWS: list[Row] = [
    (1_700_000_000, "10.0.0.1", "http://a.example.org/one"),
    (1_700_000_100, "10.0.0.1", "http://a.example.org/two?q=x"),
    (1_700_000_050, "10.0.0.2", "http://b.example.org/"),
]


def _csv(rows: Sequence[Row]) -> bytes:
    return "".join(
        ["url;time;other;user\n", *(f'"{url}";2023-11-14T{22 + (at >= 1_700_007_200)}:'
         f"{13 + (at - 1_699_999_980) // 60:02d}:{(at - 1_699_999_980) % 60:02d}Z;;{user}\n" for at, user, url in rows)]
    ).encode()  # fmt: skip


def _combined(rows: Sequence[Row]) -> bytes:
    return "".join(
        f"10.9.9.9 - {user} [14/Nov/2023:23:{13 + (at - 1_699_999_980) // 60:02d}:{(at - 1_699_999_980) % 60:02d}"
        f' +0100] "GET {url} HTTP/1.1" 200 99 "-" "Mozilla/5.0 (\\"quoted\\")"\r\n' for at, user, url in rows
    ).encode()  # fmt: skip


def _parquet(rows: Sequence[Row]) -> bytes:
    table = pyarrow.table({
        "time": pyarrow.array([at * 1_000_000 for at, _, _ in rows], pyarrow.timestamp("us", tz="UTC")),
        "user": [user for _, user, _ in rows], "url": [url for _, _, url in rows],
    })  # fmt: skip
    stream = io.BytesIO()
    parquet.write_table(table, stream)
    return stream.getvalue()


@pytest.mark.parametrize("log", [
    written(ROWS), _csv(ROWS), _combined(ROWS), _parquet(ROWS), gzip.compress(written(ROWS)),
    gzip.compress(_csv(ROWS)) + gzip.compress(b""), zstandard.compress(_combined(ROWS)),
    zstandard.compress(written(ROWS[:1])) + zstandard.compress(written(ROWS[1:])), written(ROWS)[:-1],
])  # fmt: skip
def test_every_format_says_the_same(log: bytes, tmp_path: Path) -> None:
    traces = read(tmp_path, log)
    expected = {KEY.number(user.encode()): [row[::2] for row in ROWS if row[1] == user] for _, user, _ in ROWS}
    assert told(traces) == expected


def test_queries_can_be_dropped_and_then_pages_are_one(tmp_path: Path) -> None:
    rows = [(10 * DAY, "10.0.0.1", "http://a.org/f?name=me"), (11 * DAY, "10.0.0.1", "http://a.org/f?name=you")]
    traces = read(tmp_path, written(rows), pages=Pages(drop_queries=True))
    assert list(traces.urls) == ["http://a.org/f"]
    assert len(traces) == 2
    assert not read_imported(tmp_path / "out").queries
    assert b"name" not in b"".join(file.read_bytes() for file in (tmp_path / "out").iterdir())


def test_nobody_is_named_in_what_is_written(tmp_path: Path) -> None:
    read(tmp_path, written(ROWS))
    kept = b"".join(file.read_bytes() for file in (tmp_path / "out").iterdir())
    assert b"a.example.org" in kept
    assert b"10.0.0" not in kept
    assert {file.stat().st_mode & 0o777 for file in (tmp_path / "out").iterdir()} == {0o600}
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o700


def test_damage_is_counted_and_what_came_before_it_kept(tmp_path: Path) -> None:
    many = [(at, f"10.0.{at % 200}.1", f"http://a.example.org/{at * 7919}") for at in range(DAY, DAY + 40_000, 2)]
    packed = gzip.compress(written(many))
    traces = read(tmp_path, packed[: len(packed) // 2], written(ROWS))
    assert 1000 < len(traces) < len(many)
    assert read_imported(tmp_path / "out").bad == {"the file is cut off or damaged from here on": 1}
    assert KEY.number(b"10.0.0.2") in traces.users


def test_half_a_last_line_is_told_and_a_whole_one_needs_no_end(tmp_path: Path) -> None:
    traces = read(tmp_path, written(ROWS)[:-20], written(ROWS)[:-1])
    assert len(traces) == 3
    assert read_imported(tmp_path / "out").bad == {"half a last line": 1}


def test_long_addresses_and_names_take_no_more_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither what is remembered nor what is ordered grows with what strangers put into a log."""
    monkeypatch.setattr(import_module("dowse.traces.import_logs"), "_MOST_TEXT", 100_000)
    monkeypatch.setattr(merge, "_TEXT", 100_000)
    rows = [(DAY + at, f"{at % 3}" * 30_000, f"http://a.org/{'x' * 1500}{at}") for at in range(200)]
    log = written([*rows, *rows])
    tracemalloc.start()
    try:
        traces = read(tmp_path, log)
        assert tracemalloc.get_traced_memory()[1] < len(log) / 3
    finally:
        tracemalloc.stop()
    assert sorted(url for kept in told(traces).values() for _, url in kept) == sorted(url for *_, url in rows[:150])


def test_garbage_ends_no_import(tmp_path: Path) -> None:
    garbage = bytes(range(256)) * 20 + b"\n" + b"x" * 200_000 + b"\n\n\r\n" + b"\x1b[31m " * 20 + b"\n"
    traces = read(tmp_path, written(ROWS) + garbage + written(ROWS[:1]))
    assert len(traces) == 3
    bad = read_imported(tmp_path / "out").bad
    assert bad["too long"] == 1
    assert bad["not of the format"] > 1


def test_a_log_of_no_format_is_the_users_mistake_and_nothing_is_left(tmp_path: Path) -> None:
    for log in (b"hello\nworld\n", b"time,users,url\n", bytes(5000)):
        with pytest.raises(UserError, match="looks like no access log"):
            read(tmp_path, log)
    with pytest.raises(UserError, match="cannot read"):
        import_logs([tmp_path / "missing"], tmp_path / "out", KEY, Pages(), _quiet)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.log"]


def test_nothing_makes_empty_traces(tmp_path: Path) -> None:
    for log in (b"", b"time,user,url\n", written(ROWS).replace(b"GET", b"POST")):
        traces = read(tmp_path, log)
        assert (len(traces), len(traces.users), len(traces.fingerprints)) == (0, 0, 0)
        assert traces.number("http://a.example.org/one") == -1


def test_what_is_there_is_only_replaced_when_it_is_traces(tmp_path: Path) -> None:
    read(tmp_path, written(ROWS))
    with pytest.raises(UserError, match="--force"):
        import_logs([tmp_path / "0.log"], tmp_path / "out", KEY, Pages(), _quiet)
    (tmp_path / "other").mkdir()
    for name in ("other", "0.log"):
        with pytest.raises(UserError, match="holds no traces"):
            import_logs([tmp_path / "0.log"], tmp_path / name, KEY, Pages(), _quiet, force=True)
    (tmp_path / "link").symlink_to(tmp_path / "out")
    with pytest.raises(UserError, match="name a new folder"):
        import_logs([tmp_path / "0.log"], tmp_path / "link", KEY, Pages(), _quiet, force=True)
