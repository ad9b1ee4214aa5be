"""How fast is Dowse beside others? Real HTML, one machine, one run: ``python -m bench.speed --help``.

Debian's documentation packages are served by nginx on loopback. Each contestant crawls all of it in a fresh process,
one after the other, for several rounds. Its CPU time counts all its processes, but not nginx's. The server's log then
tells whether every reachable page was fetched exactly once.

Dowse does its whole work meanwhile: parse, text, links, language, signature, judge, WARC, SQLite, best first. The
others only find links.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path

from bench.speed.contestants import CONTESTANTS, Contestant, versions
from bench.speed.corpus import PACKAGES, Documentation, Missing, documentation, write_index
from bench.speed.measure import Failed, run
from bench.speed.reachable import Reach, reachable
from bench.speed.report import Result, Run, as_json, as_markdown
from bench.speed.server import serve
from bench.speed.stages import HOOK, Stages, read_samples

LARGE = 25_000


class Web:
    """Documentations, in their order, until they have so many reachable pages; with an index page in front."""

    def __init__(self, least: int, work: Path) -> None:
        self.root = work / "web"
        self.documentations: list[Documentation] = []
        self.reach = Reach((), (), 0, 0)
        for pattern in PACKAGES:
            if len(self.reach.pages) >= least:
                break
            one = documentation(pattern, work)
            found = reachable(one, self.root, work / "reach")
            print(f"{one.package} {one.version}: {len(found.pages):,} pages", flush=True)
            self.documentations.append(one)
            self.reach += found
        self.start = f"/start-{least}.html"
        write_index(self.root / self.start[1:], self.root, self.documentations)
        self.expected = frozenset((*self.reach.pages, self.start))


def one_run(
    contestant: Contestant, web: Web, work: Path, *, gzip: bool, environment: dict[str, str] | None = None
) -> Run:
    """A contestant crawls everything once, before a server of its own."""
    with serve(web.root, work / "nginx", gzip=gzip) as server:
        command = contestant.command(server.url + web.start, work)
        usage = run(command, work / f"{contestant.name}.out", environment)
    visits = server.visits
    return Run(
        usage, len(visits.pages.keys() & web.expected), visits.missing(web.expected), visits.doubled(),
        visits.beyond(web.expected), dict(visits.others), sum(page in visits.pages for page in web.reach.xml),
    )  # fmt: skip


def profile(web: Web, work: Path, *, gzip: bool) -> tuple[Run, Stages]:
    """Dowse once more, with a sampler in each of its processes."""
    samples = work / "samples"
    shutil.rmtree(samples, ignore_errors=True)
    samples.mkdir(parents=True)
    sampler = {"DOWSE_SAMPLES": str(samples), "PYTHONPATH": str(HOOK)}
    done = one_run(CONTESTANTS[0], web, work, gzip=gzip, environment=sampler)
    return done, read_samples(samples)


def compete(web: Web, names: list[str], rounds: int, work: Path, *, gzip: bool) -> list[Result]:
    """All contestants in turn, as often as there are rounds, so that a slow hour of the machine hits all of them."""
    chosen = [one for one in CONTESTANTS if not names or one.name in names]
    results = {one.name: Result(one.name) for one in chosen}
    for number in range(rounds):
        for one in chosen:
            done = one_run(one, web, work, gzip=gzip)
            results[one.name].runs.append(done)
            print(f"round {number + 1}: {one.name:21} {done.line()}", flush=True)
    return list(results.values())


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.speed", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=6_000, metavar="N", help="whole packages until there are N pages")
    parser.add_argument("--large", action="store_true", help=f"also Dowse's memory on {LARGE:,} pages")
    parser.add_argument("--only", action="append", default=[], choices=[one.name for one in CONTESTANTS])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--gzip", action="store_true", help="nginx compresses what it sends")
    parser.add_argument("--json", type=Path, metavar="FILE", help="everything measured")
    parser.add_argument(
        "--work", type=Path, default=Path("/tmp/dowse-bench"), help="packages, pages, peers (%(default)s)"
    )
    options = parser.parse_args()
    work = options.work.resolve()
    try:
        web = Web(options.pages, work)
        print(
            f"{len(web.expected):,} reachable pages of {web.reach.bytes / len(web.expected) / 1e3:.1f} KB, "
            f"{web.reach.links / len(web.expected):.0f} links; {len(web.reach.xml):,} begin with an XML declaration"
        )
        results = compete(web, options.only, options.rounds, work, gzip=options.gzip)
        print("\n" + as_markdown(results))
        done, stages = profile(web, work, gzip=options.gzip)
        print("\n" + stages.table(done.pages, done.usage.cpu_s))
    except (Missing, Failed) as problem:
        sys.exit(f"bench.speed: {problem}")
    if options.json:
        options.json.write_text(json.dumps(as_json(results, versions(work)), indent=1))


if __name__ == "__main__":
    main()
