"""Where a crawl's CPU time goes: samples taken in all its processes (see ``hook/``), added up by stage."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

__all__ = ["HOOK", "Stages", "read_samples", "stage_table"]

HOOK = Path(__file__).parent / "hook"

# Module -> stage. The innermost frame that is listed decides: what numpy or json do counts for whoever called them.
_ENGINE = {
    "dowse.fetch": "fetch",
    "dowse.engine.workers": "packing, sockets of the workers",
    "dowse.engine.workers.wire": "packing, sockets of the workers",
    "dowse.frontier": "frontier",
    "dowse.predict": "strategy",
    "dowse.judge": "judge that learns",
    "dowse.engine.life.admission": "admission of links",
    "dowse.engine.life.journal": "record, commit",
    "dowse.store": "record, commit",
    "dowse.engine.page.disposition": "disposition, duplicates",
    "dowse.parse.duplicates": "disposition, duplicates",
    "dowse.parse.repeats": "what sites repeat",
    "dowse.engine": "engine's loop",
    "dowse.cli": "display, summary",
    "dowse.lab": "display, summary",
    "uvloop": "event loop: epoll, reading sockets",
    "asyncio": "event loop: epoll, reading sockets",
}
_WORKER = {
    "dowse.parse.decode": "decode",
    "dowse.parse.charsets": "decode",
    "dowse.parse": "parse: tree, text, words",
    "dowse.parse.links": "links: join, scope",
    "dowse.model.url": "links: join, scope",
    "dowse.frontier.scope": "links: join, scope",
    "dowse.parse.context": "links: context",
    "dowse.model.words": "parse: tree, text, words",
    "dowse.judge": "judge: page, anchors, paragraphs",
    "dowse.engine.page.judged": "judge: page, anchors, paragraphs",
    "dowse.engine.page.step": "rest of the step",
    "dowse.parse.language": "language",
    "dowse.parse.signature": "signature",
    "dowse.store": "compose WARC",
    "dowse.engine.workers.worker": "packing, socket",
    "dowse.engine.workers.wire": "packing, socket",
}
_START = "start-up: imports"
_REST = "rest"


@dataclass(frozen=True, slots=True)
class Stages:
    """CPU seconds by stage, of the engine and of all workers together; ``cpu_s`` is the time measured from outside."""

    pages: int
    cpu_s: float
    engine: dict[str, float]
    workers: dict[str, float]

    def rows(self) -> dict[tuple[str, str], float]:
        """(process, stage) -> CPU seconds, with sums and with what the samples missed."""
        engine, workers = sum(self.engine.values()), sum(self.workers.values())
        return {
            ("**engine**", "**all**"): engine,
            **{("engine", stage): seconds for stage, seconds in self.engine.items()},
            ("**workers**", "**all**"): workers,
            **{("workers", stage): seconds for stage, seconds in self.workers.items()},
            ("", "not sampled"): self.cpu_s - engine - workers,
            ("**sum**", ""): self.cpu_s,
        }


def stage_table(profiles: dict[str, Stages]) -> str:
    """Markdown, ms a page and the share: a column for each of the crawls, in the order of the first."""
    first, *others = (profile.rows() for profile in profiles.values())
    order = list(dict.fromkeys(row for found in (first, *others) for row in found))
    at = {process: place for place, process in enumerate(dict.fromkeys(process for process, _ in first))}
    order.sort(key=lambda row: (at[row[0]], -first.get(row, 0.0)))
    lines = [
        f"| process | stage | {' | '.join(f'{name}: CPU ms a page | share' for name in profiles)} |",
        f"|---|---|{'---:|---:|' * len(profiles)}",
    ]
    for row in order:
        cells = []
        for profile, found in zip(profiles.values(), (first, *others), strict=True):
            seconds = found.get(row, 0.0)
            cells.append(f"{seconds * 1000 / profile.pages:.3f} | {seconds / profile.cpu_s:.1%}")
        lines.append(f"| {' | '.join((*row, *cells))} |")
    return "\n".join(lines)


def read_samples(folder: Path, pages: int, cpu_s: float) -> Stages:
    """Add up what the processes of one crawl wrote: a file each, a line a sample."""
    engine: defaultdict[str, float] = defaultdict(float)
    workers: defaultdict[str, float] = defaultdict(float)
    for path in folder.iterdir():
        samples = [line.split(" ") for line in path.read_text().splitlines()]
        is_worker = any(frame == "dowse.engine.workers.worker:work" for _, *frames in samples for frame in frames)
        table, total = (_WORKER, workers) if is_worker else (_ENGINE, engine)
        for seconds, *frames in samples:
            total[_stage(frames, table)] += float(seconds)
    return Stages(pages, cpu_s, dict(engine), dict(workers))


def _stage(frames: list[str], table: dict[str, str]) -> str:
    if any(frame.startswith("importlib._bootstrap:") for frame in frames):
        return _START
    for frame in frames:
        module = frame.partition(":")[0]
        while module:
            if module in table:
                return table[module]
            module = module.rpartition(".")[0]
    return _REST
