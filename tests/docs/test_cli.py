"""docs/cli.md is what the command line says, its examples work, and its exit codes are true."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dowse.cli.main import main
from tests.docs.cli_reference import EXAMPLES, EXIT_CODES, REGENERATE, TARGET, commands, reference


def run(command: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """The exit code of a command line."""
    monkeypatch.setattr(sys, "argv", shlex.split(command))
    with pytest.raises(SystemExit) as end:
        main()
    assert isinstance(end.value.code, int)
    return end.value.code


def at(address: str) -> str:
    return f"--resolve '*.dowse.test={address}' --allow-private --workers 0"


def test_the_reference_is_what_the_command_line_says() -> None:
    assert TARGET.read_text(encoding="utf-8") == reference(), f"docs/cli.md is out of date: run {REGENERATE}"


def test_every_command_has_one_example() -> None:
    assert list(EXAMPLES) == list(commands())
    assert all(example.startswith(f"dowse {name}") for name, example in EXAMPLES.items())


@pytest.mark.parametrize("name", ["init", "why", "report", "export", "strategies", "lab info"])
def test_the_examples_that_need_no_web_run(
    name: str, crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(crawl, tmp_path / "demo-crawl" / "learning")
    monkeypatch.chdir(tmp_path)
    assert run(EXAMPLES[name], monkeypatch) == 0
    assert capsys.readouterr().out


def test_exit_code_0_when_done(web: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    command = f"dowse crawl solar --seed http://portal.dowse.test/ -b 3p --delay 0 -q -o crawl {at(web)}"
    assert run(command, monkeypatch) == 0


def test_exit_code_1_when_no_page_was_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("dowse crawl solar --seed http://127.0.0.1:8/ --workers 0 -q -o crawl", monkeypatch) == 1
    assert "no page was fetched" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        "dowse crawl",
        "dowse crawl --predicate 'words > 3'",
        "dowse crawl solar --seed http://portal.dowse.test/ --budget 3",
        "dowse crawl --resume nowhere",
        "dowse crawl missing.toml",
        "dowse crawl solar --no-such-option",
        "dowse no-such-command",
        "dowse judge page.html",
        "dowse why nowhere http://portal.dowse.test/",
        "dowse export nowhere --to xml",
        "dowse lab info nowhere",
        "dowse lab info .",
    ],
)
def test_exit_code_2_and_one_line_for_a_mistake(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(command, monkeypatch) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_exit_code_130_when_interrupted_and_it_can_be_resumed(
    web: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = f"-m dowse crawl solar --seed http://portal.dowse.test/ --delay 30 -o crawl --json {at(web)}"
    with subprocess.Popen([sys.executable, *shlex.split(command)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert b'"event": "start"' in process.stdout.readline()
        os.kill(process.pid, signal.SIGINT)
        process.stdout.read()
    assert process.returncode == 130
    assert run("dowse crawl --resume crawl --delay 0 -b 3p -q", monkeypatch) == 0
    assert set(EXIT_CODES) == {0, 1, 2, 130, 143}
