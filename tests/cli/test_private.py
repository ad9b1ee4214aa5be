"""What a crawl writes is its owner's to read, a proxy's password is nowhere in it, and any clock will do."""

from __future__ import annotations

import os
import sqlite3
import stat
from base64 import b64encode
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.loopback import LoopbackServer, Web, in_thread
from dowse.loopback.web import Ask
from tests.cli.labelled import QUERY, said, two_kinds

SECRET = "hunter2-s3cret"
LOGINS: set[str] = set()


def told_of(ask: Ask) -> None:
    LOGINS.add(ask.headers.get("proxy-authorization", ""))


@pytest.fixture(scope="module")
def proxy() -> Iterator[LoopbackServer]:
    """It answers for every host, as a proxy does."""
    web = two_kinds()
    (site,) = web.sites.values()
    with in_thread(Web.of(replace(site, made={"/robots.txt": told_of}))) as running:
        yield running


def crawl(folder: Path, *more: str) -> list[str]:
    return ["crawl", QUERY, "--seed", "http://a.test/", "--allow-private", "--workers", "0", "--delay", "0",
            "--budget", "5p", "--out", str(folder), *more]  # fmt: skip


def all_bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def check_unsaid(folder: Path, *texts: str) -> None:
    for text in (*texts, all_bytes(folder).decode("latin-1")):
        assert SECRET not in text
        assert "crawler:" not in text
        assert b64encode(f"crawler:{SECRET}".encode()).decode() not in text


def test_a_proxys_password_is_kept_nowhere(
    proxy: LoopbackServer, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, url = tmp_path / "crawl", f"http://crawler:{SECRET}@{proxy.address}"
    check_unsaid(folder, *said(capsys, *crawl(folder, "--proxy", url)))
    assert b64encode(f"crawler:{SECRET}".encode()).decode() in max(LOGINS), "it was sent"
    check_unsaid(folder, *said(capsys, "report", str(folder)), *said(capsys, "why", str(folder), "http://a.test/"))
    resume = ["crawl", "--resume", str(folder), "--workers", "0", "--budget", "9p"]
    _, err = said(capsys, *resume, code=2)
    assert "DOWSE_PROXY" in err
    assert err.count("\n") == 1
    check_unsaid(folder, err)
    count = len(proxy.log)
    monkeypatch.setenv("DOWSE_PROXY", url)
    check_unsaid(folder, *said(capsys, *resume))
    assert len(proxy.log) > count, "it goes on"
    monkeypatch.delenv("DOWSE_PROXY")
    check_unsaid(folder, *said(capsys, *resume, "--budget", "12p", "--proxy", url))


def test_another_proxy_needs_no_password(
    proxy: LoopbackServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "crawl"
    said(capsys, *crawl(folder, "--proxy", f"http://crawler:{SECRET}@{proxy.address}"))
    said(capsys, "crawl", "--resume", str(folder), "--workers", "0", "--budget", "9p", "--proxy",
         f"http://{proxy.address}/")  # fmt: skip


def test_a_proxy_that_fails_is_told_without_its_password(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "crawl"
    out, err = said(capsys, *crawl(folder, "--proxy", f"http://crawler:{SECRET}@127.0.0.1:1", "--budget", "2r"), code=1)
    check_unsaid(folder, out, err)
    check_unsaid(folder, *said(capsys, "why", str(folder), "http://a.test/"))
    for bad in (f"socks5://crawler:{SECRET}@127.0.0.1:1", f"http://crawler:{SECRET}@"):
        check_unsaid(folder, *said(capsys, *crawl(tmp_path / "none", "--proxy", bad), code=2))
    topic = tmp_path / "topic.toml"
    topic.write_text(f'query = "x"\n[network]\nproxy = "socks5://crawler:{SECRET}@127.0.0.1:1"\n', "utf-8")
    check_unsaid(folder, *said(capsys, "crawl", str(topic), "--seed", "http://a.test/", code=2))


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.rglob("*"))}


def test_others_may_not_read_it(proxy: LoopbackServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = os.umask(0o022)
    try:
        folder = tmp_path / "sub" / "crawl"
        said(capsys, *crawl(folder, "--resolve", f"*={proxy.address}", "--strategy", "learning"))
        said(capsys, "stats", "save", str(folder), "--out", str(tmp_path / "stats.json"))
        said(capsys, "export", str(folder), "--out", str(tmp_path / "pages.jsonl"))
        again = tmp_path / "again"
        said(capsys, *crawl(again, "--resolve", f"*={proxy.address}", "--learn-from", str(tmp_path / "stats.json")))
    finally:
        os.umask(before)
    found = {**modes(folder), **modes(again)}
    kept = {name for name in found if name.startswith("dowse") or name == "learned.json"}
    assert kept >= {"dowse.sqlite", "dowse-00000.warc.gz", "dowse.ledger", "dowse.lock", "learned.json"}
    assert {found[name] for name in kept} == {0o600}
    assert (found["crawl"], found["again"]) == (0o700, 0o700)
    assert stat.S_IMODE((tmp_path / "sub").stat().st_mode) == 0o755, "folders on the way are no crawl's"
    for name in ("stats.json", "pages.jsonl"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o644, "what is made for others is as the user has it"


def test_a_folder_that_is_there_stays_as_open_as_it_is(
    proxy: LoopbackServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    said(capsys, *crawl(shared, "--resolve", f"*={proxy.address}"))
    assert modes(shared)["shared"] == 0o755
    assert modes(shared)["dowse.sqlite"] == 0o600


@pytest.mark.parametrize("wall", [291_764_000_000.0, 4e15, -62_135_596_800.0 - 1e6, -1e15])
def test_a_clock_of_another_age(
    wall: float, proxy: LoopbackServer, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """In the year 11216, in the year 100 million, before the first."""
    folder = tmp_path / "crawl"
    monkeypatch.setattr("dowse.model.clock.SystemClock.wall", lambda self: wall)
    said(capsys, *crawl(folder, "--resolve", f"*={proxy.address}"))
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as records, records:
        records.execute("UPDATE sites SET not_before = NULL")  # else it is far ahead of such a clock, a minute's wait
    said(capsys, "crawl", "--resume", str(folder), "--workers", "0", "--budget", "9p")
    for command in (["why", str(folder), "http://a.test/"], ["report", str(folder)], ["export", str(folder)]):
        said(capsys, *command)
    said(capsys, "export", str(folder), "--to", "parquet", "--out", str(tmp_path / "out.parquet"))
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as records:
        assert {len(at) for (at,) in records.execute("SELECT fetched_at FROM pages")} == {27}
    said(capsys, *crawl(tmp_path / "cached", "--resolve", f"*={proxy.address}", "--cache", str(folder)))
