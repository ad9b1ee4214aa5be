"""Who takes part, and how each is started: a command that crawls everything reachable from one URL, and ends.

All of them have up to 32 requests under way, none waits between requests.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.speed.corpus import Missing

__all__ = ["CONTESTANTS", "Contestant", "versions"]

CONCURRENCY = 32
_HERE = Path(__file__).parent
_PEERS = ("scrapy", "selectolax")
_TOPIC = """\
query = "relational database replication"

[seeds]
urls = ["{url}"]

[scope]
reach = "host"

[politeness]
delay = 0
connections_per_host = {concurrency}

[network]
allow_private = true
"""


@dataclass(frozen=True, slots=True)
class Contestant:
    """``program`` is a file of ``peers/``; Dowse has none, since its own command line is what is measured, with one
    ``strategy`` or another: what a strategy learns is work on top of the pipeline that every crawl has."""

    name: str
    program: str = ""
    scrapy: bool = False
    strategy: str = ""
    pure: bool = False  # without the compiled core

    @property
    def environment(self) -> dict[str, str]:
        return {"DOWSE_PURE": "1"} if self.pure else {}

    @property
    def is_dowse(self) -> bool:
        return not self.program

    def command(self, url: str, work: Path) -> list[str]:
        """The command line; for Dowse with a folder made anew, for Scrapy with an environment of its own."""
        if self.is_dowse:
            return _dowse(url, work, self.strategy)
        python = _peer_python(work) if self.scrapy else sys.executable
        return [str(python), str(_HERE / "peers" / self.program), url, str(CONCURRENCY)]


CONTESTANTS = (
    Contestant("dowse", strategy="best-first"),
    Contestant("dowse-learning", strategy="learning"),
    Contestant("dowse-pure", strategy="best-first", pure=True),
    Contestant("dowse-learning-pure", strategy="learning", pure=True),
    Contestant("bare", "bare.py"),
    Contestant("scrapy-selectolax", "scrapy_selectolax.py", scrapy=True),
    Contestant("scrapy-css", "scrapy_css.py", scrapy=True),
    Contestant("scrapy-linkextractor", "scrapy_linkextractor.py", scrapy=True),
)


def versions(work: Path, *, scrapy: bool) -> dict[str, str]:
    """Releases of what is compared, with Scrapy's if it takes part."""
    found = _releases(sys.executable, "dowse", "aiohttp", "selectolax", "uvloop")
    return found | _releases(str(_peer_python(work)), "scrapy", "twisted", "parsel", "lxml") if scrapy else found


def _releases(python: str, *names: str) -> dict[str, str]:
    code = (
        "import importlib.metadata, json, sys; "
        "names = {name: importlib.metadata.version(name) for name in sys.argv[1:]}; "
        "print(json.dumps({'python': sys.version.split()[0]} | names))"
    )
    done = subprocess.run([python, "-c", code, *names], capture_output=True, text=True, check=True)
    return {str(name): str(version) for name, version in json.loads(done.stdout).items()}


def _dowse(url: str, work: Path, strategy: str) -> list[str]:
    out = work / "crawl"
    shutil.rmtree(out, ignore_errors=True)
    topic = work / "topic.toml"
    topic.write_text(_TOPIC.format(url=url, concurrency=CONCURRENCY))
    command = [sys.executable, "-m", "dowse", "crawl", str(topic), "--out", str(out), "--json"]
    return [*command, "--strategy", strategy]


def _peer_python(work: Path) -> Path:
    """Scrapy lives in an environment of its own, made once: it is no dependency of Dowse."""
    place = work / "peers"
    python = place / "bin" / "python"
    stamp = place / "complete"
    if not stamp.exists():
        print("installing", ", ".join(_PEERS), flush=True)
        shutil.rmtree(place, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *_PEERS]
        if subprocess.run(install).returncode:
            raise Missing(f"pip could not install {', '.join(_PEERS)} for the comparison: try --only dowse --only bare")
        stamp.touch()
    return python
