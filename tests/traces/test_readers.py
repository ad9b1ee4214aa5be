"""Lines of each format, as they come, and as they come damaged."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from dowse.model.errors import UserError
from dowse.traces.access import Access, Bad
from dowse.traces.readers import read_log
from dowse.traces.readers.common_log import common_reader
from dowse.traces.readers.csv_rows import csv_reader
from dowse.traces.readers.moments import common_time, iso_time, seconds_time
from dowse.traces.readers.parquet import read_parquet
from dowse.traces.readers.squid import read_squid

SQUID = b"1286536308.779    180 192.168.0.224 TCP_MISS/200 411 GET http://www.a.org/x - HIER_DIRECT/192.0.2.1 text/html"
COMMON = b'203.0.113.7 - - [10/Oct/2000:13:55:36 -0700] "GET http://a.org/x HTTP/1.0" 200 2326'
_AT = 971211336


def test_squid() -> None:
    assert read_squid(SQUID) == Access(
        1286536308, b"192.168.0.224", b"http://www.a.org/x", b"GET", b"200", b"text/html", b""
    )
    named = read_squid(SQUID.replace(b" - HIER", b" ann HIER"))
    assert isinstance(named, Access)
    assert named.user == b"ann"


@pytest.mark.parametrize(("old", "new", "why"), [
    (b" text/html", b"", Bad.FIELDS), (b"/200", b"", Bad.FIELDS), (b"1286536308.779", b"yesterday", Bad.TIME),
    (b"1286536308", b"99999999999", Bad.TIME), (b"1286536308", b"0", Bad.TIME), (b"192.168.0.224", b"-", Bad.USER),
])  # fmt: skip
def test_squid_that_is_none(old: bytes, new: bytes, why: Bad) -> None:
    assert read_squid(SQUID.replace(old, new)) is why


def test_common_and_combined() -> None:
    read = common_reader(b"")
    assert read(COMMON) == Access(_AT, b"203.0.113.7", b"http://a.org/x", b"GET", b"200")
    combined = read(COMMON + b' "http://ref.org/" "Mozilla \\"x\\" (y)"')
    assert combined == Access(
        _AT, b'203.0.113.7 Mozilla \\"x\\" (y)', b"http://a.org/x", b"GET", b"200", b"", b'Mozilla \\"x\\" (y)'
    )
    named = read(COMMON.replace(b" - - ", b" - Ann Lee ") + b' "-" "Mozilla"')
    assert isinstance(named, Access)
    assert named.user == b"Ann Lee"


def test_a_path_needs_its_site() -> None:
    line = COMMON.replace(b"http://a.org", b"")
    assert common_reader(b"")(line) is Bad.SITE
    for site, host, url in (
        (b"https://www.b.org", b"", b"https://www.b.org/x"), (b"", b"www.c.org:443 ", b"https://www.c.org/x"),
        (b"", b"www.c.org:80 ", b"http://www.c.org/x"), (b"", b"www.c.org:8080 ", b"http://www.c.org:8080/x"),
        (b"https://www.b.org", b"www.c.org:80 ", b"https://www.b.org/x"),
    ):  # fmt: skip
        found = common_reader(site)(host + line)
        assert found == Access(_AT, b"203.0.113.7", url, b"GET", b"200")
    six = common_reader(b"https://b.org")(line.replace(b"203.0.113.7", b"2001:db8::7"))
    assert isinstance(six, Access)
    assert six.user == b"2001:db8::7"


@pytest.mark.parametrize(("old", "new", "why"), [
    (b"10/Oct", b"32/Oct", Bad.TIME), (b"13:55:36", b"13:55:xx", Bad.TIME), (b"-0700", b"west", Bad.TIME),
    (b"GET http://a.org/x HTTP/1.0", b"\\x16\\x03\\x01", Bad.URL), (b" 200 2326", b"", Bad.FIELDS),
    (b'HTTP/1.0"', b"HTTP/1.0", Bad.FIELDS), (b"203.0.113.7", b"-", Bad.USER),
])  # fmt: skip
def test_common_that_is_none(old: bytes, new: bytes, why: Bad) -> None:
    assert common_reader(b"")(COMMON.replace(old, new)) is why


def test_csv() -> None:
    head = b"\xef\xbb\xbfUser\tURL\tTime\tStatus"
    read = csv_reader(head)
    assert read(head) is None
    assert read(b"ann\thttp://a.org/\t1286536308\t404") == Access(1286536308, b"ann", b"http://a.org/", b"", b"404")
    assert read(b'"a\tb"\thttp://a.org/\t2010-10-08 13:11:48+02:00\t200') == Access(
        1286536308, b"a\tb", b"http://a.org/", b"", b"200"
    )
    assert read(b"ann\thttp://a.org/\tnever\t200") is Bad.TIME
    assert read(b" \thttp://a.org/\t1286536308\t200") is Bad.USER
    assert read(b"ann\thttp://a.org/") is Bad.FIELDS
    assert read(b'"ann\thttp://a.org/\t1\t2') is Bad.FIELDS
    with pytest.raises(UserError, match="has no column 'user'"):
        csv_reader(b"time,url,name")


@pytest.mark.parametrize(("times", "seconds"), [
    (pyarrow.array([1.7e9, math.nan, -math.inf, None]), [1_700_000_000, 0, 0, 0]),
    (pyarrow.array([1_700_000_000_123_456_789, None], pyarrow.timestamp("ns")), [1_700_000_000, 0]),
    (pyarrow.array([1 << 62, -(1 << 62)], pyarrow.timestamp("ms", "UTC")), [0, 0]),
    (pyarrow.array([19_000], pyarrow.date32()), [19_000 * 86_400]),
    (pyarrow.array([1_700_000_000, -5]), [1_700_000_000, 0]),
])  # fmt: skip
def test_moments_in_parquet(times: Any, seconds: list[int], tmp_path: Path) -> None:
    """Whatever they are counted in; what is none is a bad line."""
    count = len(times)
    table = pyarrow.table({"time": times, "user": ["ann"] * count, "url": ["http://a.org/"] * count})
    parquet.write_table(table, tmp_path / "log")
    rows = list(read_parquet(tmp_path / "log", lambda done: None))
    assert [row.at if isinstance(row, Access) else 0 for row in rows] == seconds


@pytest.mark.parametrize("names", [["time", "user", "url", "URL"], ["Time", "user", "url", "time"]])
def test_columns_of_one_name_are_told(names: list[str], tmp_path: Path) -> None:
    twice = names[-1].lower()
    with pytest.raises(UserError, match=f"has two columns '{twice}'"):
        csv_reader(",".join(names).encode())
    columns = [pyarrow.array([1_700_000_000 if name.lower() == "time" else "x"]) for name in names]
    parquet.write_table(pyarrow.Table.from_arrays(columns, names=names), tmp_path / "log")
    with pytest.raises(UserError, match=f"log has two columns '{twice}'"):
        list(read_log(tmp_path / "log", b"", None, lambda done: None))
    (tmp_path / "log.csv").write_text(",".join(names) + "\n")
    with pytest.raises(UserError, match=f"log.csv has two columns '{twice}'"):
        list(read_log(tmp_path / "log.csv", b"", None, lambda done: None))
    assert csv_reader(b"time,user,url,note,note")(b"1700000000,ann,http://a.org/,1,2") is not None, "nobody reads those"


@given(st.binary(max_size=60), st.integers(0, 120), st.integers(0, 20))
def test_no_line_is_an_error(noise: bytes, at: int, removed: int) -> None:
    for line, read in (
        (SQUID, read_squid), (COMMON + b' "-" "agent"', common_reader(b"")), (b"1286536308,x,http://a.org/",
         csv_reader(b"time,user,url")),
    ):  # fmt: skip
        found = read(line[:at] + noise + line[at + removed :])
        assert isinstance(found, (Access, Bad))
        if isinstance(found, Access):
            assert 0 < found.at < 1 << 32
            assert found.user


@given(st.binary(max_size=40))
def test_no_time_is_an_error(text: bytes) -> None:
    for read in (seconds_time, common_time, iso_time):
        assert 0 <= read(text) < 1 << 32
