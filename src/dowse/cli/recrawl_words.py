"""What ``dowse recrawl`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from dowse.lab.wording import counted, human_bytes, percent
from dowse.model.objects import DistinctObject
from dowse.model.shown import shown

if TYPE_CHECKING:
    from dowse.recrawl.renewal import Renewal
    from dowse.recrawl.selection.atlas import Atlas
    from dowse.recrawl.selection.choose import Choice

__all__ = ["learned_lines", "plan_lines", "renewal_json", "renewal_lines"]

_MOST = 20


def learned_lines(atlas: Atlas, rows: Sequence[tuple[str, int, int]], pages: int) -> Iterator[str]:
    """The patterns with the most objects."""
    yield f"{'objects':>8} {'pages':>7}  pattern"
    stating = sorted((row for row in rows if row[2]), key=lambda row: (-row[2], row[0]))
    for text, count, objects in stating[:_MOST]:
        yield f"{objects:8,} {count:7,}  {shown(text)}"
    if len(stating) > _MOST:
        yield f"{'...':>8} {'':7}  and {counted(len(stating) - _MOST, 'pattern')} more with objects"
    yield (
        f"{counted(len(rows), 'pattern')} of {counted(pages, 'page')}, {len(stating):,} with objects; "
        f"{counted(len(atlas.objects), 'distinct object')}"
    )


def plan_lines(atlas: Atlas, choice: Choice, of_bytes: int) -> Iterator[str]:
    """What each pattern adds and costs, in the order of their choice."""
    total = len(atlas.objects)
    yield f"{'adds':>7} {'costs':>9} {'covered':>8} {'spent':>9}  pattern"
    steps = choice.steps
    for place, step in enumerate(steps):
        if _MOST <= place < len(steps) - 2:
            if place == _MOST:
                yield f"{'...':>7} {'':9} {'':8} {'':9}  {len(steps) - _MOST - 2:,} more"
            continue
        text = shown(atlas.patterns[step.pattern].text)
        gone = "" if step.pattern in choice.patterns else "  (left out again: other pages state its objects)"
        yield (
            f"{step.gain:7,} {human_bytes(step.cost):>9} {percent(step.covered / total):>8} "
            f"{human_bytes(step.spent):>9}  {text}{gone}"
        )
    yield (
        f"{choice.method}: {counted(len(choice.patterns), 'pattern')} on {counted(len(choice.edges), 'site')}, "
        f"{choice.objects:,} of {counted(total, 'object')} ({percent(choice.objects / total)})"
    )
    yield (
        f"a run fetches {human_bytes(choice.wire_bytes)} ({human_bytes(choice.way_bytes)} of it on the way), "
        f"{percent(choice.wire_bytes / max(of_bytes, 1))} of the {human_bytes(of_bytes)} of this crawl"
    )


def renewal_lines(found: Renewal) -> Iterator[str]:
    """The news, and the verdict on the plan."""
    yield from _listed("new", found.new)
    yield from _listed("changed", [now for _, now in found.changed])
    yield from _listed("gone", found.gone)
    yield (
        f"new {len(found.new):,}, changed {len(found.changed):,}, gone {len(found.gone):,}, over {found.over:,}, "
        f"as before {found.kept:,}"
    )
    told = f"{percent(found.found)} of the objects of before were found again"
    yield f"{told}: learn again" if found.is_due else f"{told}: the plan still serves"


def _listed(what: str, objects: Sequence[DistinctObject]) -> Iterator[str]:
    for one in objects[:_MOST]:
        yield f"{what:8} {shown(_told(one))}"
    if len(objects) > _MOST:
        yield f"{what:8} ... and {len(objects) - _MOST:,} more"


def _told(one: DistinctObject) -> str:
    fields = (one.fields.get(name) for name in ("name", "startDate", "location"))
    return f"{one.kind} {', '.join(str(value) for value in fields if value is not None)}"


def renewal_json(found: Renewal) -> dict[str, Any]:
    def told(one: DistinctObject) -> dict[str, Any]:
        return {"kind": one.kind, "fields": one.fields, "sources": list(one.sources)}

    return {
        "learn_again": found.is_due, "found": found.found, "kept": found.kept, "over": found.over,
        "new": [told(one) for one in found.new], "gone": [told(one) for one in found.gone],
        "changed": [{"before": told(was), "after": told(now)} for was, now in found.changed],
    }  # fmt: skip
