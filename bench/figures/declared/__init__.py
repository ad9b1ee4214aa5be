"""Every figure of the docs, page by page."""

from __future__ import annotations

from bench.figures.declared.comparisons import COMPARISONS
from bench.figures.declared.costs import COSTS
from bench.figures.declared.freshness import FRESHNESS
from bench.figures.declared.papers import PAPERS
from bench.figures.declared.people import PEOPLE
from bench.figures.declared.recrawl import RECRAWL
from bench.figures.declared.shards import SHARDS
from bench.figures.declared.verdicts import VERDICTS
from bench.figures.figure import Figure

__all__ = ["FIGURES"]

FIGURES: tuple[Figure, ...] = (*COMPARISONS, *PAPERS, *PEOPLE, *VERDICTS, *COSTS, *RECRAWL, *FRESHNESS, *SHARDS)
