"""``dowse blocks`` as a user types it."""

from __future__ import annotations

import doctest
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dowse.cli import blocks as command
from dowse.cli.main import main
from dowse.loopback import LoopbackServer, Resource, Site, Web, in_thread
from tests.lab.blocks.pages import PORTAL, REGIONS

TOPIC = 'query = "perovskite solar cells"\n[judge]\nthreshold = 0.5\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    (tmp_path / "portal.html").write_text(PORTAL, "utf-8")
    (tmp_path / "topic.toml").write_text(TOPIC, "utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def server() -> Iterator[LoopbackServer]:
    with in_thread(Web.of(Site("lune.test", {"/": Resource(PORTAL.encode())}))) as running:
        yield running


def run(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    """What it says: on standard output, or of a mistake on standard error."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["dowse", "blocks", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
    out, err = capsys.readouterr()
    assert end.value.code == code, err
    if code:
        assert out == ""
        assert err.startswith("dowse: ")
        assert err.count("\n") == 1
        return err.removeprefix("dowse: ").rstrip("\n")
    assert err == ""
    return out


def test_examples() -> None:
    assert doctest.testmod(command).failed == 0


def test_the_blocks_of_a_page_in_order(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "portal.html", "--topic", "topic.toml").splitlines()
    assert lines[0] == "Lune Post"
    assert re.fullmatch(
        r"gray tunnel: the page \(similarity 0\.\d{4}\) is below the threshold 0\.5000, block 2 \(0\.\d{4}\) is not",
        lines[1],
    )
    assert lines[3].split() == ["similarity", "words", "links", "where", "text"]
    rows = lines[4:]
    for number, (row, (words, links, heading, path, _)) in enumerate(zip(rows, REGIONS, strict=True), 1):
        assert re.match(rf"{'[*]' if number == 2 else ' '} +{number}  [01]\.\d{{4}}", row)
        assert re.search(rf" {words} +{links}  {re.escape(heading or path)} ", row)
    assert "████████" in rows[1]
    assert all(len(line) <= 100 for line in lines)
    assert "\x1b" not in "".join(lines), "no colours in a pipe"


@pytest.mark.parametrize("columns", ["40", "72", "160"])
def test_it_fits_the_terminal(
    columns: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    rows = run(capsys, "portal.html", "--topic", "topic.toml").splitlines()[3:]
    assert max(map(len, rows)) <= max(int(columns), 60)
    assert len(rows) == 5


def test_json_for_programs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(run(capsys, "portal.html", "--topic", "topic.toml", "--json", "--picture", "p.html"))
    assert (told["source"], told["title"], told["method"], told["best"]) == (
        "portal.html",
        "Lune Post",
        "similarity",
        2,
    )
    assert told["gray_tunnel"]
    assert not told["relevant"]
    assert told["score"] < told["threshold"] == 0.5 < told["blocks"][1]["score"] == told["blocks"][1]["similarity"]
    keys = ("words", "links", "heading", "path", "text")
    assert [tuple(block[key] for key in keys) for block in told["blocks"]] == list(REGIONS)
    assert (folder / "p.html").is_file()


def test_pictures(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "portal.html", "--topic", "topic.toml", "--picture", "p.PNG").endswith("\npicture: p.PNG\n")
    assert (folder / "p.PNG").read_bytes().startswith(b"\x89PNG")
    run(capsys, "portal.html", "--topic", "perovskite solar cells", "--picture", "p.html")
    page = (folder / "p.html").read_text("utf-8")
    assert "Topic: <bdi>perovskite solar cells</bdi>" in page
    assert 'class="blk' in page


def test_a_page_of_the_web(server: LoopbackServer, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for allowed in (["--allow-private"], ["--allow-address", "127.0.0.1"]):
        told = run(
            capsys, "http://lune.test/", "--topic", "topic.toml", "--resolve", f"*.test={server.address}", *allowed
        )
        assert told.startswith("Lune Post\ngray tunnel: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.html", "--topic", "x"], "cannot read nowhere.html: no such file or directory"),
        (["portal.html"], "missing option '--topic'"),
        (["portal.html", "--topic", " "], "--topic: is empty"),
        (["portal.html", "--topic", "!?"], "the topic says nothing to look for"),
        (["portal.html", "--topic", "missing.toml"], "missing.toml: cannot read the topic file"),
        (["portal.html", "--topic", "x", "--picture", "p.gif"], "--picture: 'p.gif' must end in"),
        (["nowhere.html", "--topic", "x", "--picture", "no/p.png"], "cannot write no/p.png: No such file or directory"),
        (["nowhere.html", "--topic", "x", "--picture", "d.png"], "cannot write d.png: it is a folder"),
        (["http://127.0.0.1:8/", "--topic", "x"], "cannot fetch http://127.0.0.1:8/: address"),
        (["http://[", "--topic", "x"], "http://[ is not a web address"),
        (["portal.html", "--topic", "x", "--resolve", "y"], "--resolve: write HOST=ADDRESS[:PORT], not 'y'"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line(
    arguments: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkdir("d.png")
    assert run(capsys, *arguments, code=2).startswith(said)
    assert {path.name for path in folder.iterdir()} == {"portal.html", "topic.toml", "d.png"}


def test_odd_pages_are_told_on_one_line_a_block(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "odd.html").write_bytes(
        b"<title>\x1b[31m\xe2\x80\xaered</title><div><div><a href=/>a [bold]b[/bold]\x9b \xe9\x88\xa3</a></div></div>"
        b"<div><div><p>\xe2\x80\xaex<a href=/x></a></div></div>"
    )
    out = run(capsys, "odd.html", "--topic", "x")
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "[bold]b[/bold]" in out
    assert len(out.splitlines()) == 6
    (folder / "empty.html").write_bytes(b"")
    out = run(capsys, "empty.html", "--topic", "x")
    assert (
        out.splitlines()[1]
        == "no gray tunnel: nothing on the page is on the topic (similarity 0.0000, threshold 0.0600)"
    )
    assert len(out.splitlines()) == 5
