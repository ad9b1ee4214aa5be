"""What is kept of a run: plain values that go to JSON and come back the same."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal, TypedDict

import numpy as np

from dowse.lab.measure.metrics import harvest_rate, harvest_steps, recall_steps, requests_to_recall, target_recall
from dowse.lab.measure.run import NO_PATH, Request, Run, StepFunction

__all__ = [
    "BASELINE", "ORACLE", "Kind", "RecallCurve", "RunResult", "by_strategy", "harvest_function", "recall_function",
    "run_result",
]  # fmt: skip

ORACLE = "oracle-path"  # the reachable oracle, see dowse.lab.measure.oracles
BASELINE = "bfs"

# An oracle knows the answer and a baseline ignores it: both are drawn as references, not ranked as strategies.
Kind = Literal["strategy", "oracle", "baseline"]


class RecallCurve(TypedDict):
    """Only the points where recall changes: it holds from each number of requests to the next."""

    requests: list[int]
    recall: list[float]


class RunResult(TypedDict):
    """One strategy on one topic from one set of seeds. None: there was nothing to divide by, or it never came."""

    strategy: str
    kind: Kind
    topic: str
    seed_set: str
    targets: int
    budget_requests: int
    auc: float | None  # area under recall by requests over the budget, 0 to 1
    recall: float | None
    harvest: float
    requests: int
    pages: int
    bytes: int
    seconds: float
    requests_to_50: int | None
    requests_to_80: int | None
    requests_to_90: int | None
    without_page: dict[str, int]  # requests that brought none, by what they brought
    curve: RecallCurve
    relevant_at: list[int]  # which requests, counted from 1, brought a relevant page
    without_page_at: list[int]  # and which none
    target_distances: list[int] | None  # of the targets in the order found; None where no links led to one of them
    tunnels: list[int]  # the length of that to each relevant page links led to, in the order found; 0: there is none
    gray_tunnels: list[int]  # those of them that are gray


def run_result(
    run: Run, *, strategy: str, topic: str, seed_set: str, targets: int, budget_requests: int, kind: Kind = "strategy"
) -> RunResult:
    steps = recall_steps(run, targets)
    changes = steps.changes() if targets else StepFunction(np.zeros(0), np.zeros(0))
    half, most, nearly_all = requests_to_recall(run, targets)
    distances = run.distance[run.target].tolist()
    empty = {request.name.lower(): run.count(request) for request in Request if request is not Request.PAGE}
    return {
        "strategy": strategy,
        "kind": kind,
        "topic": topic,
        "seed_set": seed_set,
        "targets": targets,
        "budget_requests": budget_requests,
        "auc": _known(steps.area(budget_requests)),
        "recall": _known(target_recall(run, targets)),
        "harvest": harvest_rate(run),
        "requests": len(run),
        "pages": run.pages,
        "bytes": int(run.wire_bytes.sum()),
        "seconds": float(run.ended_s[-1]) if len(run) else 0.0,
        "requests_to_50": half,
        "requests_to_80": most,
        "requests_to_90": nearly_all,
        "without_page": {name: count for name, count in empty.items() if count},
        "curve": {"requests": changes.at.astype(np.int64).tolist(), "recall": changes.height.tolist()},
        "relevant_at": (1 + np.flatnonzero(run.relevant)).tolist(),
        "without_page_at": (1 + np.flatnonzero(~run.page)).tolist(),
        "target_distances": None if NO_PATH in distances else distances,
        "tunnels": run.tunnel[run.tunnel != NO_PATH].tolist(),
        "gray_tunnels": run.tunnel[run.gray].tolist(),
    }


def by_strategy(results: Iterable[RunResult]) -> dict[str, list[RunResult]]:
    """The runs of each strategy, in the order in which they first come."""
    groups: dict[str, list[RunResult]] = {}
    for result in results:
        groups.setdefault(result["strategy"], []).append(result)
    return groups


def _known(number: float) -> float | None:
    return number if math.isfinite(number) else None


def recall_function(results: Iterable[RunResult]) -> list[StepFunction]:
    """The recall of each run by requests."""
    return [
        StepFunction(np.array(result["curve"]["requests"], np.float64), np.array(result["curve"]["recall"], np.float64))
        for result in results
    ]


def harvest_function(results: Iterable[RunResult]) -> list[StepFunction]:
    """The harvest rate of each run so far, by requests."""
    return [harvest_steps(_harvest(result)) for result in results]


def _harvest(result: RunResult) -> Run:
    """As much of a run as its harvest needs."""
    relevant = np.zeros(result["requests"], np.bool_)
    brought = np.full(result["requests"], Request.PAGE, np.int8)
    relevant[np.array(result["relevant_at"], np.int64) - 1] = True
    brought[np.array(result["without_page_at"], np.int64) - 1] = Request.ERROR
    return Run.of(relevant, brought=brought)
