"""What an import of access logs takes, and what is stored: lines a second, memory, bytes an access.

The log is made by rules, and nobody's: people and pages are drawn so that few are very busy and most are hardly seen;
a person reads 1 to 15 pages in a row, some ten seconds apart, each the next of its site half of the time; for every
third page an image is asked for. Squid's own format, or the combined one.

    python -m bench.traces --accesses 1000000
    python -m bench.traces --accesses 10500000 --pages 5000    # and what judged pages take (bench.trace_evidence)
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

_START = 1_700_000_000
_AT_ONCE = 20_000  # sessions
_BLOCK_S = 4 * 3600
_SITES = 20_011
_AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{}.0 Safari/537.36"


def rows(accesses: int, seed: int = 1) -> Iterator[tuple[float, int, int]]:
    """Times, people and pages, about in order of time."""
    chance = np.random.default_rng(seed)
    people, pages = max(10, accesses // 40), max(10, accesses // 4)
    done, now = 0, float(_START)
    while done < accesses:
        sizes = chance.integers(1, 16, _AT_ONCE)
        who = (people * chance.random(_AT_ONCE) ** 1.2).astype(int)
        starts = now + np.sort(chance.random(_AT_ONCE)) * _BLOCK_S
        now += _BLOCK_S
        session = np.repeat(np.arange(_AT_ONCE), sizes)
        step = np.arange(len(session)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        page = (pages * chance.random(len(session)) ** 2.5).astype(int)
        follows = (step > 0) & (chance.random(len(session)) < 0.5)
        page[follows] = (page[np.flatnonzero(follows) - 1] + _SITES) % pages
        at = starts[session] + step * chance.integers(5, 25, len(session))
        order = np.argsort(at, kind="stable")[: accesses - done]
        yield from zip(at[order].tolist(), who[session[order]].tolist(), page[order].tolist(), strict=True)
        done += len(order)


def write_log(path: Path, accesses: int, kind: str) -> int:
    """The log; how many lines it has."""
    lines = 0
    with path.open("w", encoding="ascii", buffering=1 << 20) as file:
        for at, who, page in rows(accesses):
            user = f"10.{who >> 16}.{who >> 8 & 255}.{who & 255}"
            site = f"http://www.site{page % _SITES}.example"
            url = f"{site}/topics/section-{page % 97}/article-{page}.html"
            asked = [(url, "text/html"), (f"{site}/img/{page % 7}.png", "image/png")][: 1 + (page % 3 == 0)]
            for address, content in asked:
                lines += 1
                if kind == "squid":
                    file.write(
                        f"{at:.3f}    180 {user} TCP_MISS/200 41 GET {address} - HIER_DIRECT/192.0.2.1 {content}\n"
                    )
                else:
                    moment = time.strftime("%d/%b/%Y:%H:%M:%S", time.gmtime(at))
                    file.write(f'{user} - - [{moment} +0000] "GET {address} HTTP/1.1" 200 41 "{site}/"')
                    file.write(f' "{_AGENT.format(90 + who % 30)}"\n')
    return lines


def _import(log: Path, out: Path) -> None:
    """In a process of its own: what it takes is what an import takes."""
    from dowse.traces import Pages, UserKey, import_logs

    began, cpu = time.perf_counter(), time.process_time()
    _, imported = import_logs([log], out, UserKey(b"k" * 32), Pages(), lambda *_: None, force=True)
    taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 if sys.platform == "darwin" else 1024)
    print(json.dumps({
        "lines": imported.lines, "accesses": imported.accesses, "seconds": time.perf_counter() - began,
        "cpu_s": time.process_time() - cpu, "most_mb": taken,
    }))  # fmt: skip


def imported(accesses: int, kind: str, out: Path) -> dict[str, float]:
    """Make a log, import it into a folder in a process of its own, and say what that took."""
    with tempfile.TemporaryDirectory() as name:
        log = Path(name) / "access.log"
        write_log(log, accesses, kind)
        command = [sys.executable, "-m", "bench.traces", "--import", str(log), "--keep", str(out)]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        stored = sum(file.stat().st_size for file in out.iterdir())
        urls = os.stat(out / "urls.text.npy").st_size
        return {**found, "log_mb": log.stat().st_size / 1e6, "stored": stored / found["accesses"],
                "stored_urls": urls / found["accesses"]}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--accesses", type=int, default=1_000_000, help="pages that somebody looked at")
    parser.add_argument("--kind", choices=("squid", "combined"), default="squid")
    parser.add_argument("--keep", type=Path, help="leave the traces in this folder")
    parser.add_argument("--pages", type=int, default=0, help="how many pages are judged then")
    parser.add_argument("--json", type=Path, help="write all figures")
    parser.add_argument("--import", dest="log", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.log:
        _import(options.log, options.keep)
        return
    with tempfile.TemporaryDirectory() as name:
        out = options.keep or Path(name) / "traces"
        found = imported(options.accesses, options.kind, out)
        print(f"{options.kind}: {found['lines']:,} lines, {found['log_mb']:,.0f} MB; {found['accesses']:,} kept")
        print(f"{found['seconds']:,.1f} s, {found['lines'] / found['seconds']:,.0f} lines a second")
        print(f"CPU: {found['cpu_s']:,.1f} s, {found['lines'] / found['cpu_s']:,.0f} lines a second")
        print(f"memory at the most: {found['most_mb']:,.0f} MB")
        print(f"stored: {found['stored']:.1f} bytes an access, {found['stored_urls']:.1f} of them for URLs")
        figures = {"import": found}
        if options.pages:
            from bench.trace_evidence import measured, told

            figures["evidence"] = measured(out, options.pages)
            print("\n".join(told(figures["evidence"])))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
