from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.judge import TopicVector
from dowse.judge.similarity import rocchio, unit_vector

COUNTS = st.dictionaries(st.sampled_from([f"t{i}" for i in range(60)]), st.integers(1, 50), max_size=60)


def cosine(query: dict[str, float], document: dict[str, float]) -> float:
    """The literal definition; a zero vector gives 0."""
    dot = sum(query[term] * document.get(term, 0.0) for term in query)
    lengths = math.sqrt(sum(v * v for v in query.values())) * math.sqrt(sum(v * v for v in document.values()))
    return dot / lengths if lengths else 0.0


@given(COUNTS, COUNTS, st.sampled_from(["tf", "log"]))
def test_cosine_agrees_with_its_definition(query: dict[str, int], document: dict[str, int], weighting: str) -> None:
    def weigh(counts: dict[str, int]) -> dict[str, float]:
        return {term: float(n) if weighting == "tf" else 1 + math.log(n) for term, n in counts.items()}

    topic = TopicVector(unit_vector(query, weighting), weighting)
    assert topic.cosine(document) == pytest.approx(cosine(weigh(query), weigh(document)), abs=1e-12)


def test_rocchio_adds_examples_takes_counterexamples_off_and_is_clipped() -> None:
    vector = rocchio({"solar": 1.0}, [{"cell": 0.6, "page": 0.8}, {"cell": 1.0}], [{"page": 1.0}])
    assert vector["solar"] > vector["cell"] > 0
    assert "page" not in vector
    assert math.isclose(sum(value * value for value in vector.values()), 1.0)
    many = {f"t{i}": 1.0 for i in range(500)}
    assert len(rocchio({}, [many], [])) == 200
    assert rocchio({}, [], []) == {}
