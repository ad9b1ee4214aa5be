"""The process that publishes a crawl while it runs: ``python -m dowse.store.shared.follow``.

It is a process of its own so that nothing a database does or does not do can hold the crawl: neither its loop nor its
interpreter's lock nor its end. What it shall publish comes on standard input as a line of JSON (with the database's
password, which no command line shows), then perhaps ``finish``; when the input ends, the crawl has died, and so does
this. On standard output it tells how far it is, a line of JSON each time that changes.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from dowse.model.clock import SystemClock
from dowse.model.errors import DowseError, UserError
from dowse.store.shared.connect import open_server
from dowse.store.shared.folder_changes import FolderChanges
from dowse.store.shared.publication import Publication

__all__ = ["FINISH", "Follower", "Reporter", "main"]

FINISH = "finish"
"""The line that says: nothing more will change; end once everything is published."""

_LOOK_S = 0.5  # from one look at the folder to the next: a crawl commits once a second
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 30.0  # from one attempt to reach the database to the next
_REPORT_S = 0.5
_SILENT_S = 5.0  # of a step, before it is told
_SILENT = "the database does not answer"
_HURRY_S = 1.0  # the longest wait once the crawl has ended


class Reporter:
    """Tells how far a publication is, also while a step waits for a database that does not answer: it reads the folder
    by itself, and any thread may ask it to look."""

    def __init__(
        self, changes: FolderChanges, tell: Callable[[dict[str, Any]], None], now: Callable[[], float]
    ) -> None:
        self._changes = changes
        self._tell = tell
        self._now = now
        self._lock = threading.Lock()
        self._waits_since: float | None = None
        self._state: dict[str, Any] = {"mark": 0, "lag": 0, "trouble": "", "finished": False, "gave_up": False}
        self._told: dict[str, Any] = {}

    def waits(self, waits: bool) -> None:
        """A step begins, or is over."""
        self._waits_since = self._now() if waits else None

    def note(self, **state: Any) -> None:
        """This is so by now."""
        with self._lock:
            self._state.update(state)
        self.look()

    def look(self) -> None:
        """Tell what has changed."""
        with self._lock:
            with suppress(DowseError):
                self._state["lag"] = self._changes.pages_after(self._state["mark"])
            since = self._waits_since
            silent = since is not None and self._now() - since > _SILENT_S
            state = {**self._state, "trouble": self._state["trouble"] or (_SILENT if silent else "")}
            if state != self._told:
                self._told = state
                self._tell(state)


class Follower:
    """Publishes until it is told to finish and has, or must not publish at all."""

    def __init__(
        self, publication: Publication, reporter: Reporter, wait: Callable[[float], None], is_over: Callable[[], bool]
    ) -> None:
        self._publication = publication
        self._reporter = reporter
        self._wait = wait
        self._is_over = is_over

    def run(self) -> None:
        wait_s = _FIRST_WAIT_S
        while True:
            over = self._is_over()  # asked first: what came before it is published
            try:
                while self._publication.is_due() and self._step():
                    pass
            except UserError as error:
                self._reporter.note(trouble=str(error), gave_up=True)
                return
            except (DowseError, OSError) as error:
                self._reporter.note(trouble=str(error))
                wait_s = min(2 * wait_s, _LONGEST_WAIT_S)
                self._wait(min(wait_s, _HURRY_S) if over else wait_s)
                continue
            wait_s = _FIRST_WAIT_S
            self._reporter.note(finished=over)
            if over:
                return
            self._wait(_LOOK_S)

    def _step(self) -> bool:
        self._reporter.waits(True)
        try:
            more = self._publication.step()
        finally:
            self._reporter.waits(False)
        self._reporter.note(mark=self._publication.mark, trouble="")
        return more


def main() -> None:
    """Follow the folder named on standard input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the crawl, which says when this is over
    asked = json.loads(sys.stdin.readline() or "null")
    if asked is None:
        return
    finish = threading.Event()
    threading.Thread(target=_listen, args=(sys.stdin, finish), daemon=True).start()
    clock, folder = SystemClock(), Path(asked["folder"])
    try:
        publication = Publication(folder, open_server(asked["url"]), clock.wall)
        reporter = Reporter(FolderChanges(folder), _tell, clock.now)
    except DowseError as error:
        _tell({"trouble": str(error), "gave_up": True})
        return
    threading.Thread(target=_look_on, args=(reporter,), daemon=True).start()
    Follower(publication, reporter, lambda seconds: _wait(finish, seconds), finish.is_set).run()
    publication.close()


def _look_on(reporter: Reporter) -> None:
    while True:
        time.sleep(_REPORT_S)
        reporter.look()


def _listen(lines: IO[str], finish: threading.Event) -> None:
    for line in lines:
        if line.strip() == FINISH:
            finish.set()
    if not finish.is_set():
        os._exit(1)  # the crawl has died; the database is as after the last step, and the next publication goes on


def _wait(finish: threading.Event, seconds: float) -> None:
    """A moment; less, when the end comes in it."""
    if finish.is_set():
        time.sleep(seconds)
    else:
        finish.wait(seconds)


def _tell(state: dict[str, Any]) -> None:
    try:
        sys.stdout.write(json.dumps(state) + "\n")
        sys.stdout.flush()
    except OSError:
        os._exit(1)


if __name__ == "__main__":
    main()
