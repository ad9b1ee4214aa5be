"""What an installed Dowse must have and do. ``make wheel`` and cibuildwheel run this with the Python of a new
environment that holds the wheel and what it depends on, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import tempfile
from fnmatch import fnmatch
from importlib.metadata import files
from pathlib import Path

import dowse
from dowse.loopback.demo import DEMO_QUERY, DEMO_SEEDS
from dowse.loopback.serve import demo_process

_CARRIED = ("dowse/_core.*", "dowse/py.typed", "dowse/lab/*.css", "dowse/loopback/vocabulary/*.toml")
_PAGES = 40


def _demand(held: object, otherwise: str) -> None:
    if not held:
        sys.exit(f"not a working wheel: {otherwise}")


def _run(*arguments: str) -> str:
    command = [str(Path(sysconfig.get_path("scripts")) / "dowse"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    _demand(done.returncode == 0, f"{' '.join(command)} ended with {done.returncode}\n{done.stderr}")
    return done.stdout


def check_files() -> None:
    """The wheel carries the compiled core and its data, and nothing that is not Dowse."""
    carried = [str(file) for file in files("dowse") or ()]
    for pattern in _CARRIED:
        _demand(any(fnmatch(file, pattern) for file in carried), f"it carries no {pattern}")
    others = [file for file in carried if not file.startswith(("dowse/", "dowse-", "../"))]
    _demand(not others, f"it carries {', '.join(others[:3])}")


def check_crawl() -> None:
    """A crawl of the demo's web finds relevant pages, and can be read afterwards."""
    seeds = [part for seed in DEMO_SEEDS for part in ("--seed", seed)]
    with tempfile.TemporaryDirectory() as folder, demo_process() as address:
        network = ("--resolve", f"*.dowse.test={address}", "--allow-private", "--delay", "0", "--workers", "1")
        told = _run("crawl", DEMO_QUERY, *seeds, *network, "--budget", f"{_PAGES}p", "--out", f"{folder}/c", "--json")
        summary = json.loads(told.splitlines()[-1])
        _demand(summary["pages"] == _PAGES and summary["relevant"] > 0, f"the crawl ended with {summary}")
        pages = _run("export", f"{folder}/c", "--relevant").splitlines()
        _demand(len(pages) == summary["relevant"], "the export has other pages than the crawl")
        _demand("found: it is a seed" in _run("why", f"{folder}/c", DEMO_SEEDS[0]), "dowse why does not know a seed")


def main() -> None:
    _demand(Path(dowse.__file__).is_relative_to(sys.prefix), f"dowse is imported from {dowse.__file__}")
    version = _run("--version").strip()
    _demand(version.endswith("(with the compiled core)"), version)
    check_files()
    check_crawl()
    sys.stdout.write(f"{version}, Python {sys.version.split()[0]}: installed and working\n")


if __name__ == "__main__":
    main()
