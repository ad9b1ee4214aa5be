"""What evidence from traces costs: a judged page, and each page that is valued, in the robust form.

Pages are judged as people lead to them: a busy one first, then what was read around it, and so on. One page in ten
satisfies, and has words of its own.

    python -m bench.traces --accesses 10500000 --keep /tmp/ten
    python -m bench.trace_evidence /tmp/ten --pages 5000
"""

from __future__ import annotations

import argparse
import json
import time
from collections import deque
from pathlib import Path

import numpy as np

from dowse.model.page import USUAL_TERMS, Bag
from dowse.predict.traces import NAMES, Evidence
from dowse.traces import load_traces

_WORDS = 50_000
_VALUED = 8  # pages a judged page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", type=Path)
    parser.add_argument("--pages", type=int, default=5000)
    parser.add_argument("--json", type=Path, help="write the figures")
    options = parser.parse_args()
    chance = np.random.default_rng(1)
    began = time.perf_counter()
    traces = load_traces(options.traces)
    loaded = time.perf_counter() - began
    evidence = Evidence(traces)
    busiest = int(np.argmax(np.diff(traces.page_starts)))
    waiting, known = deque([busiest]), {busiest}
    judged_s, around_s, valued_s, valued, people, near = [], 0.0, 0.0, 0, 0, 0
    for _ in range(options.pages):
        page = waiting.popleft() if waiting else int(chance.integers(len(traces.fingerprints)))
        satisfies = page % 10 == 0
        terms = np.unique((_WORDS * chance.random(USUAL_TERMS) ** 2).astype(np.uint32) + satisfies * (_WORDS // 2))
        bag = Bag(terms, chance.integers(1, 9, len(terms)).astype(np.float32))
        start = time.perf_counter()
        evidence.judged(page, satisfies, bag)
        judged = time.perf_counter()
        found = evidence.descendants(page)
        around = time.perf_counter()
        new = [one for one in found[:200].tolist() if one not in known]
        some = np.array(new[:_VALUED], np.int64)
        before = time.perf_counter()
        evidence.logs(some)
        end = time.perf_counter()
        judged_s.append(judged - start)
        around_s += around - judged
        valued_s += end - before
        valued += len(some)
        near += len(found)
        people += len(traces.accesses(page))
        known.update(new)
        waiting.extend(new)
    figures = {
        "accesses": len(traces), "users": len(traces.users), "urls": len(traces.fingerprints), "load_s": loaded,
        "accesses_a_page": people / options.pages, "near_a_page": near / options.pages,
        "judged_ms": 1e3 * sum(judged_s) / options.pages, "judged_p99_ms": 1e3 * float(np.quantile(judged_s, 0.99)),
        "around_ms": 1e3 * around_s / options.pages, "valued_ms": 1e3 * valued_s / max(1, valued),
        "bytes_a_url": evidence.nbytes / len(traces.fingerprints),
    }  # fmt: skip
    sizes = f"{figures['accesses']:,} accesses, {figures['users']:,} users, {figures['urls']:,} URLs"
    print(f"{sizes}, loaded in {loaded:.2f} s")
    near_it = f"{figures['accesses_a_page']:.0f} accesses to each, {figures['near_a_page']:.0f} pages around"
    print(f"{options.pages:,} judged pages, {near_it}")
    print(f"a judged page: {figures['judged_ms']:.3f} ms (99 of 100 below {figures['judged_p99_ms']:.2f} ms)")
    print(f"what lies around it: {figures['around_ms']:.3f} ms")
    print(f"a page valued ({', '.join(NAMES)}): {figures['valued_ms']:.3f} ms")
    print(f"memory beside the traces: {figures['bytes_a_url']:.1f} bytes a URL")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
