from __future__ import annotations

import pytest

from dowse.fetch import PRODUCT, product_token, user_agent
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
