"""The catalogue of the hostile web is sound: whoever adds a trial learns here what is missing."""

from __future__ import annotations

import asyncio
import ssl
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.fetch.http import HttpTransport
from dowse.lab.finished.hostile_trials import compare
from dowse.loopback.hostile import GROUPS, TRIALS, HostileServer, Trial, topic_text
from dowse.loopback.hostile.certificates import make_contexts
from dowse.model.clock import SystemClock
from dowse.model.errors import UserError
from dowse.model.topicfile import parse_topic
from dowse.model.url import canonical
from tests.loopback.hostile import PATIENT_S, crawl, serving, topic_for

DOORS = dict.fromkeys(("plain", "self-signed", "expired", "other-host", "reset"), "127.0.0.1:80")


def test_names_and_hosts_are_unique() -> None:
    for counts in (Counter(trial.name for trial in TRIALS), Counter(trial.url for trial in TRIALS)):
        assert max(counts.values()) == 1, counts.most_common(1)


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
def test_each_trial_expects_something_that_can_be_looked_up(trial: Trial) -> None:
    assert trial.ends or trial.events
    assert trial.sitemap or trial.ends[0].url == trial.url
    assert [end.url for end in trial.ends if canonical(end.url) != end.url] == []
    assert trial.does.endswith(".")
    assert trial.group in GROUPS


def test_the_topic_file_asks_for_every_trial_that_needs_no_dns_of_its_own() -> None:
    topic = parse_topic(topic_text("127.0.0.1", DOORS), "hostile.toml")
    asked = {*map(canonical, topic.seeds.urls), *map(canonical, topic.seeds.sitemaps)}
    assert asked == {trial.url for trial in TRIALS if not trial.names}
    assert topic.network.allow_addresses == ("127.0.0.1",)
    assert not topic.network.allow_private


def test_the_server_stays_on_loopback() -> None:
    with pytest.raises(UserError, match="is not a loopback address"):
        HostileServer(host="0.0.0.0")


def test_missing_certificates_are_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trustme", None)
    with pytest.raises(UserError, match=r'pip install "dowse\[hostile\]"$'):
        make_contexts(["expired.hostile.test"])


@pytest.mark.parametrize(("door", "why"), [("expired", "certificate has expired"), ("other-host", "Hostname mismatch")])
def test_a_bad_certificate_is_refused_even_if_its_authority_is_trusted(door: str, why: str, tmp_path: Path) -> None:
    [bad] = [trial for trial in TRIALS if trial.door == door]
    with serving() as server:
        topic = topic_for(server, [bad], PATIENT_S)
        trusting = ssl.create_default_context(cadata=server.authority.decode())
        transport = HttpTransport(topic.network, topic.limits, SystemClock(), tls=trusting)
        asyncio.run(crawl(topic, tmp_path / "crawl", transport))
    [finding] = compare(tmp_path / "crawl", [bad])
    assert finding.wrong == ()
    assert why in finding.found


def test_without_verification_the_same_host_is_fetched(tmp_path: Path) -> None:
    """So it is the certificate that was refused, not the host."""
    [own] = [trial for trial in TRIALS if trial.door == "self-signed"]
    with serving() as server:
        topic = topic_for(server, [own], PATIENT_S)
        asyncio.run(crawl(replace(topic, network=replace(topic.network, verify_tls=False)), tmp_path / "crawl"))
    assert compare(tmp_path / "crawl", [own])[0].found == "fetched"
