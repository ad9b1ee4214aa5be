"""What training again has changed about a category."""

from __future__ import annotations

from collections.abc import Mapping

from dowse.judge import Category

__all__ = ["changes"]

_TERMS = 6


def changes(before: Category | None, after: Category, was: Mapping[str, float], now: Mapping[str, float]) -> list[str]:
    """A few lines: the figures before and after, how many pages change sides, which terms gained or lost most. ``was``
    and ``now`` are the probabilities of the same pages."""
    inside = sum(value >= after.threshold for value in now.values())
    lines = [f"pages of the crawl it takes: {inside} of {len(now)}"]
    if before is None:
        return lines
    figures = (
        (title, getattr(before.measured, name).value, getattr(after.measured, name).value)
        for title, name in (("F1", "f1"), ("AUC", "auc"))
    )
    lines = [f"before and now: {', '.join(f'{title} {old:.3f} -> {new:.3f}' for title, old, new in figures)}", *lines]
    both = was.keys() & now.keys()
    joined = sum(was[url] < before.threshold and now[url] >= after.threshold for url in both)
    left = sum(was[url] >= before.threshold and now[url] < after.threshold for url in both)
    lines.append(f"change sides: {joined} in, {left} out")
    moved = _moved(before, after)
    for title, terms in (("gained", moved[:_TERMS]), ("lost", moved[: -_TERMS - 1 : -1])):
        shown = [f"{term} {step:+.2f}" for term, step in terms if (step > 0) is (title == "gained")]
        if shown:
            lines.append(f"{title}: {', '.join(shown)}")
    return lines


def _moved(before: Category, after: Category) -> list[tuple[str, float]]:
    """The change of each term's weight, the greatest gain first."""
    old, new = (dict(zip(one.terms, (one.scales * one.weights).tolist(), strict=True)) for one in (before, after))
    steps = {term: new.get(term, 0.0) - old.get(term, 0.0) for term in {*old, *new}}
    return sorted(((term, step) for term, step in steps.items() if step), key=lambda pair: (-pair[1], pair[0]))
