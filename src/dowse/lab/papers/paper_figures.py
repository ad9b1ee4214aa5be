"""Figures of the papers, drawn on any corpus: what each shows, and where its curves come from.

``th`` are TH-Gatherer's (METHODS, section 1), ``gt`` those of the gray tunneling paper (section 3), ``ag`` Aggarwal's
(section 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, Protocol

from dowse.lab.compare.each_topic import Told
from dowse.lab.compare.mean_curves import Drawn
from dowse.lab.compare.plan import Plan
from dowse.lab.papers.affinity_curves import affinity_curves
from dowse.lab.papers.lift_table import linkage_curves
from dowse.lab.papers.people_curves import best_linkage_curves, strategy_curves, word_curves
from dowse.lab.papers.prediction_error import MOST_PARENTS, prediction_curves
from dowse.lab.papers.reuse_curves import changed_curves, reuse_curves
from dowse.lab.papers.target_curves import HUNDRED, harvest_curves, length_curves, recall_curves, target_curves
from dowse.lab.papers.value_curves import benefit, efficiency, value_curves
from dowse.predict import NEED_TRACES, STRATEGIES

__all__ = ["PAPERS", "PaperFigure"]

Shows = Literal["share", "error", "length"]
"""What the height of a curve is: a share of a whole, an error by the number of parents, or a sum of links."""


class Curves(Protocol):
    def __call__(
        self, folder: Path, plan: Plan, labels: Sequence[str], *, jobs: int = 1, told: Told | None = None
    ) -> Drawn:
        """The curve of each strategy and reference, a mean over topics and seed sets."""
        ...


@dataclass(frozen=True, slots=True)
class PaperFigure:
    """One figure: its title, its axes, and its curves."""

    title: str
    x: str
    y: str
    curves: Curves
    shows: Shows
    along: str = ""  # of what whole a place along the axis is a percentage
    kept: bool = False  # are its runs kept, and not run again?
    note: str = ""
    strategies: tuple[str, ...] = ("best-first",)  # that are run when nobody says which
    drawn: tuple[str, ...] = ()  # of these, whose curves are drawn; none: all
    speeds: str = "even"  # of sites whose times were not recorded, when nobody says which
    seeds_kind: str = "near"  # when nobody says which


_COST = "cost, in percent of that of the whole corpus"
_REQUESTS = "pages asked for, in percent of the corpus"
_HARVEST = "relevant pages among those fetched"
_LINKAGE = ("random", "bfs", "best-first", "weighted", "hybrid", "tunnel", "learning")
_MEASURES = ("hybrid", "hybrid:form=paper", "similar-link:form=paper", "link:form=paper")
_BY_COST = (
    "hybrid:maximise=efficiency", "hybrid", "hybrid:form=paper,maximise=efficiency", "hybrid:form=paper",
)  # fmt: skip
_OF_LINKS = tuple(name for name in STRATEGIES if name not in NEED_TRACES)
_FORMS = ("learning:form=paper", "learning:combine=logs", "tunnel:form=paper", "tunnel:form=max")
_TUNNELS = ("best-first", "tunnel:form=paper", "tunnel:form=max", "tunnel")
_TARGETS = f"targets found, of {HUNDRED} in each topic"

_LINKS, _PEOPLE = "learning:combine=logs", "traces"
_TOGETHER = (_LINKS, _PEOPLE, "combined", "learning", "learning:traces=own")
_PARTS = (_LINKS, _PEOPLE, "learning")
_BY_TRACES = "Traces against links"
_AND_A_WORD = "A category and a word, by links, by traces, and by both"
_FIVE = "The best of five crawls that links lead, each from seeds of its own."

_KNOWN = "A fresh start, and one from what an earlier trace told of users"
_EARLIER = "Both go by the later trace; users were learned from a crawl by the earlier one, from other seeds."

PAPERS = {
    "th-3": PaperFigure("Error of the value predicted before download",
                        f"pages that link to a page ({MOST_PARENTS}: or more)", "root mean squared error",
                        prediction_curves, "error"),
    "th-4": PaperFigure("Value gathered for what was spent", _COST, "share of all value",
                        partial(value_curves, benefit), "share", "the cost", strategies=_MEASURES, speeds="uneven"),
    "th-5": PaperFigure("Value gathered, against the best that money can buy", _COST, "value over the knapsack bound",
                        partial(value_curves, efficiency), "share", "the cost", strategies=_BY_COST, speeds="uneven",
                        note="Those without maximise=efficiency do not look at cost: how much dividing by it brings is"
                        " the distance to them."),
    "gt-5": PaperFigure("Average harvest rate", _REQUESTS, "relevant pages among those fetched",
                        partial(target_curves, harvest_curves), "share", "the pages", kept=True,
                        strategies=_TUNNELS),
    "gt-6": PaperFigure("Average target recall", _REQUESTS, "targets found",
                        partial(target_curves, recall_curves), "share", "the pages", kept=True,
                        strategies=_TUNNELS),
    "gt-7": PaperFigure("Sum of target lengths", _TARGETS, "links from a seed to each target, summed",
                        partial(target_curves, length_curves), "length", "the targets", kept=True, strategies=_TUNNELS,
                        note="As many targets for all: the fewest that a strategy or bfs found, with each topic and"
                        " set of seeds."),
    "ag-linkage": PaperFigure("Lift curves", _REQUESTS, _HARVEST, linkage_curves, "share", "the pages", kept=True,
                              strategies=(*_OF_LINKS, *_FORMS), drawn=_LINKAGE),
    "ag-2": PaperFigure(_BY_TRACES, _REQUESTS, _HARVEST, best_linkage_curves, "share", "the pages", kept=True,
                        strategies=("traces", "combined"), note=_FIVE),
    "ag-3": PaperFigure(f"{_BY_TRACES}, begun far away", _REQUESTS, _HARVEST, best_linkage_curves, "share", "the pages",
                        kept=True, strategies=("traces", "combined"), note=_FIVE, seeds_kind="far"),
    "ag-4": PaperFigure(_AND_A_WORD, _REQUESTS, _HARVEST, partial(word_curves, _PARTS), "share", "the pages", kept=True,
                        strategies=_TOGETHER),
    "ag-5": PaperFigure(f"{_AND_A_WORD}, begun far away", _REQUESTS, _HARVEST, partial(word_curves, _PARTS), "share",
                        "the pages", kept=True, strategies=_TOGETHER, seeds_kind="far"),
    "ag-6": PaperFigure(_KNOWN, _REQUESTS, _HARVEST, affinity_curves, "share", "the pages", strategies=("traces",),
                        note=_EARLIER),
    "ag-7": PaperFigure(f"{_KNOWN}, begun far away", _REQUESTS, _HARVEST, affinity_curves, "share", "the pages",
                        strategies=("traces",), note=_EARLIER, seeds_kind="far"),
    "ag-traces": PaperFigure("Lift curves of links, of people, and of both", _REQUESTS, _HARVEST,
                             partial(strategy_curves, _PARTS), "share", "the pages", kept=True,
                             strategies=("bfs", "best-first", *_TOGETHER)),
    "ag-6-linkage": PaperFigure("A fresh start, and one from an earlier crawl's statistics", _REQUESTS, _HARVEST,
                                reuse_curves, "share", "the pages", strategies=("learning",),
                        note="Reused: statistics of a crawl for the same topic, as long as this one, from other seeds"
                        " on the same web."),
    "ag-7-linkage": PaperFigure("A fresh start, and one from statistics of another web or topic", _REQUESTS, _HARVEST,
                        changed_curves, "share", "the pages", strategies=("learning",),
                        note="Half new: half of the pages were not there yet in the earlier crawl. Other topic: it was"
                        " for another label."),
}  # fmt: skip
