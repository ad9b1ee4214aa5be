"""What goes wrong in an exchange, as exceptions inside of ``fetch`` and as values outside of it.

::

    Malformed       what came is not HTTP, or beyond a limit
    OSError
      Refused       the address guard said no
      Unresolved    the name has no address
      Untunnelled   the proxy does not connect to the host
      Spent         the byte budget ended before there was an answer
      Withdrawn     nobody may send the request any more
      ...           all that sockets and TLS raise
"""

from __future__ import annotations

import re
import ssl

from dowse.model.http import FailureKind

__all__ = ["Malformed", "Refused", "Spent", "Unresolved", "Untunnelled", "Withdrawn", "clean", "detail_of", "kind_of"]

_OPENSSL = re.compile(r"^\[[^\]]*\] | \(_ssl\.c:\d+\)$")  # where in the library it was noticed
_LONGEST = 200


class Malformed(Exception):
    """What came is not HTTP, or beyond a limit."""


class Refused(OSError):
    """The address guard said no."""


class Unresolved(OSError):
    """The name has no address."""


class Untunnelled(OSError):
    """The proxy does not connect to the host."""


class Spent(OSError):
    """The byte budget ended before there was an answer."""


class Withdrawn(OSError):
    """Nobody may send the request any more."""


_KINDS: tuple[tuple[type[BaseException], FailureKind], ...] = (
    # The first row that fits decides, so a special fault stands above its parents.
    (Refused, FailureKind.ADDRESS),
    (Unresolved, FailureKind.DNS),
    (Untunnelled, FailureKind.CONNECT),
    (Spent, FailureKind.BUDGET),
    (Withdrawn, FailureKind.CANCELLED),
    (ConnectionResetError, FailureKind.RESET),
    (ConnectionAbortedError, FailureKind.RESET),
    (ssl.SSLError, FailureKind.TLS),
    (ssl.CertificateError, FailureKind.TLS),
)


def kind_of(error: BaseException, *, is_connected: bool) -> FailureKind:
    """The kind of failure that a fault is, before or after there was a connection."""
    for fault, kind in _KINDS:
        if isinstance(error, fault):
            return kind
    if not isinstance(error, OSError):
        return FailureKind.PROTOCOL
    if not is_connected:
        return FailureKind.CONNECT
    return FailureKind.TIMEOUT if isinstance(error, TimeoutError) else FailureKind.RESET


def detail_of(error: BaseException) -> str:
    """What went wrong, on one line, in the fault's own words."""
    if isinstance(error, ssl.SSLError):
        said = _OPENSSL.sub("", str(error))
    else:
        said = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return " ".join(clean(said[: 10 * _LONGEST]).split())[:_LONGEST] or type(error).__name__


def clean(text: str) -> str:
    """Text that can be stored anywhere: a lone surrogate (an unreadable byte) becomes a replacement character."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
