"""A page's host as terms."""

from __future__ import annotations

import pytest

from dowse.judge.learned.hosts import domain_terms, domains
from dowse.model.words import word_hash


def test_hosts_of_one_domain_share_its_term() -> None:
    here, near, elsewhere = (set(domain_terms(host).tolist()) for host in ("a.b.test", "c.B.test", "a.c.test"))
    assert len(here) == len(near) == len(elsewhere) == 2
    assert len(here & near) == 1
    assert not here & elsewhere


def test_a_domain_is_no_word() -> None:
    [term] = domain_terms("localhost").tolist()
    assert term != word_hash("localhost") & 0xFFFFFFFF


@pytest.mark.parametrize("host", ["10.0.0.1", "10.1.0.1", "[::1]", "localhost"])
def test_an_address_lies_in_no_domain(host: str) -> None:
    assert domains(host) == [host]


def test_a_host_with_hundreds_of_labels_has_four_domains() -> None:
    assert domains("x." * 300 + "a.test") == ["a.test", "x.a.test", "x.x.a.test", "x.x.x.a.test"]
