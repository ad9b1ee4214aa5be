from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from dowse.model.revive import revived, typed


@dataclass(frozen=True, slots=True)
class Inner:
    name: str
    share: float = 0.5


@dataclass(frozen=True, slots=True)
class Outer:
    count: int
    inner: Inner = Inner("x")
    many: tuple[Inner, ...] = ()
    table: dict[str, int] | None = None


GOOD: list[tuple[Any, Any, Any]] = [
    (int, 3, 3),
    (float, 3, 3),
    (tuple[int, ...], [1, 2], (1, 2)),
    (dict[str, float], {"a": 1.5}, {"a": 1.5}),
    (str | None, None, None),
    (Outer, {"count": 1, "inner": {"name": "a"}}, Outer(1, Inner("a"))),
    (Outer, {"count": 1, "many": [{"name": "a", "share": 1}]}, Outer(1, many=(Inner("a", 1),))),
    (Outer, {"count": 1, "table": {"a": 2}}, Outer(1, table={"a": 2})),
]
BAD: list[tuple[Any, Any]] = [
    (int, True), (int, 1.0), (int, "1"), (float, "1"), (float, True), (float, float("nan")), (float, 10**400),
    (str, 1), (str, None), (bool, 1), (tuple[int, ...], "12"), (tuple[int, ...], [1, "2"]), (dict[str, int], []),
    (dict[str, int], {"a": "b"}), (str | None, 3), (Outer, []), (Outer, {"count": "1"}), (Outer, {"other": 1}),
    (Outer, {}), (Outer, {"count": 1, "inner": {"name": 2}}), (Outer, {"count": 1, "many": {"name": "a"}}),
    (Outer, {"count": 1, "table": {"a": []}}),
]  # fmt: skip


@pytest.mark.parametrize(("hint", "value", "found"), GOOD)
def test_plain_values_become_the_models(hint: Any, value: Any, found: Any) -> None:
    assert revived(hint, value) == found


@pytest.mark.parametrize(("hint", "value"), BAD)
def test_what_is_of_another_kind_becomes_nothing(hint: Any, value: Any) -> None:
    with pytest.raises((TypeError, ValueError)) as error:
        revived(hint, value)
    assert len(str(error.value)) < 300


def test_rows_are_of_their_fields_types() -> None:
    assert typed(Inner, name="a", share=1) == Inner("a", 1)
    for values in ({"name": 3}, {"name": "a", "share": "b"}, {"name": "a", "share": float("inf")}, {"name": None}):
        with pytest.raises(TypeError, match=r"name is|share is"):
            typed(Inner, **values)
