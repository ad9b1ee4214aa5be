from __future__ import annotations

import pickle

import pytest

from dowse.judge import Terms
from dowse.model.errors import TopicError


def test_stop_words_go_and_the_rest_is_stemmed() -> None:
    terms = Terms("english")
    assert terms.sequence(["the", "cells", "of", "running", "birds"]) == ["cell", "run", "bird"]
    assert Terms("german").sequence(["die", "häuser", "und"]) == ["haus"]


def test_none_keeps_every_word() -> None:
    assert Terms("none").sequence(["the", "cells"]) == ["the", "cells"]


def test_an_unknown_language_is_the_users_mistake() -> None:
    with pytest.raises(TopicError, match="klingon"):
        Terms("klingon")


def test_terms_survive_pickling_and_the_memo_is_bounded() -> None:
    terms = Terms("english")
    for i in range(200_500):
        terms[f"w{i}"]
    assert len(terms) <= 200_000
    again = pickle.loads(pickle.dumps(terms))
    assert len(again) == 0
    assert again["cells"] == "cell"
