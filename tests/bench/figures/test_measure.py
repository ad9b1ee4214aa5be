"""Commands are run on a small web, results are stored and found again, and a stop loses nothing that was done."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import bench.figures.__main__ as command
import pytest
from bench.figures.declared.comparisons import kept_comparison
from bench.figures.declared.papers import kept_curves, kept_lift
from bench.figures.declared.verdicts import kept_verdicts
from bench.figures.figure import Measurement
from bench.figures.measure import Place, measure, minutes_of
from bench.figures.results import ROOT, Checkout, NotCommitted, checkout, stored

from dowse.lab.corpus import open_corpus
from tests.lab.compare.webs import write_labelled

AT = Checkout("abc1234", {})
SMALL = "--all-labels --min-pages 20 --seed-sets 1"


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpora")
    open_corpus(write_labelled(folder / "wikispeedia"), jobs=1)
    return folder


def place_in(folder: Path, corpora: Path) -> Place:
    return Place(ROOT, corpora, folder / "results", folder / "images")


def measured(one: Measurement, folder: Path, corpora: Path) -> Any:
    """What is stored of a command that must not fail."""
    told: list[str] = []
    failed = measure([one], place_in(folder, corpora), AT, told.append, lambda: None)
    assert failed == 0, told
    result = stored(one, folder / "results")
    assert result is not None
    assert (result.commit, result.source, result.command) == ("abc1234", AT.source_of(one), one.command)
    return result.found


def test_a_comparison_is_kept(tmp_path: Path, corpora: Path) -> None:
    line = f"dowse lab compare wikispeedia {SMALL} --budget 30% --strategy best-first"
    found = measured(Measurement("compare", line, 1, kept_comparison), tmp_path, corpora)
    rows = {row["strategy"]: row for row in found["rows"]}
    assert found["topics"] == 2
    assert set(rows) == {"learning", "best-first", "bfs", "random", "oracle-path", "oracle-greedy", "knapsack"}
    assert rows["best-first"]["auc_vs_best-first"] == {"mean": 1.0, "low": 1.0, "high": 1.0}
    areas = [rows[name]["auc"]["mean"] for name in ("learning", "best-first")]
    assert rows["learning"]["auc_vs_best-first"]["mean"] == pytest.approx(areas[0] / areas[1], rel=1e-3)
    assert rows["bfs"]["failed"]["mean"] > 0, "links that leave the web fail"


def test_a_figure_is_kept_with_its_picture(tmp_path: Path, corpora: Path) -> None:
    def kept(told: Any) -> Any:
        return {"curves": kept_curves((10, 30), told), "table": kept_lift(told)}

    line = f"dowse lab figure ag-linkage wikispeedia {SMALL} --budget 30% --strategy best-first --strategy bfs"
    found = measured(Measurement("lift", line, 1, kept, picture="lift.png"), tmp_path, corpora)
    assert (tmp_path / "images" / "lift.png").read_bytes().startswith(b"\x89PNG")
    table = {row["strategy"]: row for row in found["table"]}
    curves = {curve["strategy"]: curve["places"] for curve in found["curves"]}
    assert set(table) == set(curves) == {"best-first", "bfs", "random"}
    areas = [table[name]["area"]["mean"] for name in ("best-first", "bfs")]
    assert table["best-first"]["against"]["bfs"]["mean"] == pytest.approx(areas[0] / areas[1], rel=1e-3)
    assert [place["at"] for place in curves["bfs"]] == pytest.approx([10, 30], abs=1)
    assert curves["bfs"][-1]["mean"] == pytest.approx(table["bfs"]["harvest"]["mean"], rel=1e-3)


def test_verdicts_are_kept(tmp_path: Path, corpora: Path) -> None:
    line = "dowse lab judge wikispeedia --min-pages 20 --examples 0 --examples 3 --background-pages 30"
    found = measured(Measurement("judge", line, 1, kept_verdicts), tmp_path, corpora)
    settings = {
        (row["judge"], row["background"], row["examples"], row["counter_examples"]) for row in found["verdicts"]
    }
    assert ("learned", "bfs", 3, 3) in settings
    assert ("similarity", "", 0, 0) in settings
    assert {row["background"] for row in found["biases"]} == {"learning"}
    assert all(0 <= row["f1"]["mean"] <= 1 for row in found["verdicts"])


def bench(code: str) -> str:
    """A program that is given ``--json FILE``."""
    return f'-c "import json, pathlib, sys, time; {code}; pathlib.Path(sys.argv[-1]).write_text(json.dumps([1.5]))"'


def program(name: str, code: str, cores: int = 1) -> Measurement:
    return Measurement(name, f"python {bench(code)}", 0.1, lambda told: told, cores)


def test_one_that_fails_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    told: list[str] = []
    pages: list[int] = []
    todo = [program("bad", "sys.exit('no such web')"), program("good", "pass")]
    failed = measure(todo, place_in(tmp_path, tmp_path), AT, told.append, lambda: pages.append(1))
    assert failed == 1
    assert len(pages) == 2
    lines = {line.split()[0]: line for line in told}
    assert lines["bad"].endswith("FAILED: no such web")
    assert "of 2" in lines["good"]
    assert stored(todo[0], tmp_path / "results") is None
    assert json.loads((tmp_path / "results" / "good.json").read_text())["found"] == [1.5]


def test_what_may_use_both_cores_runs_alone(tmp_path: Path) -> None:
    """Each program notes its begin and its end in one file: one that takes both cores has nobody between the two."""
    log = tmp_path / "log"
    note = f"log = open('{log}', 'a'); print('NAME', file=log, flush=True); time.sleep(0.3); print('NAME', file=log)"
    todo = [program(name, note.replace("NAME", name), cores) for name, cores in (("a", 1), ("both", 2), ("b", 1))]
    assert measure(todo, place_in(tmp_path, tmp_path), AT, lambda _: None, lambda: None) == 0
    order = log.read_text().split()
    assert sorted(order) == ["a", "a", "b", "b", "both", "both"]
    first = order.index("both")
    assert order[first : first + 2] == ["both", "both"]


def test_a_stop_ends_what_runs_and_keeps_what_is_done(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    endless = f"import os; pathlib.Path('{note}').write_text(str(os.getpid())); time.sleep(600)"
    quick = f"[time.sleep(0.01) for _ in iter(pathlib.Path('{note}').exists, True)]"  # until the other has begun
    todo = [program("quick", quick), program("endless", endless)]

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure(todo, place_in(tmp_path, tmp_path), AT, lambda _: None, stop)
    assert stored(todo[0], tmp_path / "results") is not None
    assert stored(todo[1], tmp_path / "results") is None
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text()), 0)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "bench.figures", *arguments], cwd=ROOT, capture_output=True, text=True)


def test_mistakes_are_told_in_one_line() -> None:
    done = run("no-such-figure")
    assert done.returncode == 2
    assert done.stderr == "figures: there is no figure 'no-such-figure': --list tells which there are\n"


def test_names_choose_measurements() -> None:
    by_figure = [one.name for one in command._chosen(["learning-by-name"])]
    assert by_figure == ["query-wikispeedia", "query-docsweb", "query-webkb"]
    assert [one.name for one in command._chosen(["query-webkb"])] == ["query-webkb"]
    every = [one.name for one in command._chosen([])]
    assert len(set(every)) == len(every), "each is measured once, however many figures show it"


def git(folder: Path, *arguments: str) -> str:
    settings = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    return subprocess.run(["git", *settings, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def test_a_result_holds_while_what_it_reaches_stays(tmp_path: Path) -> None:
    one = Measurement("area", "dowse lab compare wikispeedia", 1, lambda told: told)
    cli = tmp_path / "src" / "dowse" / "cli"
    cli.mkdir(parents=True)
    (cli / "lab_figure.py").write_text("1\n")
    git(tmp_path, "init", "-q")

    def committed(name: str, text: str) -> Checkout:
        (tmp_path / name).write_text(text)
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-qm", name)
        return checkout(tmp_path)

    first = committed("src/dowse/cli/export.py", "1\n")
    for name in ("README.md", "src/dowse/cli/export.py", "src/dowse/room.py"):
        other = committed(name, "2\n")
        assert other.commit != first.commit
        assert other.source_of(one) == first.source_of(one), name
    (cli / "lab_figure.py").write_text("2\n")
    with pytest.raises(NotCommitted, match=r"changes that are not committed \(src/dowse/cli/lab_figure.py\)"):
        checkout(tmp_path)
    assert committed("README.md", "3\n").source_of(one) != first.source_of(one)


def test_an_interruption_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object, **__: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "_measure", interrupted)
    monkeypatch.setattr(sys, "argv", ["bench.figures"])
    with pytest.raises(SystemExit) as end:
        command.main()
    assert end.value.code == 130
    assert capsys.readouterr().err == "figures: interrupted; what is done is stored, the same command goes on\n"


def test_a_result_tells_wall_and_cpu_time(tmp_path: Path) -> None:
    """Of the command and of what it starts, so that a busy machine shows."""
    burn = "import time; until = time.process_time() + 0.3; any(iter(lambda: time.process_time() > until, True))"
    code = f"{burn}; import subprocess; subprocess.run([sys.executable, '-c', '{burn}'], check=True); time.sleep(0.4)"
    told: list[str] = []
    one = program("busy", code)
    assert measure([one], place_in(tmp_path, tmp_path), AT, told.append, lambda: None) == 0
    result = stored(one, tmp_path / "results")
    assert result is not None
    assert result.cpu_s >= 0.6
    assert result.seconds >= result.cpu_s + 0.3, "it slept"
    assert " of CPU" in told[0]


def test_what_is_left_counts_cores(tmp_path: Path) -> None:
    """Two that take one core each are as long as one that takes both."""
    told: list[str] = []
    todo = [replace(program("both", "pass", 2), minutes=7), replace(program("a", "pass"), minutes=4),
            replace(program("b", "time.sleep(0.5)"), minutes=4)]  # fmt: skip
    assert minutes_of(todo) == 7 + 2 + 2
    measure(todo, place_in(tmp_path, tmp_path), AT, told.append, lambda: None)
    assert "1 of 3, about 4 min left" in told[0]
