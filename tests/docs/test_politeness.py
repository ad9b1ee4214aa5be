"""docs/politeness.md: every number, table and rule name is the code's."""

from __future__ import annotations

import re
from dataclasses import fields

import numpy as np
import pytest

from dowse.engine.exchange import exchange, lookups, site_rules, sitemap_walk
from dowse.engine.exchange.site_rules import AGE_S
from dowse.engine.life import journal, sites
from dowse.engine.loop import engine, tasks, watchdog
from dowse.engine.workers import worker
from dowse.fetch import (
    MAX_ROBOTS_BYTES,
    GiveUp,
    Keep,
    Retry,
    allowed,
    body,
    content_coding,
    decide,
    product_token,
    resolver,
    robot_rules,
    robots,
    robots_outcome,
    user_agent,
)
from dowse.fetch.headers import MAX_FIELD_BYTES, MAX_FIELDS
from dowse.frontier import scope
from dowse.frontier.frontier import Frontier
from dowse.frontier.traps import GrowthRules
from dowse.model import bodies
from dowse.model.http import REDIRECTS, Failure, FailureKind, Response
from dowse.model.records import PAGE_REFUSED
from dowse.model.topic import Limits, Network, Politeness, Traps
from dowse.model.topicfile import parse_topic
from dowse.model.url import fingerprint
from dowse.parse import bounds, gather_links, parse_page
from dowse.parse.document import MAX_HREF
from tests.docs.markdown import DOCS, ROOT, codes, section, tables

TEXT = (DOCS / "politeness.md").read_text(encoding="utf-8")
URL = "https://example.org/a"
MAX_DELAY_S = Politeness().max_delay_s


def defaults() -> list[tuple[str, str]]:
    """Key and default of each row of the tables that have both."""
    found = []
    for table in tables(TEXT):
        if table[0][1:] == ["default", "key"]:
            found += [(codes(row[2])[0], codes(row[1])[0]) for row in table[1:]]
    return found


def retried(result: Response | Failure) -> Retry | GiveUp | Keep:
    return decide(result, 1, Limits(), wall=0.0, max_delay_s=MAX_DELAY_S)


def answer(status: int, *headers: tuple[str, str]) -> Response:
    return Response(URL, status, headers, b"User-agent: *\nDisallow: /a\n")


@pytest.mark.parametrize(("key", "default"), defaults())
def test_defaults_are_the_topics(key: str, default: str) -> None:
    table, _, name = key.rpartition(".")
    plain = parse_topic('query = "x"', "topic.toml")
    assert parse_topic(f'query = "x"\n[{table}]\n{name} = {default}', "topic.toml") == plain


def test_every_limit_has_its_default_written() -> None:
    written = {key for key, _ in defaults()}
    seconds = {"timeout", "connect_timeout", "page_time", "retry_wait"}
    limits = {re.sub(r"_s$", "", field.name) for field in fields(Limits)}
    assert seconds <= limits
    assert {f"limits.{name}" for name in limits} <= written
    assert {f"scope.traps.{field.name}" for field in fields(Traps)} <= written


def test_every_key_named_exists() -> None:
    classes = {"politeness": Politeness, "limits": Limits, "network": Network, "scope.traps": Traps}
    for table, kind in classes.items():
        known = {re.sub(r"_s$", "", field.name) for field in fields(kind)}
        named = {code.partition(" ")[0] for code in codes(TEXT) if code.rpartition(".")[0] == table}
        assert {name.rpartition(".")[2] for name in named} <= known


def test_fixed_limits_are_the_codes() -> None:
    [table] = [table for table in tables(TEXT) if table[0] == ["limit", "value"]]
    assert dict(table[1:]) == {
        "robots.txt read": f"{MAX_ROBOTS_BYTES // 1024} KiB",
        "robots.txt redirects": f"{exchange._HOPS}",
        "robots.txt kept": f"{AGE_S / 3600:g} h",
        "Site kept closed, for later runs": f"{sites._CLOSED_S / 3600:g} h",
        "A sitemap": f"{sitemap_walk._MOST_BYTES // 10**6} MB",
        "A header line": f"{MAX_FIELD_BYTES // 1024} KiB",
        "Headers in a response": f"{MAX_FIELDS}",
        "DNS answer kept": f"{resolver._POSITIVE_S:g} s",
        "DNS answer still used while a new one is looked up": f"{resolver._STALE_S / 60:g} min",
        "DNS failure kept: the first, and those that follow in a row": ", ".join(
            f"{kept_s:g} s" for kept_s in resolver._NEGATIVE_S
        ),
        "Look-ups at once: in all, from the pages of one domain, of names in one domain": ", ".join(
            map(str, (lookups._AT_ONCE, lookups._FROM_ONE_DOMAIN, lookups._WITHIN_ONE_DOMAIN))
        ),
        "Content codings, nested": f"{content_coding.MAX_CODINGS}",
        "Streams in a row within one coding": f"{content_coding.MAX_MEMBERS:,}",
        "Tags read in a page": f"{bounds.MOST_TAGS:,}",
        "Bodies in memory at once; beyond that, large ones take turns": f"{bodies._MOST_BYTES >> 20} MiB",
        "Memory of a parsing process": f"{worker._MOST_MEMORY >> 30} GiB",
        "Wait for exchanges in flight at a stop": f"{engine._GRACE_S:g} s",
        "Between two transactions": (
            f"{journal._EVERY_S:g} s, {journal._EVERY_PAGES} pages or {journal._EVERY_ROWS:,} rows"
        ),
    }


