"""``dowse cluster`` and ``dowse crawl --shards``, as they are typed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from dowse.cluster.errand import opened
from dowse.cluster.kept import kept_in
from dowse.cluster.shared_folder import Place, note_place, place_of
from dowse.loopback import LoopbackServer, in_thread
from dowse.model.statistic_names import OTHER_VERDICTS
from dowse.store import CrawlReader
from dowse.store.read_verdicts import final_verdicts
from tests.cli.labelled import mistake, said
from tests.cluster.webs import ALL, knotted, pages_asked
from tests.servers import POSTGRESQL, DatabaseServer
from tests.store.shared.same import asked as asked_of
from tests.store.shared.same import by_url, in_database, in_folder

QUERY = "perovskite solar cells"


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with in_thread(knotted(0.02)) as found:
        yield found


def flags(server: LoopbackServer) -> list[str]:
    return ["--seed", "http://h0.test/0", "--resolve", f"*.test={server.address}", "--allow-private", "--delay", "0",
            "--strategy", "bfs"]  # fmt: skip


def test_a_crawl_of_two_shards_goes_on(
    server: LoopbackServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "c"
    options = [*flags(server), "--shard-by", "host", "--workers", "0", "--out", str(folder), "--budget", "30p"]
    out, _ = said(capsys, "crawl", QUERY, "--shards", "2", "--sites", "move", *options)
    assert re.search(r"^stopped +budget: pages \(30p\)", out, re.MULTILINE)
    assert f"dowse crawl --resume {folder} --budget 60p" in out
    out, _ = said(capsys, "crawl", "--resume", str(folder), "--budget", "500p", "--json")
    summary = json.loads(out.splitlines()[-1])
    assert (summary["stop"]["kind"], summary["pages"]) == ("empty", ALL)
    assert set(pages_asked(server.log).values()) == {1}
    with CrawlReader(folder) as crawl:
        assert crawl.summary().pages == ALL
    told, _ = said(capsys, "cluster", "status", str(folder))
    assert told.splitlines()[-1] == "ended: empty: no URL is left to fetch"
    assert told.splitlines()[0].split()[-4:] == ["letters", "slots", "came", "going"]
    assert [line.split()[-3:] for line in told.splitlines()[1:3]] == [["512", "0", "0"]] * 2


def test_seeds_that_are_found_are_told_apart_and_put_in_later(
    server: LoopbackServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As with one engine: where each seed is from, and that the next run starts from those that were put in."""
    earlier, folder, later = tmp_path / "earlier", tmp_path / "c", tmp_path / "later"
    one, other = flags(server), flags(server)
    other[1] = "http://h5.test/8"
    said(capsys, "crawl", QUERY, *one, "--workers", "0", "--out", str(earlier), "--budget", "3p")
    said(capsys, "crawl", QUERY, *other, "--workers", "0", "--out", str(later), "--budget", "1p")
    (tmp_path / "list.txt").write_text("http://h4.test/3\n")
    one[1] = str(tmp_path / "list.txt")
    options = [*one, "--shard-by", "host", "--workers", "0", "--out", str(folder), "--budget", "4p"]
    said(capsys, "crawl", QUERY, "--shards", "2", *options, "--engine", f"local:{earlier}")
    assert "listed in" in said(capsys, "why", str(folder), "http://h4.test/3")[0]
    told, _ = said(capsys, "why", str(folder), "http://h0.test/1")
    assert "found: it is a seed, found by search engines\n    by local:" in told
    known, _ = said(capsys, "seeds", QUERY, "--engine", f"local:{later}", "--to", str(folder))
    assert f"1 written to {folder}: dowse crawl --resume" in known
    said(capsys, "crawl", "--resume", str(folder), "--budget", "40p")
    told, _ = said(capsys, "why", str(folder), "http://h5.test/8")
    assert "fetched:" in told
    assert "found: it is a seed, found by search engines" in told
    assert {row["url"] for row in map(json.loads, said(capsys, "export", str(folder), "--seeds")[0].splitlines())} >= {
        "http://h0.test/1", "http://h5.test/8",
    }  # fmt: skip
    with CrawlReader(folder) as crawl:
        [name] = crawl._ask("SELECT value FROM meta WHERE name = 'crawl'")
    for shard in sorted((folder / "shards").iterdir()):
        with CrawlReader(shard) as crawl:
            assert crawl._ask("SELECT value FROM meta WHERE name = 'part_of'") == [name]


