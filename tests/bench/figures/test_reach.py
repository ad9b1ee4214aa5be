"""What a command can reach is at least what it loads; what it cannot reach leaves its result valid."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from bench.figures.declared import FIGURES
from bench.figures.reach import SOURCES, reached
from bench.figures.results import ROOT

from tests.lab.compare.webs import write_labelled

LAB = ("dowse", "lab", "compare", "wikispeedia")


def files(root: Path = ROOT) -> list[str]:
    found = (path for name in SOURCES for path in [root / name, *(root / name).rglob("*")])
    return [str(path.relative_to(root)) for path in found if path.is_file() and "__pycache__" not in path.parts]


def of_lab() -> set[str]:
    return reached(LAB, ROOT, files())


def write(root: Path, **modules: str) -> None:
    """Modules of Dowse by name (``a__b`` is in the folder a), beside what every command has."""
    (root / "src/dowse/cli").mkdir(parents=True)
    texts = {"__init__": "", "__main__": "from dowse.cli.main import main", "cli____init__": "", "cli__main": ""}
    for name, text in (texts | {"cli__lab_figure": ""} | modules).items():
        path = root / "src/dowse" / f"{'/'.join(name.split('__', 1) if name[0] != '_' else [name])}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text + "\n")


def names(root: Path, *words: str) -> set[str]:
    return {name.removeprefix("src/dowse/") for name in reached(words, root, files(root))}


def test_the_lab_reaches_the_crawl_and_no_other_command() -> None:
    found = of_lab()
    for name in (
        "cli/main.py", "cli/lab_compare.py", "lab/compare/plan.py", "engine/loop/dispatch.py", "predict/tunnel.py",
        "judge/learned/__init__.py", "parse/documents/pdf_process.py", "model/words.py", "__init__.py",
    ):  # fmt: skip
        assert f"src/dowse/{name}" in found, name
    assert {"src/core/module.c", "setup.py"} <= found
    for name in ("cli/traces.py", "cli/export.py", "loopback/demo.py", "testing/contract.py", "recrawl/crawled.py"):
        assert (ROOT / "src/dowse" / name).is_file()
        assert f"src/dowse/{name}" not in found, name
    assert not any(name.startswith("bench/") for name in found)


def test_what_a_run_of_the_lab_loads_is_reached(tmp_path: Path) -> None:
    corpus = write_labelled(tmp_path / "wikispeedia")
    code = """
import json, runpy, sys
try:
    runpy.run_module("dowse", run_name="__main__")
finally:
    print(json.dumps([m.__file__ for n, m in sys.modules.items() if n.split(".")[0] == "dowse"]), file=sys.stderr)
"""
    options = (
        "--all-labels --min-pages 20 --seed-sets 1 --budget 30% --strategy best-first --strategy learning --jobs 1"
    )
    line = [sys.executable, "-c", code, "lab", "compare", str(corpus), *options.split()]
    done = subprocess.run(line, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    loaded = {str(Path(name).relative_to(ROOT)) for name in json.loads(done.stderr.splitlines()[-1])}
    assert len(loaded) > 200
    assert {name for name in loaded if name.endswith(".py")} <= of_lab()


@pytest.mark.parametrize(
    "text",
    [
        "from dowse.cluster.shard import split",
        "import dowse.cluster.shard",
        "def late():\n    from dowse.cluster import shard",
        "if TYPE_CHECKING:\n    from dowse.cluster.shard import Shard",
        "from .shard import split",
        "LAZY = {'dowse.cluster.shard': ('split',)}",
        "COMMAND = ['-m', 'dowse.cluster.shard']",
        "def load(name): return import_module(f'dowse.cluster.{name}')",
        "PROGRAM = Path(__file__).with_name('shard.py')",
    ],
)
def test_ways_to_reach_a_module(tmp_path: Path, text: str) -> None:
    write(
        tmp_path, cli__lab_figure="import dowse.cluster", cluster____init__=text, cluster__shard="", cluster__other=""
    )
    write_other = {"cluster/shard.py"} | ({"cluster/other.py"} if "{name}" in text else set())
    found = names(tmp_path, "dowse", "lab", "figure")
    assert {name for name in found if "cluster" in name} == {"cluster/__init__.py"} | write_other


def test_a_command_of_the_lab_reaches_no_other_command_and_whoever_runs_commands_reaches_all(tmp_path: Path) -> None:
    every = 'def make(name): return import_module(f"dowse.cli.{name}")'
    write(tmp_path, cli__main=every, cli__crawl="import dowse.fetch", cli__lab_figure="", fetch="")
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "runs.py").write_text("COMMAND = [sys.executable, '-m', 'dowse', 'crawl']\n")
    (tmp_path / "bench" / "runs_not.py").write_text("import dowse\n")
    assert "cli/crawl.py" not in names(tmp_path, "dowse", "lab", "figure")
    assert "fetch.py" in names(tmp_path, "dowse", "crawl")
    assert {"bench/runs.py", "cli/crawl.py", "fetch.py"} <= names(tmp_path, "python", "-m", "bench.runs")
    assert names(tmp_path, "python", "-m", "bench.runs_not") == {"bench/runs_not.py", "__init__.py"}


def test_of_what_is_not_understood_everything_counts() -> None:
    assert reached(("python", "-c", "print(1)"), ROOT, files()) == {
        name for name in files() if not name.startswith("bench/figures/")
    }


def test_every_measurement_reaches_what_it_starts() -> None:
    for one in {one for figure in FIGURES for one in figure.of}:
        found = reached(one.words, ROOT, files())
        own = "src/dowse/cli/lab_figure.py" if one.words[0] == "dowse" else f"{one.words[2].replace('.', '/')}"
        assert any(name.startswith(own) for name in found), one.name
