"""What a topic of short words is told, and what is found out about seeds before a crawl begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from dowse.engine.assembly.prepare import ambiguous_words, read_seeds
from dowse.model.errors import TopicError
from dowse.model.topic import Example, JudgeSettings, Keyword, Seeds, Topic


def test_stop_words_alone_are_told_to_be_ambiguous() -> None:
    [told] = ambiguous_words(Topic(query="The Who"))
    assert "'the who' has nothing but stop words" in told
    assert "taken as a name" in told
    assert "example" in told
    for clear in (
        Topic(query="the who tommy"), Topic(query="the who", keywords=(Keyword("tommy"),)),
        Topic(query="the who", examples=(Example("page.html"),)), Topic(predicate='word("the")'),
        Topic(query="the who", judge=JudgeSettings(language="none")),
    ):  # fmt: skip
        assert not ambiguous_words(clear)


@pytest.mark.parametrize("place", ["none.xml", "."])
def test_a_sitemap_that_cannot_be_read_is_told_before_the_crawl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    topic = Topic(query="x", seeds=Seeds(sitemaps=(place,)))
    with pytest.raises(TopicError, match="cannot read the sitemap"):
        read_seeds(topic, None, [])
    assert read_seeds(topic, [], []) == [], "a resumed crawl has read it"