def test_what_shards_find_is_published_as_one_crawl(
    server: LoopbackServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, database = tmp_path / "c", f"sqlite:///{tmp_path / 'webs.db'}"
    options = [*flags(server)[:-2], "--shard-by", "host", "--workers", "0", "--out", str(folder)]
    out, _ = said(capsys, "crawl", QUERY, "--shards", "2", *options, "--budget", "30p", "--publish", database)
    assert f"everythingisin{database}" in "".join(out.split()), "a long path is folded"
    for _ in range(2):
        assert by_url(*(in_database(database, table, 1) for table in ("pages", "sites"))) == by_url(
            *(in_folder(folder, table) for table in ("pages", "sites"))
        )
        [crawl] = asked_of(database, "SELECT * FROM crawls")
        with CrawlReader(folder) as known:
            assert (crawl["recorded"], crawl["relevant"]) == (known.summary().pages, known.summary().relevant)
        assert len(asked_of(database, "SELECT shard FROM crawl_shards")) == 2
        assert "nothing to add" in said(capsys, "publish", str(folder))[0]
        out, _ = said(capsys, "crawl", "--resume", str(folder), "--budget", "60p", "--json")
        assert json.loads(out.splitlines()[-1])["published"]["finished"]


def test_answers_and_verdicts_given_since_are_all_shards(
    server: LoopbackServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "c"
    options = [*flags(server)[:-2], "--shard-by", "host", "--workers", "0", "--out", str(folder)]
    said(capsys, "crawl", QUERY, "--shards", "2", *options, "--budget", "60p")
    said(capsys, "label", str(folder), answers="y\nn\n" * 6)
    said(capsys, "rejudge", str(folder), "--predicate", 'word("bread")')
    said(capsys, "crawl", "--resume", str(folder), "--budget", "80p")
    with opened(place_of(folder)) as ground:
        share = kept_in(ground).share
    assert share is not None
    assert len(share.answers) == 12
    for place in (folder, *sorted((folder / "shards").iterdir())):
        with CrawlReader(place) as crawl:
            final = final_verdicts(crawl)
            assert final is not None
            assert final["answers"] == 12, place
            assert crawl.statistic(OTHER_VERDICTS) is None


def test_a_crawl_and_a_shard_of_it_do_not_count_twice(
    server: LoopbackServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, both = tmp_path / "c", str(tmp_path / "both.json")
    options = [*flags(server)[:-2], "--shard-by", "host", "--workers", "0", "--out", str(folder)]
    said(capsys, "crawl", QUERY, "--shards", "2", *options)
    first, second = str(folder / "shards" / "00"), str(folder / "shards" / "01")
    for pair in ((str(folder), second), (second, str(folder))):
        told = mistake(capsys, "stats", "merge", *pair, "--out", both)
        assert f"which would count twice: leave out {second}" in told
    said(capsys, "stats", "merge", first, second, "--out", both)
    assert "leave out " in mistake(capsys, "stats", "merge", both, str(folder), "--out", str(tmp_path / "more.json"))
    pages = [json.loads(said(capsys, "stats", place, "--json")[0])["pages"] for place in (str(folder), both)]
    assert pages[0] == pages[1]
    learn = ["--learn-from", str(folder), "--learn-from", second, "--out", str(tmp_path / "next")]
    assert f"leave out {second}" in mistake(capsys, "crawl", QUERY, *flags(server)[:-2], *learn)


@POSTGRESQL
def test_shards_that_are_started_one_by_one(
    server: LoopbackServer, tmp_path: Path, capsys: pytest.CaptureFixture[str], postgres_server: DatabaseServer
) -> None:
    """Each with a folder of its own, as on machines of their own."""
    ground = ["--ground", postgres_server.url, "--name", "solar"]
    options = [*flags(server), "--shard-by", "host", "--workers", "0", *ground]
    _, told = said(capsys, "cluster", "start", QUERY, "--shards", "2", "--on", "nowhere", *options,
                   "--out", str(tmp_path / "begun"), "--publish", postgres_server.url)  # fmt: skip
    assert "dowse cluster shard N" in told
    command = [sys.executable, "-m", "dowse", "cluster", "shard"]
    machines = [
        subprocess.Popen(
            [*command, str(number), str(tmp_path / f"machine{number}"), *ground],
            stderr=subprocess.PIPE,
            env={**os.environ, "DOWSE_DATABASE": postgres_server.url},
        )
        for number in range(2)
    ]
    try:
        for machine in machines:
            _, told_there = machine.communicate(timeout=90)
            assert machine.returncode == 0, told_there
            assert told_there.decode().splitlines()[-1] == "stopped: empty: no URL is left to fetch"
    finally:
        for machine in machines:
            machine.kill()
    asked = pages_asked(server.log)
    assert (len(asked), set(asked.values())) == (ALL, {1})
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or b"only-for-tests" not in path.read_bytes(), path
    kept = asked_of(postgres_server.url, "SELECT settings FROM dowse_solar.crawl")
    assert "only-for-tests" not in kept[0]["settings"]
    [crawl] = asked_of(postgres_server.url, "SELECT id, recorded, stop_reason FROM crawls")
    assert (crawl["recorded"], crawl["stop_reason"]) == (ALL, "empty: no URL is left to fetch")
    assert len(asked_of(postgres_server.url, "SELECT id FROM pages WHERE crawl = 1")) == ALL
    parts = asked_of(postgres_server.url, "SELECT folder FROM crawl_shards ORDER BY shard")
    assert [part["folder"] for part in parts] == [str(tmp_path / f"machine{number}") for number in range(2)]
    for place in ([postgres_server.url, "--name", "solar"], [str(tmp_path / "begun")], [postgres_server.url]):
        assert len(said(capsys, "export", *place)[0].splitlines()) == ALL
        told, _ = said(capsys, "why", place[0], "http://h0.test/1", *place[1:])
        assert "fetched:" in told
        assert "are not in the database, but in " in told
        assert str(tmp_path / "machine0") in told
    said(capsys, "report", postgres_server.url, "--name", "solar", "--out", str(tmp_path / "report.html"))
    assert f"{ALL}" in (tmp_path / "report.html").read_text("utf-8")
    told, missing = said(capsys, "changes", postgres_server.url, "--since", "1d", "--all")
    assert told.startswith(f"{ALL} new pages")
    assert "what changed on a page cannot be told" in missing
    assert "which is not in the database" in mistake(capsys, "export", postgres_server.url, "--text")
    out, _ = said(capsys, "cluster", "status", postgres_server.url, "--name", "solar", "--json")
    told_of = json.loads(out)
    assert told_of["ended"] == ["empty", "no URL is left to fetch"]
    assert sum(shard["pages"] for shard in told_of["shards"]) == ALL
    assert "has the shards 0 to 1, and no 7" in mistake(capsys, "cluster", "shard", "7", str(tmp_path / "machine0"))
    lost = [*command, "0", str(tmp_path / "elsewhere"), *ground]
    done = subprocess.run(lost, capture_output=True, text=True, check=False, timeout=60)
    assert "the crawl's shard 0 has records, and they are not in" in done.stderr


def test_a_crawl_can_be_stopped_from_elsewhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "c"
    with in_thread(knotted(0.3)) as server:
        options = [*flags(server), "--shard-by", "host", "--workers", "0", "--concurrency", "1", "--out", str(folder)]
        crawl = subprocess.Popen(
            [sys.executable, "-m", "dowse", "crawl", QUERY, "--shards", "2", *options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            deadline = time.monotonic() + 60
            while len(pages_asked(server.log)) < 3 and time.monotonic() < deadline:
                time.sleep(0.05)
            _, told = said(capsys, "cluster", "stop", str(folder))
            assert told == "stopped: interrupted: by dowse cluster stop\n"
            out, _ = crawl.communicate(timeout=60)
            assert crawl.returncode == 130, out
            assert b"interrupted: by dowse cluster stop" in out
        finally:
            with suppress(ProcessLookupError):
                os.kill(crawl.pid, signal.SIGKILL)
    assert 3 <= len(pages_asked(server.log)) < ALL


def test_a_crawl_that_lost_a_part_says_so_and_loses_no_more(
    server: LoopbackServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, away = tmp_path / "c", tmp_path / "away"
    options = [*flags(server), "--shard-by", "host", "--workers", "0", "--out", str(folder), "--budget", "12p"]
    said(capsys, "crawl", QUERY, "--shards", "2", *options)
    more = ("crawl", "--resume", str(folder), "--budget", "40p")
    shard = folder / "shards" / "01"
    assert f"--resume {folder} goes on with all" in mistake(capsys, "crawl", "--resume", str(shard))
    (folder / "cluster.sqlite").rename(away)
    assert "bring cluster.sqlite back into it" in mistake(capsys, *more)
    away.rename(folder / "cluster.sqlite")
    shard.rename(away)
    _, told = said(capsys, *more, "--quiet", code=1)
    lost = f"shard 1 cannot go on: the crawl's shard 1 has records, and they are not in {shard}"
    assert told.splitlines()[-1] == f"dowse: {lost}"
    away.rename(shard)
    (folder / "cluster.sqlite").rename(away)
    (folder / "cluster.sqlite").write_bytes(b"no database" * 1000)
    assert "cluster.sqlite cannot be used: file is not a database" in mistake(capsys, *more)
    away.rename(folder / "cluster.sqlite")
    said(capsys, *more)
    asked = pages_asked(server.log)
    assert (len(asked), set(asked.values())) == (40, {1}), "all that it could not go on with cost nothing"


def test_mistakes_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert mistake(capsys, "cluster", "status", str(tmp_path)).endswith("holds no crawl of several shards\n")
    assert "--on mars: there are here, ray," in mistake(capsys, "cluster", "start", "x", "--on", "mars")
    assert "need a database" in mistake(capsys, "cluster", "start", "x", "--on", "nowhere")
    assert "a topic" in mistake(capsys, "cluster", "start")
    assert "there is kubernetes" in mistake(capsys, "cluster", "render", "nomad", "--ground", "postgresql://h/d")
    nowhere = ["--ground", "postgresql://me@127.0.0.1:9/none"]
    begin = ["cluster", "start", "x", "--on", "nowhere", "--seed", "http://h0.test/", "--out", str(tmp_path / "begun")]
    for _ in range(2):
        assert "port 9 failed: Connection refused" in mistake(capsys, *begin, *nowhere)
    assert "meet in postgresql://" in mistake(capsys, *begin, "--ground", "mysql://me@127.0.0.1:9/none")
    (tmp_path / "machine" / "shards").mkdir(parents=True)
    note_place(tmp_path / "machine", Place("postgresql://me@127.0.0.1:9/none", "solar"))
    assert "holds shards of postgresql://me@127.0.0.1:9/none (solar): leave out --ground" in mistake(
        capsys, "cluster", "shard", "0", str(tmp_path / "machine"), *nowhere, "--name", "wind"
    )
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    full = ["--out", str(tmp_path / "full"), "--seed", "http://h0.test/"]
    assert "is not empty" in mistake(capsys, "crawl", QUERY, "--shards", "2", *full)
    assert "there is no folder" in mistake(
        capsys, "crawl", QUERY, "--shards", "2", "--out", str(tmp_path / "new"), "--seed", "http://h0.test/",
        "--publish", f"sqlite:///{tmp_path}/none/x.db",
    )  # fmt: skip
    assert not (tmp_path / "new").exists()


def test_what_kubernetes_needs_names_no_password(capsys: pytest.CaptureFixture[str]) -> None:
    yaml = pytest.importorskip("yaml")
    out, _ = said(capsys, "cluster", "render", "kubernetes", "--ground", "postgresql://me:hidden@db/crawls",
                  "--name", "solar", "--shards", "8")  # fmt: skip
    assert "hidden" not in out
    service, stateful = yaml.safe_load_all(out)
    assert (service["kind"], stateful["kind"]) == ("Service", "StatefulSet")
    assert stateful["spec"]["replicas"] == 8
    [container] = stateful["spec"]["template"]["spec"]["containers"]
    assert "dowse cluster shard \"${HOSTNAME##*-}\" /crawl --ground 'postgresql://me@db/crawls'" in container["args"][0]
    assert container["env"][0]["name"] == "DOWSE_DATABASE"
    assert stateful["spec"]["volumeClaimTemplates"][0]["metadata"]["name"] == container["volumeMounts"][0]["name"]
