"""Tables of what was measured."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from statistics import median

from bench.speed.measure import Usage

__all__ = ["Result", "Run", "as_json", "as_markdown"]

_EXAMPLES = 5


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


@dataclass(slots=True)
class Result:
    """All runs of a contestant."""

    name: str
    runs: list[Run] = field(default_factory=list)


def as_markdown(results: list[Result]) -> str:
    """The comparison: the best round of each, the median in brackets."""
    lines = [
        "| | CPU ms a page | pages/s | memory, MB | pages fetched | missing | doubled |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for result in results:
        runs = result.runs
        cpu, speed = [run.cpu_ms for run in runs], [run.pages_per_s for run in runs]
        memory = max(run.usage.memory_bytes for run in runs) / 1e6
        last = runs[-1]
        lines.append(
            f"| {result.name} | {min(cpu):.2f} ({median(cpu):.2f}) | {max(speed):,.0f} ({median(speed):,.0f}) "
            f"| {memory:,.0f} | {last.pages:,} | {len(last.missing):,} | {len(last.doubled):,} |"
        )
    return "\n".join(lines)


def as_json(results: list[Result], releases: dict[str, str]) -> dict[str, object]:
    """Everything, for other programs."""
    return {"versions": releases, "results": [asdict(result) for result in results]}
