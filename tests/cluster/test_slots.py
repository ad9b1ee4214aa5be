"""Slots: by registered domain or host, spread evenly, the same in every process."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
import xxhash
from publicsuffixlist import PublicSuffixList

from dowse.cluster.slots import even_owners, slot_of
from dowse.model.common_ground import SLOTS

URLS = [f"https://{sub}site{n}.example.co.uk/{n}" for n in range(50) for sub in ("", "www.", "a.b.")]


def test_a_slot_is_the_hash_of_the_registered_domain() -> None:
    suffixes = PublicSuffixList()
    for host in ("www.example.co.uk", "a.b.example.org", "example.org"):
        domain = suffixes.privatesuffix(host)
        assert domain is not None
        assert slot_of(f"https://{host}:8080/x?y") == xxhash.xxh64(domain.encode()).intdigest() % SLOTS
        assert slot_of(f"http://{host}/", "host") == xxhash.xxh64(host.encode()).intdigest() % SLOTS


def test_hosts_of_a_domain_stay_together_unless_they_are_to_be_spread() -> None:
    assert len({slot_of(url) for url in URLS}) == 1
    assert len({slot_of(url, "host") for url in URLS}) > 100


def test_another_process_gives_the_same_slots() -> None:
    script = f"from dowse.cluster.slots import slot_of; print([slot_of(url, 'host') for url in {URLS!r}])"
    told = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert told.strip() == str([slot_of(url, "host") for url in URLS])


@pytest.mark.parametrize("shards", [1, 2, 3, 7, 64])
def test_owners_are_even(shards: int) -> None:
    counts = Counter(np.frombuffer(even_owners(shards), "<u2").tolist())
    assert set(counts) == set(range(shards))
    assert max(counts.values()) - min(counts.values()) <= 1
    assert sum(counts.values()) == SLOTS
