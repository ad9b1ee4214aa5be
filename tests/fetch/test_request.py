from __future__ import annotations

import pytest

from dowse.fetch import PRODUCT, product_token, user_agent
from dowse.fetch.request import OwnHeaders
from dowse.model.topic import Network


def test_the_user_agent_says_who_and_whom_to_ask() -> None:
    assert user_agent(Network()).startswith("Dowse/0")
    assert user_agent(Network(contact="https://library.example/crawl")).endswith("(+https://library.example/crawl)")
    assert user_agent(Network(contact="a\r\nX: b")) == user_agent(Network(contact="aX: b"))


@pytest.mark.parametrize(
    ("agent", "token"),
    [
        (None, PRODUCT),
        ("LibraryBot/1.0 (+x)", "librarybot"),
        ("Mozilla/5.0 (compatible; Foo-bot/2)", "foo-bot"),
        ("1", PRODUCT),
    ],
)
def test_robots_address_us_by_our_token(agent: str | None, token: str) -> None:
    assert product_token(Network(user_agent=agent)) == token


def test_a_host_gets_the_cookies_of_all_its_names_and_the_first_of_a_header() -> None:
    cookies = {"www.a.test": "a=1; b=2", "*.a.test": "b=3; c=4", "*": "d=5", "b.test": "e=6"}
    own = OwnHeaders(Network(cookies=cookies, headers={"www.a.test": {"X-Key": "1"}, "*": {"x-key": "2"}}))
    assert own.of("WWW.a.test") == (("X-Key", "1"), ("Cookie", "a=1; b=2; c=4; d=5"))
    assert own.of("b.test") == (("x-key", "2"), ("Cookie", "d=5; e=6"))
    assert OwnHeaders(Network()).of("b.test") == ()
