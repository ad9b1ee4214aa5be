"""A page's host among its terms."""

from __future__ import annotations

import numpy as np
import pytest

from dowse.model.page import Bag
from dowse.predict.learning.hosts import Origins, domains

BAG = Bag(np.array([3, 8], np.uint32), np.array([1, 2], np.float32))


def test_pages_in_the_domains_of_examples_have_them_for_terms() -> None:
    origins = Origins(["a.b.test", "", "a.b.test", "d.test"])
    same, near, elsewhere = (origins.beside(BAG, host).terms.tolist() for host in ("a.b.test", "c.B.test", "a.c.test"))
    assert same[:3] == near, "the two words, and b.test"
    assert len(same) == 4
    assert elsewhere == [3, 8]


def test_the_text_stays_as_it_is() -> None:
    origins = Origins(["a.test"])
    found = origins.beside(BAG, "a.test")
    assert (found.terms[:2].tolist(), found.counts[:2].tolist()) == ([3, 8], [1, 2])
    assert (found.terms.dtype.name, found.counts.dtype.name) == ("uint32", "float32")
    assert origins.beside(BAG, "") is Origins([]).beside(BAG, "a.test") is BAG
    assert not len(origins.beside(Bag(), "a.test").terms), "a page without words says nothing by its host alone"


@pytest.mark.parametrize("host", ["10.0.0.1", "10.1.0.1", "[::1]", "localhost"])
def test_an_address_lies_in_no_domain(host: str) -> None:
    assert domains(host) == [host]


def test_a_host_with_hundreds_of_labels_has_four_domains() -> None:
    assert domains("x." * 300 + "a.test") == ["a.test", "x.a.test", "x.x.a.test", "x.x.x.a.test"]
