"""Names of what a crawl has learned and counted, as its records keep it."""

from __future__ import annotations

__all__ = [
    "EVIDENCE_KIND", "FINAL_VERDICTS", "FRUITLESS", "JUDGE_STATE", "LOOP_HELD", "MAXIMISED", "OTHER_VERDICTS",
    "REPEATS", "STRATEGY_STATE", "WALKED",
]  # fmt: skip

STRATEGY_STATE = "strategy."
"""In the names of statistics: in front of the strategy's name and the key."""
LOOP_HELD = "loop held"
"""The statistic that counts, by place, how often the engine's loop was held, and for how many seconds at most."""

FINAL_VERDICTS = "final verdicts"
"""The statistic that says what came of judging all pages again, and what is expected of the verdicts."""

OTHER_VERDICTS = "other verdicts"
"""The statistic that says by what pages were judged again (``dowse rejudge``), where that was not the crawl's own
topic."""

FRUITLESS = "fruitless."
"""In the names of statistics: in front of the number of a site that has pages since its last relevant one."""
REPEATS = "repeats."
"""In the names of statistics: in front of the number of a site whose pages have lines in common."""
EVIDENCE_KIND = "evidence"
"""The statistic that says what the candidates' evidence means: its strategy's ``Memory.kind``."""
MAXIMISED = "maximise"
"""The statistic that says what the priorities in the records stand for."""
JUDGE_STATE = "judge"
"""The statistic that says how many pages the judge's model was made of, and its version."""
WALKED = "sitemaps walked"
"""The statistic that remembers them over a resume."""
