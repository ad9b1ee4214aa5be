"""Results of a comparison for the tests: everything follows from numbers."""

from __future__ import annotations

import numpy as np

from dowse.lab.compare.run_results import Kind, RunResult, run_result
from dowse.lab.measure.run import NO_PATH, Request, Run

TOPICS = ("Perovskite solar cells", "Course pages", "Conferences", "Ancient Rome")
SKILL: dict[str, tuple[float, Kind]] = {
    "oracle-path": (0.97, "oracle"),
    "adaptive": (0.62, "strategy"),
    "hybrid": (0.5, "strategy"),
    "best-first": (0.45, "strategy"),
    "gray-tunnel": (0.3, "strategy"),
    "bfs": (0.12, "baseline"),
    "random": (0.08, "baseline"),
}


def results(
    topics: int = 4, seed_sets: int = 3, budget: int = 600, skill: dict[str, tuple[float, Kind]] = SKILL
) -> list[RunResult]:
    made = []
    for topic in range(topics):
        for seed_set in range(seed_sets):
            for name, (chance, kind) in skill.items():
                dice = np.random.default_rng([topic, seed_set, len(name)])
                run = crawl(dice, chance * (0.7 + 0.15 * topic), budget, targets=40 + 20 * topic)
                told = TOPICS[topic % 4] + " I" * (topic // 4)
                made.append(
                    run_result(run, strategy=name, kind=kind, topic=told, seed_set=f"seeds-{seed_set}",
                               targets=40 + 20 * topic, budget_requests=budget)
                )  # fmt: skip
    return made


def crawl(dice: np.random.Generator, chance: float, budget: int, targets: int) -> Run:
    """Finds a target with this chance while many are left, after a slow start; one request in twenty brings nothing."""
    left = targets
    brought = np.where(dice.random(budget) < 0.05, Request.ERROR, Request.PAGE).astype(np.int8)
    target = []
    for n, (throw, kind) in enumerate(zip(dice.random(budget).tolist(), brought.tolist(), strict=True)):
        target.append(kind == Request.PAGE and throw < chance * min(1, (n + 5) / 60) * (left / targets) ** 0.8)
        left -= target[-1]
    wire_bytes = dice.integers(2_000, 30_000, budget)
    distance = np.where(brought == Request.PAGE, dice.integers(1, 7, budget), NO_PATH)
    return Run.of(target, target=target, brought=brought, wire_bytes=wire_bytes, distance=distance)
