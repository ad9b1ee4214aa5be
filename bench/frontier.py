"""Cost of the frontier from 10^4 to 10^7 waiting URLs on 10^5 hosts: CPU time, memory, and the time to resume.

    python bench/frontier.py [--least 10000] [--most 10000000] [--hosts 100000] [--shape uniform --shape zipf]
                             [--no-resume] [--out PICTURE] [--json FILE]

All hosts are known before the first URL comes, at every size; what they take is told apart ("a host"). URLs fall on
hosts evenly, or as on the web: by Zipf's law, the largest host having one in twelve. They are 60 to 80 characters long:
titles with dates, wiki names, lists with parameters.

push        look up and take up a new URL, 50 a call
re-rank     give a waiting URL another random priority, 50 a call, anywhere in the frontier
lease       lease the best URL, end the exchange a millisecond later, finish it; delays of a second a host
page        what one page brings: 90 links looked up, 85 of them re-ranked, anywhere, and 5 taken up
RAM a URL   resident memory once all wait, less that with the hosts alone; peak: the most there ever was
resume      everything ``dowse crawl --resume`` does before the first request, on a store filled by the crawl's own
            writer: seconds on the wall; µs a URL for reading, counting and queueing the URLs, without the hosts; RAM
            less that of a resume with the hosts alone, and SQLite's cache of up to 64 MB in it

Times are CPU time. Other programs only make a stretch of calls slower: so each is timed in stretches of a thousand
operations, all their usual upkeep included, and the best is told (for push, whose tables grow now and then, the tenth
percentile of the second half). Each figure comes from a fresh process.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.engine.assembly.assemble import assemble
from dowse.engine.workers.freed_memory import keep_less
from dowse.frontier import Errand
from dowse.frontier.frontier import Frontier
from dowse.frontier.traps import GrowthRules
from dowse.model.batch import Batch
from dowse.model.records import CandidateRow, CandidateState, SiteRow
from dowse.model.topic import Topic, Traps
from dowse.model.topicfile import topic_to_json
from dowse.store import CrawlStore

CALL = 50  # new URLs a call
LINKS, NEW = 90, 5  # of a page
STRETCH = 1000  # operations timed together
STRETCHES = 40
ROUNDS = 4
BATCH = 10_000  # rows a commit
WORDS = ("solar", "cell", "layer", "light", "stable", "print", "glass", "lead", "tin", "ion", "yield", "band", "gap",
         "film", "dye", "quantum", "tandem", "module", "roof")  # fmt: skip

_LETTERS = str.maketrans("0123456789", "abcdefghij")

Figures = dict[str, float]


def memory(name: str = "VmRSS") -> int:
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name))


def fingerprints(numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    """64 scattered bits for each number (splitmix64), as a hash of its URL would be."""
    bits = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


class Web:
    """URLs by number, on hosts by their share."""

    def __init__(self, hosts: int, shape: str) -> None:
        self.origins = [f"https://www.site{n:06}.example" for n in range(hosts)]
        shares = 1.0 / np.arange(1, hosts + 1) if shape == "zipf" else np.ones(hosts)
        self._cumulated = np.cumsum(shares / shares.sum())

    def hosts(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        places = fingerprints(numbers + (1 << 40)) / 2.0**64
        return np.minimum(np.searchsorted(self._cumulated, places), len(self.origins) - 1)

    def urls(self, start: int, count: int) -> tuple[list[str], list[int]]:
        hosts = self.hosts(np.arange(start, start + count)).tolist()
        return [self.origins[host] + path(start + n) for n, host in enumerate(hosts)], hosts


def path(n: int) -> str:
    one, two, three = WORDS[n % 19], WORDS[n // 19 % 19], WORDS[n // 361 % 19]
    if n % 4 == 0:
        return f"/list?category={one}&region={two}&page={n}"
    if n % 4 == 1:
        return f"/wiki/{one.title()}_{two}_{three}_" + str(n).translate(_LETTERS)
    return f"/{2000 + n % 26}/{n % 12 + 1:02}/{one}-{two}-{three}-{n}.html"


# -- the frontier alone ------------------------------------------------------------------------------------------------


def operations(count: int, hosts: int, shape: str) -> Figures:
    keep_less()  # as ``dowse crawl`` does
    web, dice = Web(hosts, shape), np.random.default_rng(1)
    fill(Frontier(delay_s=1.0), web, 1000, dice)  # whatever is loaded on first use is no memory of the frontier
    before = memory()
    frontier = Frontier(delay_s=1.0)
    for origin in web.origins:
        frontier.site(origin)
    with_hosts = memory()
    pushes = fill(frontier, web, count, dice)
    steady = memory()
    figures = {
        "push_us": float(np.percentile(pushes[len(pushes) // 2 :], 10)) * 1e6,
        "push_mean_us": float(np.mean(pushes)) * 1e6,
        "ram_a_host": (with_hosts - before) / hosts,
        "ram_a_url": (steady - with_hosts) / count,
        "peak_ratio": (memory("VmHWM") - before) / (steady - before),
    }
    for site in frontier.sites:
        frontier.set_address(site, None)
        frontier.open(site)
    figures["rerank_us"] = min(reranks(frontier, count, dice) for _ in range(STRETCHES)) * 1e6
    figures["page_us"] = min(pages(frontier, web, count, dice) for _ in range(STRETCHES)) * 1e6
    now = itertools.count()
    stretches = min(STRETCHES, count // 2 // STRETCH)
    figures["lease_us"] = min(leases(frontier, now) for _ in range(stretches)) * 1e6
    return figures


def fill(frontier: Frontier, web: Web, count: int, dice: np.random.Generator) -> list[float]:
    """Push URLs as pages would; CPU seconds a push, for each stretch."""
    stretches, spent = [], 0.0
    for start in range(0, count, CALL):
        urls, _ = web.urls(start, CALL)
        prints, priorities = fingerprints(np.arange(start, start + CALL)), dice.random(CALL)
        begin = time.process_time()
        frontier.find(prints)
        frontier.add(urls, prints, depth=1, parent=0, priorities=priorities, now=0.0)
        spent += time.process_time() - begin
        if (start + CALL) % STRETCH == 0:
            stretches.append(spent / STRETCH)
            spent = 0.0
    return stretches


def reranks(frontier: Frontier, count: int, dice: np.random.Generator) -> float:
    calls = [(dice.integers(0, count, CALL), dice.random(CALL)) for _ in range(STRETCH // CALL)]
    begin = time.process_time()
    for ids, priorities in calls:
        frontier.update(ids, priorities, 0.0)
    return (time.process_time() - begin) / STRETCH


def pages(frontier: Frontier, web: Web, count: int, dice: np.random.Generator) -> float:
    """CPU seconds that one page's links cost the frontier."""
    spent, rounds = 0.0, STRETCH // LINKS
    for _ in range(rounds):
        start = len(frontier.candidates)
        urls, _ = web.urls(start, NEW)
        prints = fingerprints(np.concatenate([dice.integers(0, count, LINKS - NEW), np.arange(start, start + NEW)]))
        priorities = dice.random(LINKS)
        begin = time.process_time()
        ids = frontier.find(prints)
        known = np.flatnonzero(ids >= 0)
        frontier.priorities(ids[known])
        frontier.is_waiting(ids[known])
        frontier.update(ids[known], priorities[known], 0.0)
        frontier.add(urls, prints[-NEW:], depth=1, parent=0, priorities=priorities[-NEW:], now=0.0)
        spent += time.process_time() - begin
    return spent / rounds