def test_numbers_in_the_text_are_the_codes() -> None:
    limits = Limits()
    for phrase in (
        f"Followed, {exchange._HOPS} times at most",
        f"The first {MAX_ROBOTS_BYTES // 1024} KiB are read",
        f"{robot_rules.MOST_WILDCARDS} rules with `*` are matched as they stand",
        f"{robot_rules.MOST_SEARCHED} octets behind their `*`",
        f"{robots._MOST_SITEMAPS} sitemaps are taken from a file, of up to {robots._LONGEST_SITEMAP} characters each",
        f"without an answer {sites._SET_ASIDE_AFTER} times in a row",
        f"After {sites._GIVE_UP_AFTER} in a row, a site that has never brought a page is closed",
        f"A site that has brought a page is closed after {sites._GIVE_UP_LATER}.",
        f"after {sites._GIVE_UP_AFTER} in a row ({sites._GIVE_UP_LATER} if the site has brought a page)",
        f"set aside for {sites._REST} times as long",
        f"a robots.txt of more than {site_rules._READ_HERE_BYTES // 1024} KiB",
        f"of more than {body._LONG_BYTES // 1024} KiB unpacked",
        f"longer than {tasks._BRIEF_S:g} s gives its place",
        f"does not come round for {watchdog.HELD_S:g} s",
        f"places for {lookups._AT_ONCE} look-ups, of which the links of one domain's",
        f"pages get {lookups._FROM_ONE_DOMAIN}",
        f"`limits.max_retries` ({limits.max_retries}) times more",
        f"({limits.retry_wait_s:g} s, {2 * limits.retry_wait_s:g} s)",
        f"up to {engine._GRACE_S:g} seconds",
        f"links of more than {MAX_HREF} characters",
    ):
        assert phrase in " ".join(TEXT.split()), phrase
    waits = [decide(answer(500), attempt, limits, wall=0.0, max_delay_s=MAX_DELAY_S) for attempt in (1, 2)]
    assert [wait.after_s for wait in waits if isinstance(wait, Retry)] == [limits.retry_wait_s, 2 * limits.retry_wait_s]


