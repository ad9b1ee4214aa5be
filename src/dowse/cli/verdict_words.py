"""What is known of a crawl's verdicts, in words: what gave them, what changed at the end, how good they may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dowse.lab.finished.expected_words import goes_by, shortfall
from dowse.lab.finished.score_spread import ScoreSpread, sparks
from dowse.lab.finished.verdict_facts import VerdictFacts
from dowse.lab.wording import counted
from dowse.store import CrawlReader, LanguageCount

__all__ = [
    "borderline_lines", "final_lines", "judged_by_model", "language_line", "learned_from", "spread_line", "vague_lines",
]  # fmt: skip

_LANGUAGES = 6


def learned_from(final: Mapping[str, Any]) -> str:
    """What a model was made of.

    >>> learned_from({"positive": 8, "made_of": 300}), learned_from({"positive": 0, "made_of": 300})
    ('8 examples and 300 pages', "the topic's words alone and 300 pages")
    """
    examples = counted(final["positive"], "example") if final["positive"] else "the topic's words alone"
    return f"{examples} and {counted(final['made_of'], 'page')}"


def judged_by_model(final: Mapping[str, Any]) -> str:
    """By what pages were called relevant; ``final`` is the statistic of that name."""
    return f"a chance of at least {final['threshold']:.2f}, by model {final['model']}, made of {learned_from(final)}"


def final_lines(final: Mapping[str, Any] | None) -> list[str]:
    """What to expect of the verdicts, and what changed when all pages were judged again.

    >>> final_lines({"joined": 3, "left": 0, "precision": [0.9, 0.6, 1.0], "recall": [0.5, 0.2, 0.8], "positive": 8,
    ...              "pages": 300, "by_lot": 5})
    ['expected precision 0.90 (0.60 to 1.00), recall 0.50 (0.20 to 0.80)', \
'by 5 answers about pages drawn by lot, and the chances of 300 pages', \
'all were judged again since they came: 3 joined, 0 left']
    """
    if final is None:
        return []
    precision, recall = (
        f"{name} {value:.2f} ({low:.2f} to {high:.2f})"
        for name, (value, low, high) in (("precision", final["precision"]), ("recall", final["recall"]))
    )
    short = shortfall(final.get("asked"), final.get("unmet", ""))
    if not final.get("relevant", 1):  # nothing is expected of pages that are not there
        return [short or "no page is likely to be on the topic"]
    lines = [f"expected {precision}, {recall}", goes_by(final), *([short] if short else [])]
    if final["joined"] or final["left"]:
        lines.append(f"all were judged again since they came: {final['joined']} joined, {final['left']} left")
    return lines


def spread_line(spread: ScoreSpread) -> str:
    """The scores as bars, and how many pages lie near the threshold.

    >>> import numpy as np
    >>> from dowse.lab.finished.score_spread import score_spread
    >>> spread_line(score_spread(np.array([0.1, 0.1, 0.1, 0.45, 0.9]), 0.5, "learned", 10))
    '0 .█..▃|....▃ 1: 1 page from 0.40 to 0.60'
    """
    near = f"from {spread.told(spread.low)} to {spread.told(spread.high)}"
    top = spread.told(spread.top) if spread.top != 1.0 else "1"
    return f"0 {sparks(spread)} {top}: {counted(spread.near, 'page')} {near}"


def borderline_lines(facts: VerdictFacts, most: int) -> list[str]:
    """The pages nearest to the threshold on either side, one a line."""
    chosen = [*((page, "relevant") for page in facts.just_relevant[:most][::-1]),
              *((page, "not") for page in facts.nearly_relevant[:most])]  # fmt: skip
    return [f"{page.score or 0.0:.3f} {verdict}: {page.url}" for page, verdict in chosen]


def language_line(languages: Sequence[LanguageCount]) -> str:
    """Pages by language; empty where there is but one.

    >>> language_line([LanguageCount("en", 90, 12), LanguageCount("", 3, 0)])
    'en 90 pages (12 relevant), unknown 3 (0)'
    """
    if len(languages) < 2:
        return ""
    told = [f"{one.language or 'unknown'} {one.pages:,} ({one.relevant:,})" for one in languages[:_LANGUAGES]]
    first = languages[0]
    told[0] = f"{first.language or 'unknown'} {counted(first.pages, 'page')} ({first.relevant:,} relevant)"
    more = len(languages) - len(told)
    return ", ".join(told) + (f", and {more} more" if more > 0 else "")


def vague_lines(cause: str, folder: Path) -> list[str]:
    """Why the topic's words are too vague, and what would sharpen them."""
    if not cause:
        return []
    from dowse.lab.finished.sharpen import ways_to_sharpen  # only here: what reads pages again takes a while to load

    with CrawlReader(folder) as crawl:
        ways = ways_to_sharpen(crawl)
    return [f"the topic's words are too vague to tell: {cause}. To sharpen it:", *(f"- {way}" for way in ways)]
