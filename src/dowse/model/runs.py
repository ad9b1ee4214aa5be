"""What the records say of each run of a crawl: when it was, why it ended, and by what pages were judged in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

from dowse.model.columns import Form, Stored
from dowse.model.revive import revived

__all__ = ["JudgedBy", "RunRow", "checked_verdicts"]

_COUNTS = ("pages", "relevant", "joined", "left", "model", "positive", "made_of")
_EXPECTED = ("precision", "recall")
# not told by all versions
_SINCE = {"answers": int, "by_lot": int, "worth": float, "asked": float | None, "unmet": str}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedBy:
    """By what a run judges pages. A resume may change it: each run has its own."""

    judge: Annotated[
        str, Stored("Who judged: `learned`, `similarity`, `erid`, `predicate` or another's name. Empty: not known.",
                    since=6)
    ] = ""  # fmt: skip
    threshold: Annotated[
        float | None,
        Stored("The score from which a page was relevant, as of the run's end; until then, of its start.", since=6),
    ] = None
    model: Annotated[
        int, Stored("The version of the model that gave the final verdicts; 0: there was none.", since=6)
    ] = 0
    made_of: Annotated[int, Stored("How many pages that model was made of.", since=6)] = 0
    vague: Annotated[
        str,
        Stored("Why the topic's words were [too vague](relevance.md#what-you-are-shown) to tell; empty: they were "
               "not.", since=6),
    ] = ""  # fmt: skip
    verdicts: Annotated[
        dict[str, Any] | None,
        Stored(
            "JSON: what came of judging all pages again when the run ended ([what you are "
            "shown](relevance.md#what-you-are-shown)). Null: no model, or the run has not ended.",
            Form.JSON,
            since=6,
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """One run."""

    id: Annotated[int, Stored("1 is the first run; each resume adds one.", key=True)]
    started_at: Annotated[float, Stored("When it began.", Form.TIME)]
    ended_at: Annotated[float | None, Stored("When it ended; null while it runs, and after a kill.", Form.TIME)] = None
    stop_reason: Annotated[str | None, Stored("Why it stopped, as printed.")] = None
    judged_by: JudgedBy = field(default_factory=JudgedBy)


def checked_verdicts(value: Any) -> dict[str, Any] | None:
    """What came of judging all pages again, as the records tell it, which anybody may have written: TypeError or
    ValueError unless all that is told of it is there. None stays None."""
    if value is None:
        return None
    found: dict[str, Any] = revived(dict[str, Any], value)
    for name in _COUNTS:
        revived(int, found.get(name))
    for name in _EXPECTED:
        if len(revived(tuple[float, ...], found.get(name))) != 3:
            raise ValueError(f"{name} has no value with two bounds")
    revived(float, found.get("threshold"))
    for name, kind in _SINCE.items():
        if name in found:
            revived(kind, found[name])
    return found
