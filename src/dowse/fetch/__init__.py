"""The way out to the web: HTTP, names and addresses, robots.txt, and what to do when it goes wrong.

The client itself, :class:`dowse.fetch.http.HttpTransport`, is imported from its module: it is heavy, and a replay or a
worker has no use for it.
"""

from __future__ import annotations

from dowse.fetch.decode import Decoder
from dowse.fetch.guard import Guard, allowed
from dowse.fetch.mime_sniffing import disguised
from dowse.fetch.request import PRODUCT, product_token, user_agent
from dowse.fetch.resolver import Answer, Lookup, Resolver, SystemLookup
from dowse.fetch.retry import Decision, GiveUp, Keep, Retry, decide, may_pass, retry_after_s
from dowse.fetch.robots import (
    ALLOW_ALL,
    DENY_ALL,
    MAX_ROBOTS_BYTES,
    MAX_ROBOTS_REDIRECTS,
    RobotsRedirect,
    Rules,
    read_robots,
    robots_outcome,
)

__all__ = [
    "ALLOW_ALL",
    "DENY_ALL",
    "MAX_ROBOTS_BYTES",
    "MAX_ROBOTS_REDIRECTS",
    "PRODUCT",
    "Answer",
    "Decision",
    "Decoder",
    "GiveUp",
    "Guard",
    "Keep",
    "Lookup",
    "Resolver",
    "Retry",
    "RobotsRedirect",
    "Rules",
    "SystemLookup",
    "allowed",
    "decide",
    "disguised",
    "may_pass",
    "product_token",
    "read_robots",
    "retry_after_s",
    "robots_outcome",
    "user_agent",
]
