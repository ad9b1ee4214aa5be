"""What was worked out lately, for logs that ask for the same again and again."""

from __future__ import annotations

from typing import TypeVar

__all__ = ["Remembered"]

V = TypeVar("V")
_MOST = 200_000
_LONGEST = 400  # bytes: what is longer hardly comes twice, and a stranger may have written it


class Remembered(dict[bytes, V]):
    """Values by a text of a log. It takes at most some 100 MB, whatever the log holds, and some 30 with most logs."""

    def keep(self, text: bytes, value: V) -> V:
        """Remember a value, unless its text is too long. When all is full it begins anew."""
        if len(text) <= _LONGEST:
            if len(self) >= _MOST:
                self.clear()
            self[text] = value
        return value
