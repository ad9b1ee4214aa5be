"""Rows of the records as the views that readers get: which columns a view takes, and what becomes of their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, TypeVar

from dowse.model.page import Part, Reason
from dowse.model.revive import typed
from dowse.model.runs import JudgedBy, checked_verdicts
from dowse.store import rows
from dowse.store.views import PageView, Run

__all__ = ["PAGE_COLUMNS", "RUN_COLUMNS", "SITE_COLUMNS", "page_view", "run_view", "truth", "typed_row"]

T = TypeVar("T")

_OF_VERDICT = ("reasons", "parts")
_REASON, _PART = 3, 6  # values of a reason, and of a predicate's part
PAGE_COLUMNS = ", ".join(["verdict", *(field.name for field in fields(PageView) if field.name not in _OF_VERDICT)])
RUN_COLUMNS = ", ".join(("id", "started_at", "ended_at", "stop_reason", *(field.name for field in fields(JudgedBy))))
SITE_COLUMNS = (
    "origin, pages, relevant, CASE WHEN pages > 0 THEN 1.0 * relevant / pages ELSE 0.0 END, requests, failures, bytes,"
    " CASE WHEN requests > 0 THEN latency_s / requests ELSE 0.0 END,"
    " CASE WHEN download_s > 0 THEN bytes / download_s ELSE 0.0 END, delay_s, robots_status"
)


def page_view(row: tuple[Any, ...]) -> PageView:
    """A page from the values of :data:`PAGE_COLUMNS`."""
    values = dict(zip(PAGE_COLUMNS.split(", "), row, strict=True))
    for name in ("relevant", "first_relevant"):
        values[name] = truth(values[name])
    verdict = rows.from_json(values.pop("verdict"))
    values["reasons"] = tuple(_reason(*row) for row in verdict if len(row) == _REASON)
    values["parts"] = tuple(
        typed(Part, text=text, held=held, degree=degree, value=value, depth=depth)
        for text, degree, _, held, value, depth in (row for row in verdict if len(row) == _PART)
    )
    return typed(PageView, **values)


def run_view(id_: Any, started_at: Any, ended_at: Any, stop_reason: Any, *by: Any) -> Run:
    """A run from the values of :data:`RUN_COLUMNS`."""
    judged_by = dict(zip((field.name for field in fields(JudgedBy)), by, strict=True))
    verdicts = judged_by["verdicts"]
    judged_by["verdicts"] = None if verdicts is None else checked_verdicts(rows.from_json(verdicts))
    return typed(
        Run, id=id_, started_at=started_at, ended_at=ended_at, stop_reason=stop_reason,
        judged_by=typed(JudgedBy, **judged_by),
    )  # fmt: skip


def typed_row(of: type[T], row: Sequence[Any]) -> T:
    """A row as a dataclass, column by column."""
    return typed(of, **dict(zip((field.name for field in fields(of)), row, strict=True)))  # type: ignore[arg-type]


def _reason(name: Any, value: Any, weight: Any) -> tuple[str, float, float]:
    reason = typed(Reason, name=name, value=value, weight=weight)
    return reason.name, reason.value, reason.weight


def truth(value: int | None) -> bool | None:
    return None if value is None else bool(value)
