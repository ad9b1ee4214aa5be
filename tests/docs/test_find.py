"""docs/find.md: its tables name what there is, and its commands without internet run."""

from __future__ import annotations

import inspect
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from dowse.cli.main import main
from dowse.model.topic import Find
from dowse.seeds.engines import ENGINES, GROUPS
from dowse.seeds.keys import key_variable
from dowse.store.seed_targets import TARGETS
from tests.docs.markdown import DOCS, blocks, codes, section, tables

TEXT = (DOCS / "find.md").read_text(encoding="utf-8")


def test_every_engine_is_described_with_its_key() -> None:
    rows = tables(section(TEXT, "Engines"))[0][1:]
    assert [codes(row[0])[0] for row in rows] == list(ENGINES)
    keys = {codes(row[0])[0]: row[1] for row in rows}
    for name, made in ENGINES.items():
        key = inspect.signature(made).parameters.get("key")
        needed = key is not None and key.default is inspect.Parameter.empty
        assert keys[name] == ("needed" if needed else "none" if key is None else "optional"), name
    variables = codes(tables(section(TEXT, "Keys"))[0][1][1])
    assert {key_variable(name) for name, key in keys.items() if key != "none"} <= set(variables)
    for group, names in GROUPS.items():
        assert f"`{group}` ({', '.join(names)})" in TEXT


def test_what_engines_can_say_is_told_of_each() -> None:
    rows = tables(section(TEXT, "Queries"))[1][1:]
    assert {name for row in rows for name in codes(row[0])} == set(ENGINES) - {"file"}


def test_limits_are_those_of_the_topic() -> None:
    for _, key, default, _ in tables(section(TEXT, "Limits"))[0][1:]:
        assert str(getattr(Find(), codes(key)[0].partition(".")[2])) == default


def test_every_target_is_described() -> None:
    named = " ".join(row[0] for row in tables(section(TEXT, "What comes of it"))[0][1:])
    assert all(f"{ending}`" in named for ending in TARGETS if ending != ".ndjson")


def test_the_example_without_internet_runs(
    crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(crawl, tmp_path / "demo-crawl" / "bfs")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    lines = [line for block in blocks(TEXT, "sh") for line in block.text.splitlines() if "local:demo-crawl" in line]
    assert len(lines) == 2
    for line in lines:
        monkeypatch.setattr(sys, "argv", shlex.split(line))
        with pytest.raises(SystemExit) as end:
            main()
        assert not end.value.code
    told = capsys.readouterr()
    assert "http://" in told.out
    assert "written to found.jsonl" in told.out
    assert (tmp_path / "solar.toml").is_file()
