from __future__ import annotations

import importlib.util
import json
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dowse.judge import Category, embedding, load_category
from dowse.judge.bags import Bag, bag_of
from dowse.judge.category_file import save_category
from dowse.judge.embedding import DIMENSIONS, embed
from dowse.model.errors import TopicError
from tests.judge.made import BIRDS, ENGLISH, STEEL, texts, trained


def embedded(subject: list[str], count: int, seed: int = 0) -> list[Bag]:
    return [bag_of(text, ENGLISH, embedded=True) for text in texts(subject, count, seed=seed)]


@pytest.fixture(scope="module")
def category() -> Category:
    return trained(embedded(BIRDS, 9), embedded(STEEL, 9)).category


def test_near_in_meaning_is_near_in_place_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("somebody asked the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    embedding._model.cache_clear()
    owl, hawk, steel = map(embed, ("an owl in its nest", "a hawk with chicks", "molten metal in a furnace"))
    assert owl @ hawk > owl @ steel
    for one in (owl, hawk, steel):
        assert one.shape == (DIMENSIONS,)
        assert one @ one == pytest.approx(1.0)


@pytest.mark.parametrize("text", ["", "\ud800 broken", "x" * 100_000, "東京", "\0"])
def test_any_text_has_an_embedding(text: str) -> None:
    assert np.isfinite(embed(text)).all()


def test_an_empty_text_has_none() -> None:
    assert not embed("").any()


def test_a_category_with_embeddings_reads_and_writes(category: Category, tmp_path: Path) -> None:
    save_category(category, tmp_path / "x.json")
    again = load_category(tmp_path / "x.json")
    assert again.needs_text
    for text in texts(BIRDS, 2, seed=3):
        bag = bag_of(text, ENGLISH, embedded=True)
        found = again.probability(bag.hashes, bag.counts, text)
        assert found == category.likelihood(category.score(bag.hashes, bag.counts, bag.embedding))
        assert found > 0.5


def test_its_scores_are_those_of_the_model(category: Category) -> None:
    """Words that mean the like of the examples' count, though no example has them."""
    near, far = ("sparrows and gulls", "bolts and girders")
    bags = {text: bag_of(text, ENGLISH, embedded=True) for text in (near, far)}
    assert not any(set(bag.terms) & set(category.terms) for bag in bags.values())
    scores = {text: category.score(bag.hashes, bag.counts, bag.embedding) for text, bag in bags.items()}
    assert scores[near] > scores[far]


def test_it_is_not_used_without_a_text(category: Category) -> None:
    bag = bag_of("bird", ENGLISH)
    with pytest.raises(ValueError, match="needs the text"):
        category.probability(bag.hashes, bag.counts)


def test_without_the_extra_it_says_how_to_get_it(
    category: Category, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_category(category, tmp_path / "x.json")
    find = importlib.util.find_spec
    monkeypatch.setattr(embedding, "find_spec", lambda name: None if name == "wordllama" else find(name))
    with pytest.raises(TopicError, match=r"x\.json: needs embeddings: install them with: pip install 'dowse\[embed\]'"):
        load_category(tmp_path / "x.json")
    content = json.loads((tmp_path / "x.json").read_text("utf-8"))
    (tmp_path / "plain.json").write_text(json.dumps({**content, "embedding": None}), "utf-8")
    assert not load_category(tmp_path / "plain.json").needs_text, "others need nothing"
