from __future__ import annotations

import pytest

from dowse.model import errors
from dowse.model.errors import DowseError, FolderBusy, NotACrawl, StoreError, TopicError, UserError


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (TopicError("wrong"), "wrong"),
        (TopicError("wrong", source="t.toml"), "t.toml: wrong"),
        (TopicError("wrong", source="t.toml", line=3), "t.toml:3: wrong"),
        (TopicError("wrong", source="t.toml", line=3, key="a.b"), "t.toml:3: a.b: wrong"),
        (TopicError("wrong", key="--budget"), "--budget: wrong"),
        (TopicError("wrong", line=3), "wrong"),
    ],
)
def test_a_topic_error_says_where(error: TopicError, text: str) -> None:
    assert str(error) == text
    assert error.message == "wrong"


def test_a_users_mistake_exits_with_2_and_a_lost_store_with_1() -> None:
    assert {kind.exit_code for kind in (UserError, TopicError, FolderBusy, NotACrawl)} == {2}
    assert {kind.exit_code for kind in (DowseError, StoreError)} == {1}


def test_the_tree_drawn_in_the_module_is_the_tree() -> None:
    drawing = errors.__doc__ or ""
    for name in errors.__all__:
        kind = getattr(errors, name)
        assert issubclass(kind, DowseError)
        assert name in drawing
