"""What people's traces cost a crawl: a judged page, each page that is valued, and the strategies' whole turn.

Pages are judged as people lead to them: a busy one first, then what was read around it, and so on. One page in ten
satisfies, and has words of its own. Everything is timed as CPU time of one core, in the robust form.

    python -m bench.traces --accesses 10500000 --keep /tmp/ten
    python -m bench.trace_evidence /tmp/ten --pages 5000
"""

from __future__ import annotations

import argparse
import json
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from dowse.model.page import USUAL_TERMS, Bag, Context
from dowse.model.strategy import LinkView, SourcePage
from dowse.model.traces import Traces
from dowse.predict.traces import NAMES, Evidence
from dowse.predict.traces.people import People
from dowse.predict.traces.strategy import ByPeople
from dowse.traces import load_traces

_WORDS = 50_000
_VALUED = 8  # pages a judged page


def _bag(chance: np.random.Generator, satisfies: bool) -> Bag:
    terms = np.unique((_WORDS * chance.random(USUAL_TERMS) ** 2).astype(np.uint32) + satisfies * (_WORDS // 2))
    return Bag(terms, chance.integers(1, 9, len(terms)).astype(np.float32))


class _Taken:
    """CPU seconds by what took them."""

    def __init__(self) -> None:
        self.all: dict[str, list[float]] = {}
        self._since = 0.0

    def begin(self) -> None:
        self._since = time.process_time()

    def end(self, what: str) -> None:
        self.all.setdefault(what, []).append(time.process_time() - self._since)
        self.begin()

    def mean_ms(self, what: str, of: float = 0) -> float:
        found = self.all[what]
        return 1e3 * sum(found) / (of or len(found))


def _evidence(traces: Traces, pages: int) -> dict[str, float]:
    """Evidence alone."""
    chance, evidence, taken = np.random.default_rng(1), Evidence(traces), _Taken()
    busiest = int(np.argmax(np.diff(traces.page_starts)))
    waiting, known = deque([busiest]), {busiest}
    valued = near = people = 0
    for _ in range(pages):
        page = waiting.popleft() if waiting else int(chance.integers(len(traces.fingerprints)))
        satisfies = page % 10 == 0
        bag = _bag(chance, satisfies)
        taken.begin()
        evidence.judged(page, satisfies, bag)
        taken.end("judged")
        found = evidence.descendants(page)
        taken.end("around")
        new = [one for one in found[:200].tolist() if one not in known]
        some = np.array(new[:_VALUED], np.int64)
        taken.begin()
        evidence.logs(some)
        taken.end("valued")
        valued += len(some)
        near += len(found)
        people += len(traces.accesses(page))
        known.update(new)
        waiting.extend(new)
    return {
        "accesses_a_page": people / pages, "near_a_page": near / pages,
        "judged_ms": taken.mean_ms("judged"), "judged_p99_ms": 1e3 * float(np.quantile(taken.all["judged"], 0.99)),
        "around_ms": taken.mean_ms("around"), "valued_ms": taken.mean_ms("valued", max(1, valued)),
        "bytes_a_url": evidence.nbytes / len(traces.fingerprints),
    }  # fmt: skip


def _views(urls: list[str], ids: dict[str, int]) -> Iterator[LinkView]:
    numbers = np.array([ids.setdefault(url, len(ids)) for url in urls], np.int64)
    nothing = np.zeros(len(urls), np.int64)
    yield LinkView(
        numbers, nothing, nothing, np.zeros(len(urls), np.float32),
        np.full((len(urls), len(Context)), np.nan, np.float32), np.full(len(urls), np.nan), urls=urls,
    )  # fmt: skip


def _turns(traces: Traces, pages: int) -> dict[str, float]:
    """The strategy ``traces``, as the engine asks it; no page has links."""
    chance, taken = np.random.default_rng(1), _Taken()
    people = People(traces, robust=True, significance=2.0)
    strategy = ByPeople(people)
    first = traces.urls[int(np.argmax(np.diff(traces.page_starts)))]
    ids, judged, waiting = {first: 0}, set[int](), deque([first])
    [nothing] = _views([], ids)
    swept = 0
    for ordinal in range(pages):
        url = waiting.popleft() if waiting else traces.urls[int(chance.integers(len(traces.urls)))]
        id_ = ids.setdefault(url, len(ids))
        judged.add(id_)
        satisfies = id_ % 10 == 0
        page = SourcePage(id_, 0, 0, ordinal, 0.0, satisfies, 0, bag=_bag(chance, satisfies), url=url)
        taken.begin()
        strategy.rank(page, nothing)
        taken.end("rank")
        found = list(strategy.propose(page))
        taken.end("propose")
        new = [one for one in found if one not in ids]
        [view] = _views([one for one in found if ids.get(one, -1) not in judged], ids)
        taken.begin()
        strategy.rank_proposed(page, view)
        taken.end("rank_proposed")
        revised = strategy.revise(lambda some: np.array([one not in judged for one in some.tolist()], bool))
        taken.end("revise")
        swept += 0 if revised is None else len(revised[0])
        waiting.extend(new)
    return {
        "rank_ms": taken.mean_ms("rank"), "propose_ms": taken.mean_ms("propose"),
        "rank_proposed_ms": taken.mean_ms("rank_proposed"), "revise_ms": taken.mean_ms("revise"),
        "revised": swept / pages, "candidates": len(ids),
        "bytes_a_candidate": sum(map(len, people.memory.rows(list(people.memory.known)))) / len(ids),
    }  # fmt: skip


def measured(folder: Path, pages: int) -> dict[str, float]:
    """All figures of the traces in a folder."""
    began = time.perf_counter()
    traces = load_traces(folder)
    loaded = time.perf_counter() - began
    return {
        "accesses": len(traces), "users": len(traces.users), "urls": len(traces.fingerprints), "load_s": loaded,
        "pages": pages, **_evidence(traces, pages), **_turns(traces, pages),
    }  # fmt: skip


def told(figures: dict[str, float]) -> list[str]:
    sizes = f"{figures['accesses']:,} accesses, {figures['users']:,} users, {figures['urls']:,} URLs"
    near_it = f"{figures['accesses_a_page']:.0f} accesses to each, {figures['near_a_page']:.0f} pages around"
    turn = [f"{what} {figures[f'{what}_ms']:.3f}" for what in ("rank", "propose", "rank_proposed", "revise")]
    return [
        f"{sizes}, loaded in {figures['load_s']:.2f} s",
        f"{figures['pages']:,} judged pages, {near_it}",
        f"a judged page: {figures['judged_ms']:.3f} ms (99 of 100 below {figures['judged_p99_ms']:.2f} ms)",
        f"what lies around it: {figures['around_ms']:.3f} ms",
        f"a page valued ({', '.join(NAMES)}): {figures['valued_ms']:.3f} ms",
        f"memory beside the traces: {figures['bytes_a_url']:.1f} bytes a URL",
        f"the strategy, a judged page: {', '.join(turn)} ms; {figures['revised']:.1f} candidates revised",
        f"stored: {figures['bytes_a_candidate']:.0f} bytes a candidate",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", type=Path)
    parser.add_argument("--pages", type=int, default=5000)
    parser.add_argument("--json", type=Path, help="write the figures")
    options = parser.parse_args()
    figures = measured(options.traces, options.pages)
    print("\n".join(told(figures)))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
