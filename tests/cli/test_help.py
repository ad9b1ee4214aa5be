"""Help and completion: whole sentences, everywhere, in one style."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.cli.labelled import mistake, said
from tests.docs.cli_reference import commands


@pytest.mark.parametrize("command", [*commands(), "", "lab", "stats", "hostile"])
def test_short_and_long_help_are_the_same(capsys: pytest.CaptureFixture[str], command: str) -> None:
    told = said(capsys, *command.split(), "-h")[0]
    assert told == said(capsys, *command.split(), "--help")[0]
    assert "Usage: dowse" in told


@pytest.mark.parametrize("group", ["", "lab", "stats", "hostile"])
def test_a_command_is_told_in_whole_sentences(capsys: pytest.CaptureFixture[str], group: str) -> None:
    told = " ".join(said(capsys, *group.split(), "--help")[0].split())
    inside = {name: command for name, command in commands().items() if name.startswith(f"{group} ")}
    for command in (inside or {name: one for name, one in commands().items() if " " not in name}).values():
        assert str(command.help).partition("\n")[0] in told
    assert "..." not in told.partition("Commands:")[2]


def test_metavars_have_one_style() -> None:
    used = {parameter.metavar for command in commands().values() for parameter in command.params}
    assert not used & {"NUMBER", "FOLDER", "PATH", "TEXT", "INT", "INTEGER", "COUNT", "DIRECTORY"}


def test_bash_completes_commands_and_options() -> None:
    for words, expected in (("dowse exp", "export"), ("dowse crawl --bud", "--budget")):
        asked = {"_DOWSE_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
        done = subprocess.run(
            [sys.executable, "-m", "dowse"], env=os.environ | asked, capture_output=True, text=True, timeout=60
        )  # fmt: skip
        assert re.search(rf"^{expected}$", done.stdout, re.MULTILINE), done.stdout + done.stderr


def test_a_topic_without_quotes_gets_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    told = mistake(capsys, "crawl", "solar", "cells", "--seed", "http://a.test/")
    assert "unexpected extra argument" in told
    assert "put a topic of several words in quotes" in told