def leases(frontier: Frontier, milliseconds: Iterator[int]) -> float:
    begin = time.process_time()
    for now in itertools.islice(milliseconds, STRETCH):
        lease = frontier.next(now / 1000)
        assert lease is not None
        assert lease.errand is Errand.PAGE
        frontier.release(lease, (now + 1) / 1000)
        frontier.finish(lease.candidate, CandidateState.FETCHED)
    return (time.process_time() - begin) / STRETCH


# -- a resume ----------------------------------------------------------------------------------------------------------


def store(folder: Path, count: int, hosts: int, shape: str) -> None:
    """Write a crawl's records as a crawl does."""
    web, dice = Web(hosts, shape), np.random.default_rng(1)
    topic = Topic(name="bench", query="perovskite solar cells")
    settings = {"topic": topic_to_json(topic), "version": "bench", "seeds": []}
    with CrawlStore.create(folder, settings, 0.0) as records:
        for batch in batches(web, count, dice):
            records.commit(batch)


def batches(web: Web, count: int, dice: np.random.Generator) -> Iterator[Batch]:
    yield Batch(sites={n: SiteRow(n, origin, origin[8:], delay_s=1.0) for n, origin in enumerate(web.origins)})
    for start in range(0, count, BATCH):
        urls, hosts = web.urls(start, BATCH)
        priorities = dice.random(BATCH).tolist()
        yield Batch(
            candidates=[
                CandidateRow(start + n, url, hosts[n], 1, max(0, start - 1), priorities[n])
                for n, url in enumerate(urls)
            ]
        )


async def resume(folder: Path) -> Figures:
    keep_less()
    topic = Topic(name="bench", query="perovskite solar cells")
    before, wall = memory(), time.perf_counter()
    assembly = await assemble(topic, folder, resume=True)
    figures = {
        "wall_s": time.perf_counter() - wall,
        "ram": float(memory() - before),
        "peak": float(memory("VmHWM") - before),
    }
    await assembly.close()
    return figures


def load(folder: Path) -> Figures:
    """CPU seconds for the URLs of a store alone."""
    with CrawlStore.open(folder) as records:
        frontier, growth = Frontier(delay_s=1.0), GrowthRules(Traps())
        for site in records.sites():
            frontier.site(site.origin)
        begin = time.process_time()
        for block in records.candidates():
            frontier.load(block)
            growth.count_all(block.sites, block.urls)
        frontier.loaded(0.0)
        return {"cpu_s": time.process_time() - begin}


