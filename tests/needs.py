"""Tests that need a program which is not everywhere, and the line that says what was not run for want of it.

A test is marked, and a fixture that only marked tests use is then never made::

    MARIADB = needs("MariaDB", "apt install mariadb-server", present=shutil.which("mariadbd") is not None)

    @MARIADB
    def test_rows_arrive(mariadb: str) -> None: ...

What is installed but does not start is a failure, not a reason to skip.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

__all__ = ["needs", "not_run", "pytest_terminal_summary"]

_NEEDS = "needs "


def needs(what: str, how: str, *, present: bool) -> pytest.MarkDecorator:
    """Marks tests (or a module: ``pytestmark``) that run only where ``what`` is present, and tells how to get it."""
    return pytest.mark.skipif(not present, reason=f"{_NEEDS}{what} ({how})")


def not_run(reasons: Iterable[str]) -> str:
    """What was left out, in one line; empty where nothing was.

    >>> not_run(["needs x (apt install x)", "needs y (pip install y)", "only on Linux", "needs x (apt install x)"])
    'not run here: 2 tests that need x (apt install x); 1 test that needs y (pip install y)'
    """
    counts = Counter(reason.removeprefix(_NEEDS) for reason in reasons if reason.startswith(_NEEDS))
    told = (f"{n} test{'s that need' if n > 1 else ' that needs'} {what}" for what, n in counts.items())
    return f"not run here: {'; '.join(told)}" if counts else ""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The line, above the one with the counts; with workers (xdist) their reports are all here, too."""
    skipped = [report.longrepr for report in terminalreporter.stats.get("skipped", ())]
    line = not_run(told[2].removeprefix("Skipped: ") for told in skipped if isinstance(told, tuple))
    if line:
        terminalreporter.write_line(line, yellow=True)
