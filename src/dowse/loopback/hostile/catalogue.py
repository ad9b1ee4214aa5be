"""All trials of the hostile web, and the topic file that crawls them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dowse.loopback.hostile import (
    addresses,
    body,
    floods,
    headers,
    honest,
    lies,
    pages,
    papers,
    redirects,
    robots,
    traps,
)
from dowse.loopback.hostile.trial import DOMAIN, Trial

__all__ = ["GROUPS", "MARK", "TRIALS", "resolve", "topic_text"]

TRIALS: tuple[Trial, ...] = (
    *body.TRIALS, *pages.TRIALS, *papers.TRIALS, *floods.TRIALS, *headers.TRIALS, *redirects.TRIALS,
    *addresses.TRIALS, *robots.TRIALS, *traps.TRIALS, *lies.TRIALS, *honest.TRIALS,
)  # fmt: skip
GROUPS = tuple(dict.fromkeys(trial.group for trial in TRIALS))
MARK = "# Written by dowse hostile serve."
"""How the topic file begins, so that it can be told from one that a person wrote."""

_TOPIC = """\
{mark} Change what you like and see what comes of it; dowse hostile check DIR tells.
name = "hostile web"
query = "{query}"

[seeds]
urls = [
{urls}
]
sitemaps = [
{sitemaps}
]

[scope.traps]   # low, so that endless sites end soon
max_per_host = 200
max_per_pattern = 100
max_hosts_per_domain = 150

[politeness]
delay = 0
max_delay = "1s"

[limits]
timeout = "{timeout_s:g}s"
connect_timeout = "{timeout_s:g}s"
max_retries = 1
retry_wait = "0.2s"
page_time = "60s"   # so that a busy machine comes to the same ends

[network]
allow_addresses = ["{host}"]   # the server's; every other private address stays refused

[network.resolve]
{resolve}
"""


def resolve(doors: Mapping[str, str]) -> dict[str, str]:
    """Where each host is found, special ones first; ``doors`` gives the ``host:port`` of each door."""
    special = {trial.host: doors[trial.door] for trial in TRIALS if trial.door != "plain"}
    names = (f"*.{DOMAIN}", honest.HONEST, *traps.DOMAINS, *(f"*.{domain}" for domain in traps.DOMAINS))
    everywhere = dict.fromkeys(names, doors["plain"])
    return {addresses.PRIVATE_NAME: addresses.PRIVATE_PLACE, **special, **everywhere}


def topic_text(
    host: str, doors: Mapping[str, str], trials: Iterable[Trial] = TRIALS, *, timeout_s: float = 10.0
) -> str:
    """A topic file for a crawl of these trials, served at ``host``. Those with a DNS of their own are left out: no
    topic file can give one."""
    asked = [trial for trial in trials if not trial.names]
    return _TOPIC.format(
        mark=MARK,
        query=lies.QUERY,
        urls="\n".join(f'    "{trial.seed or trial.url}",' for trial in asked if not trial.sitemap),
        sitemaps="\n".join(f'    "{trial.seed}",' for trial in asked if trial.sitemap),
        timeout_s=timeout_s,
        host=host,
        resolve="\n".join(f'"{glob}" = "{place}"' for glob, place in resolve(doors).items()),
    )
