"""Where a crawl's CPU time goes: samples taken in all its processes (see ``hook/``), added up by stage."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

__all__ = ["HOOK", "Stages", "read_samples"]

HOOK = Path(__file__).parent / "hook"

# Module -> stage. The innermost frame that is listed decides: what numpy or json do counts for whoever called them.
_ENGINE = {
    "dowse.fetch": "fetch",
    "aiohttp": "fetch",
    "dowse.crawl.workers": "packing, sockets of the workers",
    "dowse.crawl.wire": "packing, sockets of the workers",
    "dowse.frontier": "frontier",
    "dowse.predict": "strategy",
    "dowse.crawl.intake": "intake of links",
    "dowse.crawl.recorder": "record, commit",
    "dowse.store": "record, commit",
    "dowse.crawl.conclude": "conclude, duplicates",
    "dowse.parse.duplicates": "conclude, duplicates",
    "dowse.parse.repeats": "what sites repeat",
    "dowse.crawl": "engine's loop",
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
    "dowse.crawl.judged": "judge: page, anchors, paragraphs",
    "dowse.crawl.step": "rest of the step",
    "dowse.parse.language": "language",
    "dowse.parse.signature": "signature",
    "dowse.store": "compose WARC",
    "dowse.crawl.worker": "packing, socket",
    "dowse.crawl.wire": "packing, socket",
}
_START = "start-up: imports"
_REST = "rest"


@dataclass(frozen=True, slots=True)
class Stages:
    """CPU seconds by stage, of the engine and of all workers together."""

    engine: dict[str, float]
    workers: dict[str, float]

    def table(self, pages: int, cpu_s: float) -> str:
        """In Markdown, ms a page; what the samples missed of ``cpu_s``, the time measured from outside, is a row."""
        lines = ["| process | stage | CPU ms a page | share |", "|---|---|---:|---:|"]

        def add(process: str, stage: str, seconds: float) -> None:
            lines.append(f"| {process} | {stage} | {seconds * 1000 / pages:.3f} | {seconds / cpu_s:.1%} |")

        for process, stages in (("engine", self.engine), ("workers", self.workers)):
            add(f"**{process}**", "**all**", sum(stages.values()))
            for stage, seconds in sorted(stages.items(), key=lambda item: -item[1]):
                add(process, stage, seconds)
        add("", "not sampled", cpu_s - sum(self.engine.values()) - sum(self.workers.values()))
        add("**sum**", "", cpu_s)
        return "\n".join(lines)


def read_samples(folder: Path) -> Stages:
    """Add up what the processes of one crawl wrote: a file each, a line a sample."""
    engine: defaultdict[str, float] = defaultdict(float)
    workers: defaultdict[str, float] = defaultdict(float)
    for path in folder.iterdir():
        samples = [line.split(" ") for line in path.read_text().splitlines()]
        is_worker = any(frame == "dowse.crawl.worker:work" for _, *frames in samples for frame in frames)
        table, total = (_WORKER, workers) if is_worker else (_ENGINE, engine)
        for seconds, *frames in samples:
            total[_stage(frames, table)] += float(seconds)
    return Stages(dict(engine), dict(workers))


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
