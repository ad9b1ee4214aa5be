"""Cost of the frontier from 10^4 to 10^7 waiting URLs: push, re-prioritise and lease (CPU µs each), RAM a URL.

    python bench/frontier.py [--most 10000000] [--sites 100000]

Each size is measured in a fresh process, so that memory is what this frontier needs and nothing else.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time

import numpy as np

from dowse.frontier import Errand, Frontier
from dowse.model.records import CandidateState

PAGE = 50  # new URLs a page brings
OPERATIONS = 20_000


def rss_bytes() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def urls_of(start: int, count: int, sites: int) -> list[str]:
    # 70 characters, as is usual on the web; sites are visited in a scattered order
    return [
        f"https://www.site{(n * 7919) % sites:06}.example/section/articles/2026/title-{n:010}"
        for n in range(start, start + count)
    ]


def fill(frontier: Frontier, count: int, sites: int, dice: np.random.Generator) -> float:
    """Push ``count`` URLs as pages would; CPU seconds of the pushes alone."""
    spent = 0.0
    for start in range(0, count, PAGE):
        urls = urls_of(start, PAGE, sites)
        prints = dice.integers(2, 2**64 - 1, PAGE, dtype=np.uint64)
        priorities = dice.random(PAGE)
        begin = time.process_time()
        frontier.find(prints)
        frontier.add(urls, prints, depth=1, parent=0, priorities=priorities, now=0.0)
        spent += time.process_time() - begin
    return spent


def measure(count: int, sites: int) -> str:
    dice = np.random.default_rng(1)
    before = rss_bytes()
    frontier = Frontier(delay_s=0.0)
    push = fill(frontier, count, sites, dice) / count
    ram = (rss_bytes() - before) / count
    for site in frontier.sites:
        frontier.settle_address(site, None)
        frontier.settle_robots(site)
    begin = time.process_time()
    for _ in range(OPERATIONS // PAGE):
        frontier.update(dice.integers(0, count, PAGE), dice.random(PAGE), 0.0)
    update = (time.process_time() - begin) / OPERATIONS
    leases = min(OPERATIONS, count)
    begin = time.process_time()
    for _ in range(leases):
        lease = frontier.next(0.0)
        assert lease is not None
        assert lease.errand is Errand.PAGE
        frontier.release(lease, 0.0)
        frontier.finish(lease.candidate, CandidateState.FETCHED)
    pop = (time.process_time() - begin) / leases
    return f"{count:>10,} {push * 1e6:>10.2f} {update * 1e6:>14.2f} {pop * 1e6:>10.2f} {ram:>12.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=10_000_000)
    parser.add_argument("--sites", type=int, default=100_000)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(measure(arguments.one, min(arguments.sites, arguments.one // 10)))
        return
    print(f"{'waiting':>10} {'push µs':>10} {'re-rank µs':>14} {'lease µs':>10} {'bytes a URL':>12}", flush=True)
    count = 10_000
    while count <= arguments.most:
        command = [sys.executable, __file__, "--one", str(count), "--sites", str(arguments.sites)]
        subprocess.run(command, check=True)
        count *= 10


if __name__ == "__main__":
    main()
