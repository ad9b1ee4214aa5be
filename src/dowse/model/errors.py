"""Every error a user can meet, as one tree.

::

    DowseError                  Dowse cannot go on
    ├── UserError               the user can put it right: one clear line, exit code 2
    │   ├── TopicError          a topic file or a flag asks for something impossible
    │   ├── FolderBusy          another crawl is writing to this folder
    │   ├── NotACrawl           the folder holds no crawl, or one of another version
    │   └── NotPlain            where a file should be, there is a link, a folder or a pipe
    ├── StoreError              records cannot be written (disk full, folder gone), or are damaged: exit code 1
    └── Interrupted             Ctrl-C or another signal: exit code 128 plus the signal's number

A fault of the web (timeout, 500, broken HTML) is never an exception: it is a
:class:`~dowse.model.http.Failure` or an outcome in the records.
"""

from __future__ import annotations

__all__ = ["DowseError", "FolderBusy", "Interrupted", "NotACrawl", "NotPlain", "StoreError", "TopicError", "UserError"]


class DowseError(Exception):
    """Dowse cannot go on. ``exit_code`` is what the command line returns."""

    exit_code = 1


class UserError(DowseError):
    """A mistake that the user can put right; the message says what to change, on one line."""

    exit_code = 2


class TopicError(UserError):
    """A topic file or flag that cannot be used. The message names the file, the line and the key, if they are known."""

    def __init__(self, message: str, *, source: str | None = None, line: int | None = None, key: str | None = None):
        where = source or ""
        if source and line is not None:
            where = f"{source}:{line}"
        parts = [part for part in (where, key, message) if part]
        super().__init__(": ".join(parts))
        self.message = message
        self.source = source
        self.line = line
        self.key = key


class FolderBusy(UserError):
    """Another crawl is writing to this folder."""


class NotACrawl(UserError):
    """The folder holds no crawl, or one this version cannot read."""


class NotPlain(UserError):
    """Where a file should be, there is a link, a folder or a pipe. It was left alone."""


class StoreError(DowseError):
    """Records cannot be written (disk full, folder gone or read-only), or what they say cannot be true."""


class Interrupted(DowseError):
    """The user or the system ended the program; the message says what was kept."""

    def __init__(self, message: str, signal_number: int) -> None:
        super().__init__(message)
        self.exit_code = 128 + signal_number
