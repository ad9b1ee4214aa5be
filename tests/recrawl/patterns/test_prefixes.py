"""Paper form, against the sentence it comes from."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dowse.model.url import split
from dowse.recrawl.patterns.matcher import Matcher
from dowse.recrawl.patterns.pattern import parse_pattern
from dowse.recrawl.patterns.prefixes import prefix_patterns

_URLS = st.lists(
    st.builds(
        lambda host, rest: f"http://{host}.example/{rest}",
        st.sampled_from("ab"),
        st.text(alphabet="ab/?&=-", max_size=8),
    ),
    max_size=12,
)


def _literally(urls: list[str]) -> set[str]:
    """The longest prefix ending in / ? & = - that a URL shares with another object URL of its host; a URL that shares
    none is its own pattern."""
    found = set()
    for url in urls:
        shared = ""
        for other in urls:
            if other == url or split(other).host != split(url).host:
                continue
            for length in range(url.index("/", 8) + 1, len(url) + 1):
                if url[length - 1] in "/?&=-" and other.startswith(url[:length]) and length > len(shared):
                    shared = url[:length]
        found.add(shared + "{*}" if shared else url)
    return found


@given(_URLS)
def test_prefixes_are_those_of_the_definition(urls: list[str]) -> None:
    urls = list(dict.fromkeys(urls))
    assert set(prefix_patterns(urls)) == _literally(urls)


@given(_URLS, _URLS)
def test_a_url_belongs_to_the_longest_pattern_it_starts_with(learned: list[str], asked: list[str]) -> None:
    texts = prefix_patterns(learned)
    matcher = Matcher(map(parse_pattern, texts))
    for url in (*learned, *asked):
        fitting = [text for text in texts if url == text or (text.endswith("{*}") and url.startswith(text[:-3]))]
        found = matcher.match(url)
        assert (texts[found] if found >= 0 else None) == max(
            fitting, key=lambda text: (text == url, len(text)), default=None
        )
