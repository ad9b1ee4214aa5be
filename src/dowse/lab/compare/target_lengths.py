"""Target lengths that compare (METHODS, section 3): links from the seeds to the targets found, over as many of them.

Who finds more goes farther for it. So the lengths of runs on one topic from one set of seeds are sums over the same
number of targets, the first ones each run found: the fewest that a strategy or ``bfs`` found there. Other references
take part where they found as many; ``random`` mostly did not, and were it to decide, next to nothing would be left to
compare. Where somebody found no target at all there is nothing to compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dowse.lab.compare.bootstrap import Cell
from dowse.lab.compare.run_results import BASELINE, RunResult, by_strategy
from dowse.lab.measure.metrics import shared_targets, target_length

__all__ = ["Lengths", "comparable"]


@dataclass(frozen=True, slots=True)
class Lengths:
    """The targets compared in each topic and seed set, more than none; and how far each strategy went for so many, in
    the order in which it found them. A strategy that did not find so many is missing there."""

    targets: dict[Cell, int]
    distances: dict[str, dict[Cell, list[int]]]

    def sums(self, strategy: str, topic: str | None = None) -> dict[Cell, float]:
        """The target lengths of a strategy, of one topic or of all; empty unless it has one wherever they are compared:
        a mean over other topics and seeds than those of its rivals would say nothing."""
        cells = [cell for cell in self.targets if topic is None or cell[0] == topic]
        own = self.distances.get(strategy, {})
        if any(cell not in own for cell in cells):
            return {}
        return {cell: target_length(own[cell], self.targets[cell]) for cell in cells}

    def links_per_target(self, strategy: str) -> dict[Cell, float]:
        """The target lengths of a strategy, divided by the number of targets."""
        return {cell: length / self.targets[cell] for cell, length in self.sums(strategy).items()}


def comparable(results: Sequence[RunResult]) -> Lengths:
    """What can be compared of these runs."""
    groups = by_strategy(results)
    found = {
        name: {
            (result["topic"], result["seed_set"]): known
            for result in own
            if (known := result["target_distances"]) is not None
        }
        for name, own in groups.items()
    }
    deciding = [found[name] for name, own in groups.items() if own[0]["kind"] == "strategy" or name == BASELINE]
    cells = dict.fromkeys(cell for own in deciding for cell in own)
    fewest = {cell: shared_targets([own[cell] for own in deciding if cell in own]) for cell in cells}
    targets = {cell: count for cell, count in fewest.items() if count}
    distances = {
        name: {cell: own[cell][:count] for cell, count in targets.items() if len(own.get(cell, ())) >= count}
        for name, own in found.items()
    }
    return Lengths(targets, distances)
