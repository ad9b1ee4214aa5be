"""docs/traces.md: its rules, formats and files are those of the code, and its example runs."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from dowse.cli.main import main
from dowse.traces import FORMATS, LeftOut, Limits, load_traces
from tests.docs.markdown import DOCS, blocks, codes, section, tables

TEXT = (DOCS / "traces.md").read_text(encoding="utf-8")


def test_every_format_is_described() -> None:
    rows = tables(section(TEXT, "Formats"))[0][1:]
    assert [name for row in rows for name in codes(row[0])] == list(FORMATS)


def test_every_rule_is_described() -> None:
    rows = tables(section(TEXT, "What counts"))[0][1:]
    assert [row[0] for row in rows] == [str(rule) for rule in LeftOut]
    told = " ".join(row[1] for row in rows)
    assert f"the first {Limits().a_day} accesses" in told
    assert f"the latest {Limits().in_all:,}" in told


def test_the_example_runs_and_the_folder_is_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    script = blocks(TEXT, "sh")[0].text
    log, commands = script.split("\nEND\n")
    subprocess.run(["sh", "-c", f"{log}\nEND\n"], check=True)
    for line in commands.strip().splitlines():
        monkeypatch.setattr(sys, "argv", shlex.split(line))
        with pytest.raises(SystemExit) as end:
            main()
        assert not end.value.code
    assert "2 accesses by 2 users in 2 sessions, to 1 page on 1 host" in capsys.readouterr().out
    rows = tables(section(TEXT, "The folder"))[0][1:]
    assert {name for row in rows for name in codes(row[0])} == {file.name for file in Path("traces").iterdir()}
    traces = load_traces(Path("traces"))
    for name, types, _ in rows[1:]:
        for file, kind in zip(codes(name), re.split(", ", types) * 2, strict=False):
            column = file.removesuffix(".npy")
            if not column.startswith("urls"):
                assert getattr(traces, column).dtype == kind
    exec(compile(blocks(TEXT, "python")[0].text, "docs/traces.md", "exec"), {})
    assert "2 people went there" in capsys.readouterr().out
