"""What there is to tell of a crawl's verdicts as a whole: one collection, for summary, report and programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dowse.lab.finished.judged_by import changes, counts_now
from dowse.lab.finished.score_spread import ScoreSpread, score_spread
from dowse.model.runs import JudgedBy
from dowse.store import CrawlReader, LanguageCount, PageView
from dowse.store.read_verdicts import borderline, final_verdicts, languages, scores

__all__ = ["VerdictFacts", "verdict_facts"]


@dataclass(frozen=True, slots=True)
class VerdictFacts:
    """``spread`` is None where no page was judged, or nobody knows the threshold."""

    by: JudgedBy  # what gave the verdicts that count
    spread: ScoreSpread | None
    just_relevant: Sequence[PageView]  # the nearest to the threshold first, as are
    nearly_relevant: Sequence[PageView]
    languages: Sequence[LanguageCount]  # the most frequent first
    changes: Sequence[str]  # what a resume changed

    def to_json(self) -> dict[str, Any]:
        """The same for programs."""
        spread = self.spread
        return {
            "judge": self.by.judge,
            "threshold": self.by.threshold,
            "model": self.by.model,
            "made_of": self.by.made_of,
            "vague": self.by.vague or None,
            "again": self.by.verdicts,
            "scores": None if spread is None else {
                "edges": [round(edge, 6) for edge in spread.edges.tolist()],
                "pages": spread.counts.tolist(),
                "near_threshold": spread.near,
            },
            "just_relevant": [_page(page) for page in self.just_relevant],
            "nearly_relevant": [_page(page) for page in self.nearly_relevant],
            "languages": [
                {"language": one.language, "pages": one.pages, "relevant": one.relevant} for one in self.languages
            ],
            "changes": list(self.changes),
        }  # fmt: skip


def _page(page: PageView) -> dict[str, Any]:
    return {"url": page.url, "title": page.title, "score": page.score}


def verdict_facts(crawl: CrawlReader, most: int, bins: int = 20) -> VerdictFacts:
    """With so many borderline pages on either side, and bins of scores."""
    runs = crawl.summary().runs
    by = counts_now(runs, final_verdicts(crawl))
    threshold = by.threshold if by.threshold is not None else crawl.settings().get("threshold")
    found, spread = scores(crawl), None
    if isinstance(threshold, (int, float)) and len(found):
        spread = score_spread(found, float(threshold), by.judge, bins)
    above, below = borderline(crawl, most)
    return VerdictFacts(by, spread, above, below, languages(crawl), changes(runs))
