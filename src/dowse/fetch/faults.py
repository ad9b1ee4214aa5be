"""What went wrong in an exchange: the kind of failure, and a line that says so."""

from __future__ import annotations

import re
import ssl

import aiohttp
from aiohttp.http import HttpProcessingError

from dowse.fetch.exchange import Refused, Spent, Unresolved, clean
from dowse.model.http import FailureKind

__all__ = ["cause_of", "detail_of", "kind_of"]

_QUOTED = re.compile(r":\s*+b['\"]").search  # from here on the bytes that were wrong, kilobytes of anything perhaps
_OPENSSL = re.compile(r"^\[[^\]]*\] | \(_ssl\.c:\d+\)$")  # where in the library it was noticed
_LONGEST = 200

_FAULTS: tuple[tuple[type[BaseException], FailureKind], ...] = (
    # The first row that fits decides, so a special fault stands above its parents.
    (Refused, FailureKind.ADDRESS),
    (Unresolved, FailureKind.DNS),
    (Spent, FailureKind.BUDGET),
    (ConnectionResetError, FailureKind.RESET),
    (ConnectionAbortedError, FailureKind.RESET),
    (ssl.SSLError, FailureKind.TLS),
    (ssl.CertificateError, FailureKind.TLS),
    (aiohttp.ClientSSLError, FailureKind.TLS),
    (aiohttp.ServerFingerprintMismatch, FailureKind.TLS),
    (aiohttp.ClientConnectorDNSError, FailureKind.DNS),
    (aiohttp.ClientConnectorError, FailureKind.CONNECT),
    (aiohttp.ConnectionTimeoutError, FailureKind.CONNECT),
    (aiohttp.ClientHttpProxyError, FailureKind.CONNECT),
    (TimeoutError, FailureKind.TIMEOUT),
    (HttpProcessingError, FailureKind.PROTOCOL),
    (aiohttp.ClientResponseError, FailureKind.PROTOCOL),
    (aiohttp.ClientPayloadError, FailureKind.PROTOCOL),
    (aiohttp.InvalidURL, FailureKind.PROTOCOL),
    (aiohttp.ClientConnectionError, FailureKind.RESET),
    (OSError, FailureKind.RESET),
)
_TELLING = (Refused, Unresolved, ssl.SSLError, ConnectionResetError, ConnectionAbortedError)


def kind_of(error: BaseException) -> FailureKind:
    for fault, kind in _FAULTS:
        if isinstance(error, fault):
            return kind
    return FailureKind.PROTOCOL


def cause_of(error: BaseException) -> BaseException:
    """The fault itself, out of the wrappers it came in."""
    inner = getattr(error, "os_error", None)
    return inner if isinstance(inner, _TELLING) else error


def detail_of(cause: BaseException) -> str:
    """On one line, what went wrong in the fault's own words."""
    return " ".join(clean(_said(cause)).split())[:_LONGEST] or type(cause).__name__


def _said(cause: BaseException) -> str:
    """What went wrong in the fault's own words, without the library's decoration."""
    if isinstance(cause, (aiohttp.ClientResponseError, HttpProcessingError)):
        quoted = _QUOTED(cause.message)
        return cause.message if quoted is None else cause.message[: quoted.start()].rstrip()
    if isinstance(cause, aiohttp.ClientConnectorError):
        cause = cause.os_error
    if isinstance(cause, ssl.SSLError):
        return _OPENSSL.sub("", str(cause))
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    return str(cause)
