"""One key from whoever sits at the terminal, without Enter; from a pipe, a line that is the key, or the word for it."""

from __future__ import annotations

import os
import sys

from dowse.cli.terminal import say

try:
    import termios
    import tty
except ImportError:  # no such terminals here: lines serve as well
    termios = None  # type: ignore[assignment]

__all__ = ["read_key", "read_words"]

_ESCAPE = b"\x1b"
_END = b"\x04"  # Ctrl-D
_IN_WORDS = frozenset(("yes", "no", "skip", "back", "open", "text", "find", "quit"))


def read_key() -> str:
    """The key, in lower case; empty at the end of the input. What was pressed is shown."""
    if termios is None or not sys.stdin.isatty():
        line = sys.stdin.readline()
        if not sys.stdin.isatty():
            say(line.strip())
        return _of_line(line.strip().lower()) if line else ""
    key = _pressed(sys.stdin.fileno())
    shown = key.decode("ascii", "replace") if key.isalnum() else ""
    say(shown)
    if not key or key == _END:
        return ""
    return shown.lower() or "?"


def _of_line(line: str) -> str:
    """Of a line with more than one key none is taken: it would answer for one page what was meant for many."""
    return line[:1] if len(line) == 1 or line in _IN_WORDS else "?"


def read_words(prompt: str) -> str:
    """A line that somebody types."""
    say(prompt, nl=False)
    sys.stdout.flush()
    line = sys.stdin.readline().strip()
    if not sys.stdin.isatty():
        say(line)
    return line


def _pressed(fd: int) -> bytes:
    """The next byte; of a key that sends several (an arrow), the first alone. Ctrl-C stays a signal."""
    sys.stdout.flush()
    before = termios.tcgetattr(fd)
    try:
        tty.setcbreak(fd, termios.TCSADRAIN)
        key = os.read(fd, 1)
        if key == _ESCAPE:
            termios.tcflush(fd, termios.TCIFLUSH)
        return key
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, before)
