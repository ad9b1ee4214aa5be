"""What to do after an exchange: keep it, try again, or give up. Two tables say it all.

==========================  ==========================================================================
status 2xx, 3xx             keep
429; 503 with Retry-After   retry, and hold the whole host for that long
500 502 503 504 520-524     retry with exponential backoff, this URL only (408 and 425 as well)
any other status            give up: "http 404"
dns connect timeout reset   retry with exponential backoff
tls address protocol        give up: asking again changes nothing
an answer cut to nothing    (timeout or disconnect before the first body byte) like timeout or reset; one whose
                            encoding cannot be undone: give up
==========================  ==========================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import Enum, auto

from dowse.model.http import Failure, FailureKind, Response, Truncation
from dowse.model.topic import Limits

__all__ = ["Decision", "GiveUp", "Keep", "Retry", "decide", "may_be_answered_later", "may_pass", "retry_after_s"]


@dataclass(frozen=True, slots=True)
class Keep:
    """The response stands, whatever the engine makes of it."""


@dataclass(frozen=True, slots=True)
class Retry:
    """Ask again after a wait; ``whole_host``: nothing else goes to this host meanwhile."""

    after_s: float
    whole_host: bool
    reason: str


@dataclass(frozen=True, slots=True)
class GiveUp:
    """The URL has failed. ``hold_s`` is how long its host still asked to be left alone."""

    reason: str
    hold_s: float = 0.0


Decision = Keep | Retry | GiveUp


class _Rule(Enum):
    BACK_OFF = auto()
    HOLD = auto()  # the whole host, for Retry-After or else the backoff
    HOLD_IF_ASKED = auto()  # the whole host when Retry-After says so, else back off
    GIVE_UP = auto()


_STATUS = {
    408: _Rule.BACK_OFF,
    425: _Rule.BACK_OFF,
    429: _Rule.HOLD,
    500: _Rule.BACK_OFF,
    502: _Rule.BACK_OFF,
    503: _Rule.HOLD_IF_ASKED,
    504: _Rule.BACK_OFF,
    **dict.fromkeys(range(520, 525), _Rule.BACK_OFF),
}
_FAILURE = {
    FailureKind.DNS: _Rule.BACK_OFF,
    FailureKind.CONNECT: _Rule.BACK_OFF,
    FailureKind.TIMEOUT: _Rule.BACK_OFF,
    FailureKind.RESET: _Rule.BACK_OFF,
    FailureKind.TLS: _Rule.GIVE_UP,
    FailureKind.ADDRESS: _Rule.GIVE_UP,
    FailureKind.PROTOCOL: _Rule.GIVE_UP,
    FailureKind.BUDGET: _Rule.BACK_OFF,  # in a later run, with more to spend
    FailureKind.CANCELLED: _Rule.GIVE_UP,
}
_CUT_TO_NOTHING = {
    Truncation.TIME: (_FAILURE[FailureKind.TIMEOUT], "timeout: {} body came"),
    Truncation.DISCONNECT: (_FAILURE[FailureKind.RESET], "reset: {} body came"),
    Truncation.ENCODING: (_Rule.GIVE_UP, "encoding: it cannot be decoded"),
}


def retry_after_s(value: str | None, wall: float, max_delay_s: float) -> float | None:
    """Seconds that a Retry-After header asks for, clipped to [0, max_delay_s]; None when it says nothing usable.

    >>> retry_after_s("120", 0.0, 60.0), retry_after_s("-5", 0.0, 60.0), retry_after_s("soon", 0.0, 60.0)
    (60.0, 0.0, None)
    """
    text = (value or "").strip()
    if not text:
        return None
    try:
        asked = float(text) if text.isascii() else float("nan")
    except ValueError:
        try:
            asked = parsedate_to_datetime(text).timestamp() - wall
        except (ValueError, TypeError, OverflowError, IndexError):
            return None
    return None if asked != asked else min(max(asked, 0.0), max_delay_s)


def may_pass(kind: FailureKind) -> bool:
    """Can a fault of this kind be gone the next time?"""
    return _FAILURE[kind] is not _Rule.GIVE_UP


def may_be_answered_later(status: int) -> bool:
    """Does this status (0: no answer came) speak of how the site does at the moment, rather than of the URL?"""
    return not status or status in _STATUS


def _classify(result: Response | Failure, *, whole: bool) -> tuple[_Rule, str] | None:
    """The rule and the reason for a result; None: keep it."""
    if isinstance(result, Failure):
        return _FAILURE[result.kind], result.kind.value
    if 200 <= result.status < 400:
        cut = None if result.body and not whole else _CUT_TO_NOTHING.get(result.truncated)
        return None if cut is None else (cut[0], cut[1].format("a part of the" if result.body else "no"))
    return _STATUS.get(result.status, _Rule.GIVE_UP), f"http {result.status}"


def decide(
    result: Response | Failure,
    attempt: int,
    limits: Limits,
    *,
    wall: float,
    max_delay_s: float,
    whole: bool = False,
) -> Decision:
    """Decide after the ``attempt``-th try (the first is 1). ``whole``: a body that was cut by accident counts as
    none."""
    classified = _classify(result, whole=whole)
    if classified is None:
        return Keep()
    rule, reason = classified
    if rule is _Rule.GIVE_UP:
        return GiveUp(reason)
    asked = None
    if isinstance(result, Response) and rule is not _Rule.BACK_OFF:
        asked = retry_after_s(result.header("Retry-After"), wall, max_delay_s)
    whole_host = rule is _Rule.HOLD or asked is not None
    wait = asked
    if wait is None:
        wait = min(limits.retry_wait_s * 2.0 ** min(attempt - 1, 30), max_delay_s)
    if attempt > limits.max_retries:
        return GiveUp(reason, hold_s=wait if whole_host else 0.0)
    return Retry(wait, whole_host, reason)
