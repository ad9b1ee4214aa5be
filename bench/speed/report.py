"""What was measured, as tables in Markdown and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from bench.speed.measure import Usage
from bench.speed.stages import Stages, stage_table

__all__ = ["Report", "Result", "Run", "Size"]

_EXAMPLES = 5
_YARDSTICK = "scrapy-linkextractor"
_PURE = "-pure"  # ends the name of a contestant without the compiled core


@dataclass(frozen=True, slots=True)
class Run:
    """One crawl by one contestant, as measured and as the server saw it."""

    usage: Usage
    pages: int  # reachable pages that were fetched
    missing: list[str]
    doubled: list[str]
    beyond: list[str]
    others: dict[str, int]  # answers that are no page, by status
    xml_pages: int  # fetched pages that begin with an XML declaration

    @property
    def cpu_ms(self) -> float:
        return self.usage.cpu_s * 1000 / self.pages

    @property
    def pages_per_s(self) -> float:
        return self.pages / self.usage.wall_s

    def line(self) -> str:
        """One line, and one more for whatever is not as it should be."""
        text = (
            f"{self.pages:6,} pages  {self.cpu_ms:6.2f} ms CPU a page  {self.pages_per_s:6.0f} pages/s  "
            f"{self.usage.memory_bytes / 1e6:5.0f} MB"
        )
        for what, pages in (("missing", self.missing), ("doubled", self.doubled), ("beyond", self.beyond)):
            if pages:
                text += f"\n    {len(pages):,} {what}: {', '.join(pages[:_EXAMPLES])}"
        if self.others:
            text += f"\n    other answers: {', '.join(f'{count} x {status}' for status, count in self.others.items())}"
        return text


def _run(told: Mapping[str, Any]) -> Run:
    return Run(**{**told, "usage": Usage(**told["usage"])})


@dataclass(slots=True)
class Result:
    """All runs of a contestant."""

    name: str
    runs: list[Run] = field(default_factory=list)

    def speed(self) -> float:
        return max(run.pages_per_s for run in self.runs)


@dataclass(frozen=True, slots=True)
class Size:
    """A corpus: its pages (the index page included), their bytes and links, and those that begin with ``<?xml``."""

    packages: dict[str, str]
    pages: int
    bytes: int
    links: int
    xml_pages: int

    def __str__(self) -> str:
        return (
            f"{self.pages:,} reachable pages of {self.bytes / self.pages / 1e3:.1f} KB with "
            f"{self.links / self.pages:.0f} links on average, {self.xml_pages:,} of which begin with `<?xml`"
        )


@dataclass(slots=True)
class Report:
    """Everything one call of the benchmark found out."""

    versions: dict[str, str]
    size: Size
    results: list[Result]
    profiles: dict[str, Stages] = field(default_factory=dict)  # by contestant
    memory: dict[str, list[Run]] = field(default_factory=dict)  # by contestant, from small to large

    def sections(self) -> dict[str, str]:
        """Markdown by the name of its section; only what was measured."""
        made = {"speed": self._speed()} if self.results else {}
        if any(result.name.endswith(_PURE) for result in self.results):
            made["core"] = self._core()
        if self.profiles:
            made["stages"] = stage_table(self.profiles)
        if self.memory:
            made["memory"] = self._memory()
        return made

    def write_json(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), indent=1) + "\n")

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Report:
        """What was written as JSON."""
        return cls(
            told["versions"], Size(**told["size"]),
            [Result(one["name"], list(map(_run, one["runs"]))) for one in told["results"]],
            {name: Stages(**stages) for name, stages in told["profiles"].items()},
            {name: list(map(_run, runs)) for name, runs in told["memory"].items()},
        )  # fmt: skip

    def _speed(self) -> str:
        slowest = next((result.speed() for result in self.results if result.name == _YARDSTICK), None)
        lines = [
            "| | CPU ms a page | pages/s | times LinkExtractor | memory, MB | pages fetched | missing | doubled |",
            "|---|---:|---:|---:|---:|---:|---:|---:|",
        ]
        for result in (one for one in self.results if not one.name.endswith(_PURE)):
            cpu, speed = [run.cpu_ms for run in result.runs], [run.pages_per_s for run in result.runs]
            times = f"{result.speed() / slowest:.1f}" if slowest else ""
            worst = max(result.runs, key=lambda run: (len(run.missing), len(run.doubled)))
            lines.append(
                f"| {result.name} | {min(cpu):.2f} ({median(cpu):.2f}) | {max(speed):,.0f} ({median(speed):,.0f}) "
                f"| {times} | {max(run.usage.memory_bytes for run in result.runs) / 1e6:,.0f} "
                f"| {worst.pages:,} | {len(worst.missing):,} | {len(worst.doubled):,} |"
            )
        rounds = max(len(result.runs) for result in self.results)
        packages = ", ".join(f"{name} {version}" for name, version in self.size.packages.items())
        releases = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        of = f"Best of {rounds} rounds (median in brackets)."
        lines += ["", of, f"{self.size}: {packages}.", f"Releases: {releases}."]
        return "\n".join(lines)

    def _core(self) -> str:
        lines = ["| | compiled core | CPU ms a page | pages/s | memory, MB |", "|---|---|---:|---:|---:|"]
        by_name = {result.name: result for result in self.results}
        for name, result in by_name.items():
            if name + _PURE in by_name:
                for which, one in (("with", result), ("without", by_name[name + _PURE])):
                    cpu, memory = [run.cpu_ms for run in one.runs], [run.usage.memory_bytes for run in one.runs]
                    lines.append(
                        f"| {name} | {which} | {min(cpu):.2f} ({median(cpu):.2f}) | {one.speed():,.0f} "
                        f"| {max(memory) / 1e6:,.0f} |"
                    )
        return "\n".join(lines)

    def _memory(self) -> str:
        lines = [
            "| | pages | sum of resident sizes, MB | shared counted once, MB | engine alone, MB "
            "| KB for each further page | CPU ms a page |",
            "|---|---:|---:|---:|---:|---:|---:|",
        ]
        for name, runs in self.memory.items():
            for before, run in pairwise([None, *runs]):
                assert run is not None  # only the first is
                more = run.usage.memory_bytes - before.usage.memory_bytes if before else 0
                growth = f"{more / (run.pages - before.pages) / 1e3:.1f}" if before else ""
                memory = (run.usage.memory_bytes, run.usage.proportional_bytes, run.usage.main_memory_bytes)
                sizes = " | ".join(f"{size / 1e6:,.0f}" for size in memory)
                lines.append(f"| {name} | {run.pages:,} | {sizes} | {growth} | {run.cpu_ms:.2f} |")
        return "\n".join(lines)
