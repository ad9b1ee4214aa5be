"""What is known of a crawl's verdicts, in words: what gave them, what changed at the end, how good they may be."""

from __future__ import annotations

from typing import Any

__all__ = ["final_lines", "judged_by_model"]

_SHARPER = "example pages in a topic file, or more words, would sharpen it"


def judged_by_model(final: dict[str, Any]) -> str:
    """By what pages were called relevant; ``final`` is the statistic of that name."""
    told = f"{final['positive']} examples" if final["positive"] else "the topic's words alone"
    if final["positive"] == 1:
        told = "1 example"
    return (
        f"a chance of at least {final['threshold']:.2f}, by a model that learned from {told} and the"
        f" {final['made_of']} pages"
    )


def final_lines(final: dict[str, Any] | None) -> list[str]:
    """What changed when all pages were judged again, what to expect of the verdicts, and how to better them.

    >>> final_lines({"joined": 3, "left": 0, "precision": [0.9, 0.6, 1.0], "recall": [0.5, 0.2, 0.8], "positive": 8})
    ['expected precision 0.90 (0.60 to 1.00), recall 0.50 (0.20 to 0.80), by the chances it gave', \
'at the end all were judged again: 3 joined, 0 left']
    """
    if final is None:
        return []
    precision, recall = (
        f"{name} {value:.2f} ({low:.2f} to {high:.2f})"
        for name, (value, low, high) in (("precision", final["precision"]), ("recall", final["recall"]))
    )
    lines = [f"expected {precision}, {recall}, by the chances it gave"]
    if final["joined"] or final["left"]:
        lines.append(f"at the end all were judged again: {final['joined']} joined, {final['left']} left")
    if not final["positive"]:
        lines.append(_SHARPER)
    return lines
