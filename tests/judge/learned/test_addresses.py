"""Where a page is from, as terms."""

from __future__ import annotations

import pytest

from dowse.judge.learned.addresses import address_words, domain_terms, domains, host_of, word_terms
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


def test_a_word_of_an_address_is_no_word_of_a_text_and_no_domain() -> None:
    [term] = word_terms("http://a.test/courses/").tolist()
    assert term not in {word_hash("courses") & 0xFFFFFFFF, word_hash("cours") & 0xFFFFFFFF}
    assert term not in domain_terms("courses").tolist()
    assert term in word_terms("https://b.test/x/Courses.html?page=2").tolist()


@pytest.mark.parametrize(
    "where", ["www.a.test", "10.0.0.1", "http://a.test/", "http://a.test/?courses", "http://a.test/7"]
)
def test_an_address_may_have_no_word(where: str) -> None:
    assert address_words(where) == []
    assert len(word_terms(where)) == 0
    assert len(domain_terms(host_of(where)))


def test_of_a_long_address_the_first_words_count() -> None:
    assert len(address_words("http://a.test/" + "/".join("abcdefghijklmnopqrstuvwxyz"))) == 12
