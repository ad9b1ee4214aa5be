"""How fast is Dowse beside others? Real HTML, one machine, one run: ``python -m bench.speed --help``.

Debian's documentation packages are served by nginx on loopback. Each contestant crawls all of it in a fresh process,
one after the other, for several rounds. Its CPU time counts all its processes, but not nginx's. The server's log then
tells whether every reachable page was fetched exactly once.

Dowse does its whole work meanwhile: parse, text, links, language, signature, judge, WARC, SQLite, best first; once more
as ``dowse-learning``, with the strategy that learns, and both without the compiled core (``-pure``). The others only
find links.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from bench.speed.contestants import CONTESTANTS, Contestant, versions
from bench.speed.corpus import PACKAGES, Documentation, Missing, documentation, write_index
from bench.speed.measure import Failed, run
from bench.speed.reachable import Reach, reachable
from bench.speed.report import Report, Result, Run, Size
from bench.speed.server import serve
from bench.speed.stages import HOOK, Stages, read_samples

LARGER = (12_000, 25_000)


class Web:
    """Documentations, in their order, until they have so many reachable pages; with an index page in front."""

    def __init__(self, least: int, work: Path) -> None:
        self.root = work / "web"
        self.reach = Reach((), (), 0, 0)
        made: list[Documentation] = []
        for pattern in PACKAGES:
            if len(self.reach.pages) >= least:
                break
            one = documentation(pattern, work)
            made.append(one)
            self.reach += reachable(one, self.root, work / "reach")
            print(f"{one.package} {one.version}: {len(self.reach.pages):,} pages so far", flush=True)
        self.start = f"/start-{least}.html"
        write_index(self.root / self.start[1:], self.root, made)
        self.expected = frozenset((*self.reach.pages, self.start))
        self.size = Size(
            {one.package: one.version for one in made},
            len(self.expected), self.reach.bytes, self.reach.links, len(self.reach.xml),
        )  # fmt: skip
        print(self.size, flush=True)


class Bench:
    """Runs contestants on a web."""

    def __init__(self, work: Path, *, gzip: bool) -> None:
        self._work = work
        self._gzip = gzip

    def crawl(self, contestant: Contestant, web: Web, environment: dict[str, str] | None = None) -> Run:
        """Everything once, before a server of its own."""
        print(f"{contestant.name:21} ", end="", flush=True)
        with serve(web.root, self._work / "nginx", gzip=self._gzip) as server:
            command = contestant.command(server.url + web.start, self._work)
            usage = run(command, self._work / f"{contestant.name}.out", contestant.environment | (environment or {}))
        visits = server.visits
        done = Run(
            usage, len(visits.pages.keys() & web.expected), visits.missing(web.expected), visits.doubled(),
            visits.beyond(web.expected), dict(visits.others), sum(page in visits.pages for page in web.reach.xml),
        )  # fmt: skip
        print(done.line(), flush=True)
        return done

    def compete(self, web: Web, chosen: list[Contestant], rounds: int) -> list[Result]:
        """All in turn, as often as there are rounds, so that a slow minute of the machine hits all of them."""
        results = [Result(one.name) for one in chosen]
        for number in range(rounds):
            print(f"round {number + 1} of {rounds}", flush=True)
            for one, result in zip(chosen, results, strict=True):
                result.runs.append(self.crawl(one, web))
        return results

    def profile(self, web: Web, contestant: Contestant) -> Stages:
        """Dowse once more, with a sampler in each of its processes."""
        print("with a sampler", flush=True)
        samples = self._work / "samples"
        shutil.rmtree(samples, ignore_errors=True)
        samples.mkdir(parents=True)
        done = self.crawl(contestant, web, {"DOWSE_SAMPLES": str(samples), "PYTHONPATH": str(HOOK)})
        return read_samples(samples, done.pages, done.usage.cpu_s)


def main() -> None:
    names = [one.name for one in CONTESTANTS]
    parser = argparse.ArgumentParser(
        prog="python -m bench.speed", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=6_000, metavar="N", help="whole packages until there are N pages")
    parser.add_argument("--only", action="append", choices=names, help="this contestant; may be repeated")
    parser.add_argument(
        "--without", action="append", default=[], choices=names, help="all but this one; may be repeated"
    )
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="the best one counts (%(default)s)")
    parser.add_argument("--large", action="store_true", help="also Dowse's memory on 12,000 and 25,000 pages")
    parser.add_argument("--gzip", action="store_true", help="nginx compresses what it sends")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything measured there")
    parser.add_argument("--work", type=Path, default=Path("/tmp/dowse-bench"), metavar="DIR",
                        help="keeps packages, pages and the peers' environment (%(default)s)")  # fmt: skip
    options = parser.parse_args()
    try:
        report = measure(options)
    except (Missing, Failed) as problem:
        sys.exit(f"bench.speed: {problem}")
    for section in report.sections().values():
        print(f"\n{section}")
    if options.json:
        report.write_json(options.json)


def measure(options: argparse.Namespace) -> Report:
    """Everything the options ask for."""
    work = options.work.resolve()
    bench = Bench(work, gzip=options.gzip)
    names = options.only or [one.name for one in CONTESTANTS]
    chosen = [one for one in CONTESTANTS if one.name in names and one.name not in options.without]
    releases = versions(work, scrapy=any(one.scrapy for one in chosen))
    web = Web(options.pages, work)
    results = bench.compete(web, chosen, options.rounds)
    report = Report(releases, web.size, results)
    ours = [(one, result) for one, result in zip(chosen, results, strict=True) if one.is_dowse and not one.pure]
    report.profiles = {one.name: bench.profile(web, one) for one, _ in ours}
    if options.large and ours:
        report.memory = {one.name: [min(result.runs, key=lambda run: run.cpu_ms)] for one, result in ours}
        for pages in LARGER:
            larger = Web(pages, work)
            for one, _ in ours:
                report.memory[one.name].append(bench.crawl(one, larger))
    return report


if __name__ == "__main__":
    main()
