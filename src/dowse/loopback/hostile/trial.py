"""What a trial is: a behaviour of the hostile web, where it is met, and how a crawl of it must end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from dowse.loopback.hostile.wire import Visit
from dowse.model.url import canonical, split

__all__ = ["DOMAIN", "Answer", "End", "Trial"]

DOMAIN = "hostile.test"

Answer = Callable[[Visit], Awaitable[None]]
"""Answers one request, however badly. The connection ends when it returns."""


@dataclass(frozen=True, slots=True)
class End:
    """How one URL is to end, in the words of a crawl's records."""

    url: str
    outcome: str  # "fetched", "redirected", "failed", "refused"; "absent": never taken up
    reason: str = ""  # as recorded; a * at its end stands for anything
    truncated: str = ""  # why it was cut; "length|time": whichever came first
    facts: Mapping[str, object] = field(default_factory=dict)  # further columns of its page, by name

    def fits(self, reason: str) -> bool:
        """Is this the reason that was expected?"""
        return reason.startswith(self.reason[:-1]) if self.reason.endswith("*") else reason == self.reason

    def __str__(self) -> str:
        parts = [self.outcome]
        if self.reason:
            parts.append(self.reason)
        if self.truncated:
            parts.append(f"cut: {self.truncated.replace('|', ' or ')}")
        parts += [f"{name} {_shown(value)}" for name, value in self.facts.items()]
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Trial:
    """One behaviour. ``ends`` begins with the seed's own end; a sitemap has none, it is no page.

    Its host is the seed's, with every name below it; ``door`` is the socket the host is served from.
    """

    name: str
    group: str
    does: str
    answer: Answer
    ends: tuple[End, ...] = ()
    seed: str = ""  # http://NAME.hostile.test/ unless said
    sitemap: bool = False  # the seed is a sitemap
    robots: bool = False  # it answers for its robots.txt itself; for others there is none
    events: tuple[tuple[str, str], ...] = ()  # kind, and a part of what it tells
    refusals: tuple[tuple[str, int], ...] = ()  # rule, and how often at least
    most_requests: int | None = None  # to its hosts together
    door: str = "plain"  # or "self-signed", "expired", "other-host", "reset"
    by_clock: bool = False  # nothing but a timeout ends it
    names: tuple[str, ...] = ()  # answers of a DNS of its own, one a look-up; the last one stays

    @property
    def url(self) -> str:
        """The seed, as a crawl's records spell it."""
        return canonical(self.seed or f"http://{self.name}.{DOMAIN}/") or self.seed

    @property
    def host(self) -> str:
        return split(self.url).host

    @property
    def expected(self) -> str:
        """What must come of it, in a line."""
        parts = [_about(end, self.url) for end in self.ends]
        parts += [f"event: {kind}" for kind, _ in self.events]
        parts += [f"links refused: {rule}" for rule, _ in self.refusals]
        if self.most_requests is not None:
            parts.append(f"at most {self.most_requests} request{'s' * (self.most_requests > 1)}")
        return "; ".join(parts)


def _about(end: End, seed: str) -> str:
    if end.url == seed:
        return str(end)
    own = split(end.url).origin == split(seed).origin
    return f"{end.url[len(split(seed).origin) :] if own else end.url} {end}"


def _shown(value: object) -> str:
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