def resumed(count: int, hosts: int, shape: str) -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        bare, filled = Path(folder) / "hosts", Path(folder) / "urls"
        child("store", 0, hosts, shape, bare)
        child("store", count, hosts, shape, filled)
        alone, full = child("resume", 0, hosts, shape, bare), child("resume", count, hosts, shape, filled)
        rounds = 1 if count > 1_000_000 else ROUNDS
        cpu_s = min(child("load", count, hosts, shape, filled)["cpu_s"] for _ in range(rounds))
    return {
        "resume_s": full["wall_s"],
        "resume_hosts_s": alone["wall_s"],
        "resume_us": cpu_s / count * 1e6,
        "resume_ram_a_url": (full["ram"] - alone["ram"]) / count,
        "resume_ram_a_host": alone["ram"] / hosts,
        "resume_peak_ratio": full["peak"] / full["ram"],
    }


# -- tables and curves -------------------------------------------------------------------------------------------------

COLUMNS = {
    "push_us": ("push µs", "7.2f"), "rerank_us": ("re-rank µs", "10.2f"), "lease_us": ("lease µs", "8.1f"),
    "page_us": ("page µs", "7.0f"), "ram_a_url": ("bytes a URL", "11.0f"), "ram_a_host": ("a host", "6.0f"),
    "peak_ratio": ("peak", "5.2f"), "resume_s": ("resume s", "8.2f"), "resume_us": ("µs a URL", "8.2f"),
    "resume_ram_a_url": ("bytes a URL", "11.0f"), "resume_peak_ratio": ("peak", "5.2f"),
}  # fmt: skip


def child(what: str, count: int, hosts: int, shape: str, folder: Path | None = None) -> Figures:
    command = [sys.executable, __file__, "--child", what, "--most", str(count), "--hosts", str(hosts), "--shape", shape]
    done = subprocess.run([*command, "--folder", str(folder)], check=True, stdout=subprocess.PIPE, text=True)
    figures: Figures = json.loads(done.stdout)
    return figures


def draw(rows: list[dict[str, Any]], file: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    panels = (
        ("CPU time, µs", {"push_us": "push", "rerank_us": "re-rank", "lease_us": "lease", "resume_us": "resume"}),
        ("CPU time a page of 90 links, µs", {"page_us": "page"}),
        ("RAM a waiting URL, bytes", {"ram_a_url": "frontier", "resume_ram_a_url": "resumed crawl"}),
    )
    figure, axes = pyplot.subplots(1, len(panels), figsize=(12, 3.8))
    for axis, (title, series) in zip(axes, panels, strict=True):
        for number, (name, label) in enumerate(series.items()):
            for shape, line in (("uniform", "-"), ("zipf", "--")):
                points = [(row["waiting"], row[name]) for row in rows if row["shape"] == shape and name in row]
                if points:
                    axis.plot(*zip(*points, strict=True), line, marker="o", color=f"C{number}",
                              label=f"{label}, {shape}")  # fmt: skip
        axis.set_xscale("log")
        axis.set_ylim(0, 1.5 * axis.get_ylim()[1])  # room for the legend
        axis.set_xlabel("waiting URLs")
        axis.set_title(title, fontsize=10)
        axis.grid(alpha=0.3)
        axis.legend(fontsize=7, ncols=2, loc="upper center")
    figure.tight_layout()
    figure.savefig(file, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--least", type=int, default=10_000)
    parser.add_argument("--most", type=int, default=10_000_000)
    parser.add_argument("--hosts", type=int, default=100_000)
    parser.add_argument("--shape", action="append", choices=["uniform", "zipf"])
    parser.add_argument("--no-resume", action="store_true", help="leave out the stores, which take minutes to write")
    parser.add_argument("--out", type=Path, help="draw the curves")
    parser.add_argument("--json", type=Path, help="write the figures")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    shapes = options.shape or ["uniform", "zipf"]
    if options.child:
        run_child(options.child, options.most, options.hosts, shapes[0], options.folder)
        return
    sizes = [10**power for power in range(4, 10) if options.least <= 10**power <= options.most]
    rows: list[dict[str, Any]] = []
    print(f"{'':8}{'waiting':>11}  " + "  ".join(title for title, _ in COLUMNS.values()), flush=True)
    for shape in shapes:
        for count in sizes:
            figures = child("operations", count, options.hosts, shape)
            if not options.no_resume:
                figures |= resumed(count, options.hosts, shape)
            rows.append({"shape": shape, "waiting": count, "hosts": options.hosts, **figures})
            cells = [
                format(figures[name], form).rjust(len(title))
                for name, (title, form) in COLUMNS.items() if name in figures
            ]  # fmt: skip
            print(f"{shape:8}{count:>11,}  " + "  ".join(cells), flush=True)
            if options.json:
                options.json.write_text(json.dumps(rows, indent=1) + "\n")
    if options.out:
        draw(rows, options.out)


def run_child(what: str, count: int, hosts: int, shape: str, folder: Path) -> None:
    figures: Figures = {}
    if what == "operations":
        figures = operations(count, hosts, shape)
    elif what == "store":
        store(folder, count, hosts, shape)
    elif what == "load":
        figures = load(folder)
    else:
        figures = asyncio.run(resume(folder))
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
