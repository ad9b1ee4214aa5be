"""Headers and cookies of the user's own: what they may be, and that nobody else gets to see them."""

from __future__ import annotations

from typing import Any

import pytest

from dowse.model.secret_fields import cookies, headers
from dowse.model.topic import Network, Topic
from dowse.model.topic_fields import Fault
from dowse.model.topic_json import topic_from_json, topic_to_json


def test_what_may_be_sent() -> None:
    assert headers({"*.example.org": {"X-Key": "a b"}}) == {"*.example.org": {"X-Key": "a b"}}
    assert cookies({"example.org": "a=b; c=d"}) == {"example.org": "a=b; c=d"}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("secret", "must be a table"),
        ({"a b": {"X": "secret"}}, "is not a host name"),
        ({"a.test": "secret"}, "must be a table of headers"),
        ({"a.test": {"X Y": "secret"}}, "is no name of a header"),
        ({"a.test": {"X": "secret\r\nY: z"}}, "must be one line of plain ASCII"),
        ({"a.test": {"X": " secret"}}, "must be one line of plain ASCII"),
        ({"a.test": {"host": "secret"}}, "is not for you to set: the URL says it"),
        ({"a.test": {"Cookie": "secret=1"}}, "use cookies, or --cookie"),
        ({"a.test": {"User-Agent": "secret"}}, "network.user_agent"),
    ],
)
def test_a_mistake_is_told_without_the_value(value: Any, said: str) -> None:
    with pytest.raises(Fault) as fault:
        headers(value)
    assert said in fault.value.message
    assert "secret" not in fault.value.message


@pytest.mark.parametrize("value", ["secret", {"a.test": "secret"}, {"a.test": "a=secret\n"}, {"a.test": 7}])
def test_what_is_no_cookie(value: Any) -> None:
    with pytest.raises(Fault) as fault:
        cookies(value)
    assert "secret" not in fault.value.message


def test_they_are_written_down_nowhere() -> None:
    topic = Topic(network=Network(headers={"a.test": {"X": "secret"}}, cookies={"a.test": "a=secret"}))
    plain = topic_to_json(topic)
    assert "secret" not in repr(plain)
    assert "secret" not in repr(topic)
    assert topic_from_json(plain).network == Network()
