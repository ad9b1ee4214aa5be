"""``dowse traces``: from a log to figures, and what goes wrong."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dowse.cli.main import main
from dowse.loopback import LoopbackServer
from dowse.model.topic import JudgeSettings
from dowse.store import CrawlReader
from tests.cli.labelled import QUERY, two_kinds
from tests.engine.servers import crawl_all, topic_for

Run = Callable[..., tuple[int, str, str]]

LOG = """\
1286536308.779 180 192.168.0.2 TCP_MISS/200 411 GET {url} - HIER_DIRECT/192.0.2.1 text/html
1286536309.779 180 192.168.0.2 TCP_MISS/200 411 GET http://www.a.org/logo.png - HIER_DIRECT/192.0.2.1 image/png
\x1b[31mgarbage
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "access.log").write_text(LOG.format(url="http://www.a.org/x?q=1"))

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["dowse", "traces", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        told = capsys.readouterr()
        code = end.value.code
        assert isinstance(code, int)
        return code, told.out, told.err

    return call


def test_import_and_info(run: Run, tmp_path: Path) -> None:
    code, out, err = run("import", "access.log", "--out", "traces")
    assert code == 0
    assert "3 lines read, 1 access by 1 user in 1 session, to 1 page on 1 host kept in traces" in out
    assert "           1  not of the format, the first: \\x1b[31mgarbage" in out
    assert "           1  not a page, by its content type" in out
    assert str(tmp_path / "config" / "dowse" / "traces.key") in out
    assert "reading access.log" in err
    code, out, _ = run("info", "traces")
    assert code == 0
    assert "traces: 1 access by 1 user in 1 session, to 1 page on 1 host" in out
    assert "from 2010-10-08 to 2010-10-08" in out
    assert "garbage" not in out
    code, out, _ = run("info", "traces", "--json")
    value = json.loads(out)
    assert (value["users"], value["accesses"], value["imported"]["lines"]) == (1, 1, 3)
    assert value["top_hosts"] == [["www.a.org", 1]]


def test_import_as_json_with_every_option(run: Run) -> None:
    code, out, _ = run(
        "import", "access.log", "access.log", "--out", "t", "--format", "squid", "--site", "www.b.org", "--key", "key",
        "--drop-queries", "--without", "ads.example", "--daily", "3", "--per-user", "9", "--json",
    )  # fmt: skip
    value = json.loads(out)
    assert code == 0
    assert value["bad"] == {"not of the format": 2}
    assert value["left_out"]["the same page again within the half hour"] == 1
    assert (value["accesses"], value["queries"], value["a_day"], value["in_all"]) == (1, False, 3, 9)
    assert Path("key").stat().st_mode & 0o777 == 0o600
    assert value["examples"] == {"not of the format": "\\x1b[31mgarbage"}


def test_the_key_makes_the_same_people_the_same(run: Run) -> None:
    for name, key in (("one", "key"), ("two", "key"), ("three", "other")):
        assert run("import", "access.log", "--out", name, "--key", key)[0] == 0
    users = [Path(name, "users.npy").read_bytes() for name in ("one", "two", "three")]
    assert users[0] == users[1] != users[2]


def test_how_much_of_a_crawl_people_went_to(run: Run) -> None:
    async def fetch() -> None:
        async with LoopbackServer(two_kinds()) as server:
            judge = JudgeSettings(threshold=0.1)
            await crawl_all(topic_for(server.address, ["http://a.test/"], query=QUERY, judge=judge), crawl)

    crawl = Path("crawl")
    asyncio.run(fetch())
    with CrawlReader(crawl) as records:
        page = next(url for url, state in records.urls() if state.shown == "fetched")
        fetched = sum(state.shown == "fetched" for _, state in records.urls())
        waiting = sum(state.shown == "waiting" for _, state in records.urls())
    Path("access.log").write_text(LOG.format(url=page))
    run("import", "access.log", "--out", "traces")
    code, out, _ = run("info", "traces", "--crawl", str(crawl), "--json")
    assert code == 0
    assert json.loads(out)["coverage"] == {
        "fetched": fetched, "fetched_in_traces": 1, "waiting": waiting, "waiting_in_traces": 0,
    }  # fmt: skip
    assert f"of {fetched:,} pages fetched" in run("info", "traces", "--crawl", str(crawl))[1]


@pytest.mark.parametrize(("arguments", "message"), [
    (["import", "missing.log", "--out", "t"], "cannot read missing.log"),
    (["import", "access.log", "--out", "t", "--format", "iis"], "--format: there is no format 'iis'"),
    (["import", "access.log", "--out", "t", "--daily", "0"], "--daily: must be at least 1"),
    (["import", "access.log", "--out", "t", "--site", "https://a.org/path"], "--site: 'https://a.org/path' is no site"),
    (["import", "access.log", "--out", "t", "--without", "no/such.txt"], "--without: there is no file no/such.txt"),
    (["import", "access.log", "--out", "no/t"], "there is no folder no"),
    (["import", "access.log", "--out", "access.log"], "already exists and holds no traces"),
    (["import", "access.log", "--out", "t", "--key", "access.log"], "can be read by others"),
    (["import", "access.log", "--out", "t", "--format", "csv"], "access.log has no column 'time'"),
    (["import", "."], "--out"), (["import", ".", "--out", "t"], "cannot read ."), (["info", "."], "holds no traces"),
])  # fmt: skip
def test_mistakes_are_one_line(run: Run, arguments: list[str], message: str) -> None:
    code, out, err = run(*arguments)
    assert code == 2
    assert out == ""
    assert message in err
    assert err.splitlines()[-1].startswith("dowse: ")
    assert "Traceback" not in err
    assert not Path("t").exists()


def test_a_list_of_hosts_is_left_out(run: Run) -> None:
    Path("hosts.txt").write_text("# ads\n0.0.0.0 A.org # all of it\n")
    _, out, _ = run("import", "access.log", "--out", "t", "--without", "hosts.txt")
    assert "1  a host you left out" in out
    assert "nothing was kept" in out
