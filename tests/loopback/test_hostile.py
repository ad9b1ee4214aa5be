"""Each trial of the hostile web, crawled for real, ends as its catalogue says."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.fetch.http import HttpTransport
from dowse.lab.finished.hostile_trials import compare
from dowse.loopback.hostile import TRIALS, HostileServer, Trial
from dowse.model.topic import Seeds
from dowse.store import CrawlReader
from tests.fetch.servers import Dns
from tests.loopback.hostile import PATIENT_S, Forgetful, crawl, crawl_trial, serving, topic_for


@pytest.fixture(scope="module")
def server() -> Iterator[HostileServer]:
    with serving() as running:
        yield running


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
def test_each_trial_ends_as_expected(trial: Trial, server: HostileServer, tmp_path: Path) -> None:
    stop = asyncio.run(crawl_trial(server, trial, tmp_path / "crawl"))
    assert stop.kind == "empty"
    [finding] = compare(tmp_path / "crawl", [trial])
    assert finding.asked
    assert finding.wrong == (), f"expected {trial.expected}; found {finding.found}"


def test_a_name_that_turns_private_is_asked_where_it_was_checked(server: HostileServer, tmp_path: Path) -> None:
    """The address that was looked up is the one whose delay is kept, and the one that is asked, for every request."""
    dns = Dns({"honest.test": [["127.0.0.1"], ["127.0.0.3"]]})
    topic = topic_for(server, [], PATIENT_S)
    url = f"http://honest.test:{server.port}/"
    network = replace(topic.network, resolve={})
    topic = replace(topic, seeds=Seeds(urls=(url,)), network=network)
    asyncio.run(crawl(topic, tmp_path / "crawl", HttpTransport(network, topic.limits, Forgetful(), dns)))
    with CrawlReader(tmp_path / "crawl") as records:
        page = records.page(url)
    assert page is not None
    assert (page.outcome, page.reason) == ("fetched", "")
    assert dns.asked == ["honest.test"]


def test_refused_hosts_of_a_wildcard_domain_leave_no_trace(server: HostileServer, tmp_path: Path) -> None:
    """Else a domain could fill the memory with hosts that nobody asks."""
    [wildcard] = [trial for trial in TRIALS if trial.name == "wildcard-subdomains"]
    topic = topic_for(server, [wildcard], PATIENT_S)
    traps = replace(topic.scope.traps, max_hosts_per_domain=30)
    asyncio.run(crawl(replace(topic, scope=replace(topic.scope, traps=traps)), tmp_path / "crawl"))
    with closing(sqlite3.connect(tmp_path / "crawl" / "dowse.sqlite")) as records:
        assert records.execute("SELECT count(*) FROM sites").fetchone() == (30,)
        assert records.execute("SELECT count FROM refusals WHERE rule = 'domain-cap'").fetchone()[0] > 400
