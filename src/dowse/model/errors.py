"""Every error a user can meet, as one tree.

::

    DowseError                  something Dowse cannot go on with
    ├── UserError               the user can mend it: one clear line, exit code 2
    │   ├── TopicError          a topic file or a flag says something impossible
    │   ├── FolderBusy          another crawl is writing in this folder
    │   ├── NotACrawl           the folder holds no crawl, or one of another version
    │   └── NotPlain            in a file's place is a link, a folder, a pipe
    ├── StoreError              records can no longer be kept (disk full, folder gone), or are damaged: exit code 1
    └── Interrupted             Ctrl-C or another signal came: exit code 128 and its number

A fault of the web (timeout, 500, broken HTML) is never an exception: it is a
:class:`~dowse.model.http.Failure` or an outcome in the records.
"""

from __future__ import annotations

__all__ = ["DowseError", "FolderBusy", "Interrupted", "NotACrawl", "NotPlain", "StoreError", "TopicError", "UserError"]


class DowseError(Exception):
    """Anything Dowse cannot go on with. ``exit_code`` is what the command line returns."""

    exit_code = 1


class UserError(DowseError):
    """A mistake the user can mend; the message says what to change, on one line."""

    exit_code = 2


class TopicError(UserError):
    """A topic file or flag that cannot be used; names the file, the line and the key where it can."""

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
    """Another crawl is writing in this folder."""


class NotACrawl(UserError):
    """The folder holds no crawl, or one this version cannot read."""


class NotPlain(UserError):
    """In a file's place is something else: a link, a folder, a pipe. Nothing was done to it."""


class StoreError(DowseError):
    """Records can no longer be kept: disk full, folder gone or not writable. Or what they say cannot be."""


class Interrupted(DowseError):
    """The user, or the system, wants the program to end; the message says what is kept."""

    def __init__(self, message: str, signal_number: int) -> None:
        super().__init__(message)
        self.exit_code = 128 + signal_number
