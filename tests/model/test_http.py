from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from dowse.model.http import Request, Resolved, Response, Truncation, is_unwanted


def test_a_header_is_found_in_any_case_and_the_first_wins() -> None:
    headers = (("Content-Type", "text/html"), ("content-type", "text/plain"), ("X-Empty", ""))
    response = Response("https://e.org/", 200, headers)
    assert response.header("CONTENT-TYPE") == "text/html"
    assert response.header("x-empty") == ""
    assert response.header("Location") is None


def test_the_delay_is_that_of_the_address_that_is_asked() -> None:
    assert Resolved("e.org", ("10.0.0.2", "10.0.0.1")).key == "10.0.0.2"


def test_a_whole_body_is_not_truncated() -> None:
    assert not Response("https://e.org/", 200, ()).truncated
    assert all(reason for reason in Truncation if reason is not Truncation.NONE)


def test_values_cannot_be_changed() -> None:
    request = Request("https://e.org/")
    with pytest.raises(FrozenInstanceError):
        request.url = "https://other.org/"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("content_type", "accepted", "unwanted"),
    [
        ("text/html", ("text/html", "text/plain"), False),
        (" TEXT/Plain; charset=x", ("text/html", "text/plain"), False),
        ("image/png", ("text/html",), True),
        ("image/png", (), False),
        ("", ("text/html",), False),
        ("  ", ("text/html",), False),
    ],
)
def test_a_body_of_a_type_that_was_not_asked_for(content_type: str, accepted: tuple[str, ...], unwanted: bool) -> None:
    """The same for a live crawl and for a replay: they share this."""
    assert is_unwanted(content_type, accepted) is unwanted
