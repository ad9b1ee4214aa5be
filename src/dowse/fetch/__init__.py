"""The way out to the web: HTTP, names and addresses, robots.txt, and what to do when it goes wrong.

The way of one request through these modules:

1. ``http`` takes the request. It refuses what no connection can be made to, and sets the deadline.
2. ``pool`` gives an idle connection to the site, or has ``connect`` make one: ``resolver`` finds the addresses,
   ``guard`` judges each, the event loop connects and speaks TLS, ``proxy`` tunnels where there is one.
3. ``request`` writes the request: who asks, and what is already known of the page.
4. ``connection`` sends it and counts every byte that comes back. ``headers`` reads the head as browsers do,
   ``framing`` finds where the body ends.
5. ``body`` takes the body as it comes and has ``content_coding`` undo its content codings, up to the caps.
6. ``http`` gives the connection back to the pool and answers with a response. What went wrong on the way is a failure,
   whose kind is in ``faults``.
7. The engine asks ``retry`` what to do next.

``robots`` and ``robot_rules`` read robots.txt; ``threads`` runs calls that cannot be stopped. The client itself,
:class:`dowse.fetch.http.HttpTransport`, is imported from its module: a replay or a worker has no use for it.
"""

from __future__ import annotations

from dowse.fetch.content_coding import Decoder
from dowse.fetch.guard import Guard, allowed
from dowse.fetch.request import PRODUCT, product_token, user_agent
from dowse.fetch.resolver import Answer, Lookup, Resolver, SystemLookup
from dowse.fetch.retry import Decision, GiveUp, Keep, Retry, decide, may_be_answered_later, may_pass, retry_after_s
from dowse.fetch.robots import (
    ALLOW_ALL,
    DENY_ALL,
    MAX_ROBOTS_BYTES,
    Rules,
    read_robots,
    robots_outcome,
)

__all__ = [
    "ALLOW_ALL",
    "DENY_ALL",
    "MAX_ROBOTS_BYTES",
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
    "Rules",
    "SystemLookup",
    "allowed",
    "decide",
    "may_be_answered_later",
    "may_pass",
    "product_token",
    "read_robots",
    "retry_after_s",
    "robots_outcome",
    "user_agent",
]