def test_robots_table() -> None:
    rows = {row[0]: row for row in tables(section(TEXT, "robots.txt"))[0][1:]}
    assert list(rows) == ["`2xx`", "`3xx`", "`4xx` (not `429`)", "`429`, `5xx`, no answer"]
    for status in range(200, 600):
        outcome = robots_outcome(answer(status, ("Location", "/elsewhere")))
        if status // 100 == 3:
            assert outcome.status == "allowed", "it was followed before, and led nowhere"
            continue
        here = {2: "`2xx`", 4: "`4xx` (not `429`)", 5: "`429`, `5xx`, no answer"}[5 if status == 429 else status // 100]
        assert codes(rows[here][2]) == [outcome.status]
        assert outcome.allowed(URL) is (outcome.status == "allowed")
    lost = robots_outcome(Failure(URL, FailureKind.TIMEOUT))
    assert lost.status == "unreachable"


def test_retry_table() -> None:
    rows = tables(section(TEXT, "Retries"))[0][1:]
    whole, asked, backed_off = ([int(code) for code in codes(row[0])] for row in rows[:3])
    later = ("Retry-After", "7")
    for status in range(200, 600):
        plain, told = retried(answer(status)), retried(answer(status, later))
        if status < 400:
            assert isinstance(plain, Keep)
        elif status in whole:
            assert isinstance(plain, Retry)
            assert plain.whole_host
            assert told == Retry(7.0, True, f"http {status}")
        elif status in asked:
            assert isinstance(plain, Retry)
            assert not plain.whole_host
            assert told == Retry(7.0, True, f"http {status}")
        elif status in backed_off:
            assert plain == told == Retry(Limits().retry_wait_s, False, f"http {status}")
        else:
            assert plain == GiveUp(f"http {status}")
    again, never = (set(codes(row[0])) for row in rows[4:])
    for kind in set(FailureKind) - {FailureKind.CANCELLED, FailureKind.BUDGET}:
        assert isinstance(retried(Failure(URL, kind)), Retry) is (kind.value in again)
        assert (kind.value in again) is not (kind.value in never)


def test_waits_asked_for_are_clipped() -> None:
    assert retried(answer(429, ("Retry-After", "86400"))) == Retry(MAX_DELAY_S, True, "http 429")


def test_user_agent_table() -> None:
    nothing, contact, own = tables(section(TEXT, "Who is asking"))[0][1:]
    version = user_agent(Network()).partition(" ")[0].removeprefix("Dowse/")
    assert user_agent(Network()) == codes(nothing[1])[0].replace("VERSION", version)
    assert user_agent(Network(contact="you@example.org")) == codes(contact[1])[0].replace("VERSION", version)
    assert codes(nothing[2]) == codes(contact[2]) == [product_token(Network())]
    assert user_agent(Network(user_agent="Me/1.0")) == "Me/1.0"
    assert product_token(Network(user_agent="Me/1.0 (compatible; You/2.0)")) == "you"
    assert "compatible;" in own[2]


def test_addresses_of_the_guard_are_refused() -> None:
    rows = tables(section(TEXT, "The address guard"))[0][1:]
    named = [address for row in rows for address in codes(row[0])]
    assert len(named) > 15
    assert [address for address in named if allowed(address)] == []


def test_rules_are_those_of_the_code() -> None:
    rules = {codes(row[0])[0] for row in tables(section(TEXT, "Scope and traps"))[0][1:]}
    growth = set()
    for traps in (Traps(max_per_host=1), Traps(max_per_pattern=1), Traps(max_pattern_run=1)):
        rule = GrowthRules(traps)
        run = [rule.admit(0, f"{URL}/{n}", rule.admit(0, f"{URL}/0", None, 0, False).pattern, n, False) for n in (1, 2)]
        growth |= {admission.rule for admission in run}
    domain = GrowthRules(Traps(max_hosts_per_domain=1))
    growth |= {domain.admit(site, f"https://{site}.example.org/", None, 0, False).rule for site in (0, 1)}
    fruitless = GrowthRules(Traps(max_pattern_run=1))
    fruitless.count(1, "https://another.test/")
    for n in range(40):
        fruitless.judged(0, f"{URL}/{n}", relevant=False)
    growth |= {
        fruitless.admit(0, url, None, 0, False).rule
        for n in range(40)
        for url in (f"{URL}/{n}", f"{URL}/x{chr(97 + n)}")
    }
    page = b"<a href=/x rel=nofollow>1</a><a href='http://['>2</a><a href=/1>3</a><a href=/2>4</a>"
    page += b"<a href=/" + b"y" * MAX_HREF + b">5</a>"
    found = gather_links(parse_page(page, url=URL, content_type="text/html"), max_links=1)
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src" / "dowse" / "engine").rglob("*.py"))
    others = set(re.findall(r"\.refused\(\"([a-z-]+)\"|\.refuse\(lease, \"([a-z-]+)\"|rule = \"([a-z-]+)\"", source))
    others = {name for names in others for name in names if name}
    assert {"depth", "robots", "site-closed"} <= others
    assert ".refused(PAGE_REFUSED," in source
    assert rules == set(scope._SENTENCES) | growth - {None} | set(found.refused) | others | {PAGE_REFUSED}


def test_stops_are_those_of_the_code() -> None:
    kinds = {codes(row[0])[0] for row in tables(section(TEXT, "Stops"))[0][1:]}
    paths = [ROOT / "src" / "dowse" / "engine" / name for name in ("loop/engine.py", "assembly/api.py")]
    source = "".join(path.read_text(encoding="utf-8") for path in [*paths, ROOT / "src" / "dowse" / "cli" / "crawl.py"])
    assert kinds == set(re.findall(r"(?:\bStop|\.stop)\(\"([a-z]+)\"", source))


def test_redirect_table() -> None:
    rows = tables(section(TEXT, "Redirects"))[0][1:]
    source = (ROOT / "src" / "dowse" / "engine" / "exchange" / "exchange.py").read_text(encoding="utf-8")
    fixed = {"redirect", *(f"redirect: {why}" for why in re.findall(r"DeadEnd\(\"([a-z ]+)\"", source))}
    assert {codes(row[2])[0] for row in rows} == fixed | {"redirect: host"}
    statuses = ", ".join(map(str, sorted(REDIRECTS)))
    assert f"A redirect ({statuses})" in TEXT


@pytest.mark.parametrize("delay_s", [1.0, 0.0])
def test_connections_to_a_host_begin_a_delay_apart(delay_s: float) -> None:
    frontier = Frontier(delay_s=delay_s, connections_per_site=2)
    urls = [f"{URL}/{n}" for n in range(4)]
    prints = np.array([fingerprint(url) for url in urls], np.uint64)
    frontier.add(urls, prints, depth=0, parent=-1, priorities=np.zeros(4), now=0.0)
    site = frontier.site_of_url(URL)
    frontier.set_address(site, "192.0.2.1")
    frontier.open(site)
    leases = [frontier.next(now) is not None for now in (0.0, 0.5, 1.0, 2.0)]
    assert leases == ([True, False, True, False] if delay_s else [True, True, False, False])
