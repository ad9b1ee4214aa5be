"""The two databases as the state machines see them: transactions in which statements are run.

A statement is written once, for both, with ``?`` for its values. What they do not share is small: how a row is locked
until the transaction ends (SQLite has one writer at a time, so there the whole file is), what time it is, how many rows
are brought at once, and what is said at once, so that a transaction waits for few answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

__all__ = ["Database", "Row", "Session", "Statement"]

Statement = tuple[str, Sequence[Any]]
Row = tuple[Any, ...]


class Session(Protocol):
    """A transaction."""

    lock: str
    """Ends a SELECT whose rows nobody else may change before the transaction ends."""

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a statement: what it returns."""
        ...

    def at_once(self, first: Statement, *others: Statement) -> tuple[float, list[list[Row]]]:
        """Run statements in their order, none of which needs another's answer: the time between the first and the next,
        and what each returns."""
        ...

    def last(self, *statements: Statement) -> None:
        """Run statements that return nothing, and end the transaction: nothing may follow."""
        ...

    def each(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement for each of these."""
        ...

    def bring(self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Put new rows into a table, the quickest way there is."""
        ...

    def now(self) -> float:
        """Seconds since 1970 by the database's clock: asked once all locks are held, since they may have been waited
        for."""
        ...


class Database(Protocol):
    """One database, which any thread may use, one at a time."""

    def transaction(self) -> AbstractContextManager[Session]:
        """All that is done inside holds together, or nothing of it. GroundAway where the database does not answer."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...
