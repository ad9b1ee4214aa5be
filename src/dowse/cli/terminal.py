"""Between the commands and the terminal: what they print, and the signals that end them."""

from __future__ import annotations

import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import typer

from dowse.model.errors import Interrupted
from dowse.model.shown import json_line, shown_lines

__all__ = ["interruptible", "say", "say_json", "say_slow", "say_styled"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_SLOW_S = 1.0


def say(text: object = "", *, err: bool = False, nl: bool = True) -> None:
    """Print text, of one line or several, on standard output, or on standard error."""
    typer.echo(shown_lines(str(text)), err=err, nl=nl)


def say_json(value: Any) -> None:
    """Print a value as one line of JSON."""
    typer.echo(json_line(value))


def say_styled(text: str) -> None:
    """Print text that was made fit to be shown and then styled: its escape sequences are our own."""
    typer.echo(text)


@contextmanager
def say_slow(what: str) -> Iterator[None]:
    """Tell on standard error what is being done, once it has taken a second."""
    timer = threading.Timer(_SLOW_S, say, (what,), {"err": True})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class _Signalled(KeyboardInterrupt):
    """A kind of KeyboardInterrupt, since that is what passes through other people's code as it should."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def _stop(number: int, _: FrameType | None) -> None:
    """Nothing follows but the end of the program, which takes a moment."""
    for name in _SIGNALS:
        signal.signal(name, signal.SIG_IGN)  # half of an end would leave litter
    # a signal may cut anything in two: what the halves complain of when they are collected is no news
    warnings.simplefilter("ignore")
    sys.unraisablehook = lambda _: None
    raise _Signalled(number)


@contextmanager
def interruptible(kept: str = "") -> Iterator[None]:
    """Turn a signal into :class:`Interrupted`, whose message ends with what is ``kept``."""
    # one that is ignored (nohup, a job in the background) stays so
    before = {name: signal.getsignal(name) for name in _SIGNALS if signal.getsignal(name) != signal.SIG_IGN}
    signalled = False
    try:
        for name in before:
            signal.signal(name, _stop)
        yield
    except _Signalled as error:
        signalled = True
        raise Interrupted(f"interrupted: {kept}" if kept else "interrupted", error.number) from None
    finally:
        if not signalled:
            for name, handler in before.items():
                signal.signal(name, handler)
