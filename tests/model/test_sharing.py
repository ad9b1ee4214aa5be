"""What shards tell each other comes back as it was, and what is damaged is refused."""

from __future__ import annotations

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from dowse.model import sharing
from dowse.model.sharing import array_of, next_telling, packed, unpacked, unpacked_pieces

KINDS = st.sampled_from(("|u1", "<u2", "<u4", "<u8", "<i8", "<f4", "<f8"))
ARRAYS = st.dictionaries(
    st.text(min_size=1, max_size=8), KINDS.flatmap(lambda kind: arrays.arrays(kind, st.integers(0, 20))), max_size=4
)


@given(ARRAYS)
def test_arrays_come_back_as_they_were(told: dict[str, np.ndarray]) -> None:
    found = unpacked(packed(told))
    assert list(found) == list(told)
    for name, array in told.items():
        assert found[name].dtype == array.dtype
        assert found[name].tobytes() == array.tobytes()


def test_counts_are_told_as_short_as_they_are() -> None:
    counts = np.random.default_rng(1).integers(0, 200, 10_000).astype(np.uint64)
    assert len(packed({"a": counts})) < 10_100
    assert unpacked(packed({"a": counts}))["a"].tobytes() == counts.tobytes()


def test_tables_and_numbers_of_the_other_byte_order_come_back() -> None:
    table = np.arange(6, dtype=">f8").reshape(2, 3)
    found = unpacked(packed({"a": table}))["a"]
    assert found.tolist() == table.tolist()


@given(ARRAYS, st.data())
def test_damage_is_refused_or_is_arrays_of_numbers(told: dict[str, np.ndarray], data: st.DataObject) -> None:
    plain = bytearray(zstandard.decompress(packed(told)[6:]))
    for _ in range(data.draw(st.integers(1, 3))):
        plain[data.draw(st.integers(0, len(plain) - 1))] = data.draw(st.integers(0, 255))
    try:
        found = unpacked(b"dowse2" + zstandard.compress(bytes(plain)))
    except ValueError:
        return
    assert all(array.dtype.kind in "uif" for array in found.values())


@pytest.mark.parametrize(
    "data",
    [
        b"", b"dowse2", b"dowse1" + zstandard.compress(b"\2\0\0\0[]"), packed({"a": np.ones(9)})[:-3], b"\x93NUMPY",
        b"dowse2" + zstandard.compress(bytes(1 << 26)),
        b"dowse2" + zstandard.compress(b"\xff\xff\xff\xff" + b"[" * 100_000),
        *(
            b"dowse2" + zstandard.compress(len(head).to_bytes(4, "little") + head + bytes(1 << 16))
            for head in (
                b'[["a","|O8","|O8",[9]]]', b'[["a","<u2","<u4",[9]]]', b'[["a","|u1","<f4",[9]]]',
                b'[["a","<u8","|u1",[65536]]]'.replace(b"65536", b"33554432"),
                b'[' + b",".join([b'["a","<u8","|u1",[%d]]' % (1 << 10)] * 101) + b"]",
            )
        ),
    ],
)  # fmt: skip
def test_what_is_no_such_string_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"it|a "):
        unpacked(data)


def test_an_array_is_asked_for_with_its_type_length_and_numbers() -> None:
    told = {"a": np.array([1.0, np.nan]), "b": np.ones(2)}
    assert array_of(told, "b", np.float64, 2) is told["b"]
    assert array_of(told, "b", np.float64, -1) is told["b"]
    for name, kind, size in (("a", np.float64, 2), ("b", np.float32, 2), ("b", np.float64, 3), ("c", np.float64, 2)):
        with pytest.raises(ValueError, match=name):
            array_of(told, name, kind, size)


def test_pieces_that_are_as_they_were_are_not_unpacked_and_all_have_one_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    piece = packed({"a": np.arange(100, dtype=np.uint64)})
    found = unpacked_pieces({"0": None, "1": piece})
    assert found["0"] is None
    assert found["1"] is not None
    assert found["1"]["a"].tolist() == list(range(100))
    monkeypatch.setattr(sharing, "_MOST_BYTES", 2_000)
    assert len(unpacked_pieces({"0": piece, "1": piece})) == 2
    with pytest.raises(ValueError, match="too long"):
        unpacked_pieces({"0": piece, "1": piece, "2": piece})
    with pytest.raises(ValueError, match="too many pieces"):
        unpacked_pieces({str(number): None for number in range(101)})


def test_it_is_told_a_few_dozen_times_and_most_often_at_first() -> None:
    at = [1]
    while at[-1] < 10_000_000:
        at.append(next_telling(at[-1]))
    assert at[:9] == [1, 4, 8, 13, 19, 26, 35, 46, 60]
    assert 12 < sum(pages <= 1_000 for pages in at) < 20
    assert len(at) < 50
