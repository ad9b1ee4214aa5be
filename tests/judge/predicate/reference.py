"""Random expressions with a literal evaluator beside them: nothing here knows degrees, terms or readings."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

from dowse.model.facts import PageFacts
from dowse.model.objects import FoundObject, Value
from dowse.model.page import Verdict

COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
WORDS = ["hockey", "ice", "nba", "bread"]
PHRASES = [*WORDS, "ice hockey", "nba nba"]
HOSTS = ["a.example.org", "example.org", "bbc.co.uk"]


@dataclass(frozen=True)
class Page:
    words: list[str]
    facts: PageFacts


@dataclass(frozen=True)
class Case:
    """An expression, and what it says of a page whose verdict has its similarity and ERID."""

    text: str
    truth: Callable[[Page, Verdict], bool]


def count(phrase: str, words: list[str]) -> int:
    wanted = phrase.split()
    return sum(words[place : place + len(wanted)] == wanted for place in range(len(words)))


def _number(name: str, value: Callable[[Page, Verdict], float], bounds: list[float]) -> st.SearchStrategy[Case]:
    def case(sign: str, bound: float, flipped: bool) -> Case:
        if flipped:
            return Case(f"{bound} {sign} {name}", lambda page, verdict: COMPARE[sign](bound, value(page, verdict)))
        return Case(f"{name} {sign} {bound}", lambda page, verdict: COMPARE[sign](value(page, verdict), bound))

    return st.builds(case, st.sampled_from(sorted(COMPARE)), st.sampled_from(bounds), st.booleans())


def _truths(phrase: str) -> st.SearchStrategy[Case]:
    return st.sampled_from(
        [
            Case(f'word("{phrase}")', lambda page, _: count(phrase, page.words) > 0),
            Case(f"title('{phrase}')", lambda page, _: count(phrase, page.facts.title.split()) > 0),
        ]
    )


def _counts(phrase: str) -> st.SearchStrategy[Case]:
    return _number(f'word("{phrase}")', lambda page, _: count(phrase, page.words), [-1, 0, 1, 2, 2.5])


OTHERS = st.sampled_from(
    [
        Case('url.host("*.example.org")', lambda page, _: "example.org" in page.facts.url),
        Case('url.host("example.org")', lambda page, _: "//example.org/" in page.facts.url),
        Case('url.suffix(".uk")', lambda page, _: ".uk/" in page.facts.url),
        Case('url.contains("BBC")', lambda page, _: "bbc" in page.facts.url),
        Case('url.regex("//[ab]\\.")', lambda page, _: "//a." in page.facts.url),
        Case('url.glob("/x*")', lambda page, _: "/x" in page.facts.url),
        Case('language == "de"', lambda page, _: page.facts.language == "de"),
        Case('kind == "pdf"', lambda page, _: page.facts.kind == "pdf"),
        Case('language != "de"', lambda page, _: page.facts.language != "de"),
        Case('object("Event")', lambda page, _: "event" in page.facts.objects),
        Case('object("Event").location == "BRNO"', lambda page, _: "Brno" in _stated(page, "location")),
        Case('object("Event").location != "brno"', lambda page, _: "Brno" not in _stated(page, "location")),
        Case('object("Event").location', lambda page, _: bool(_stated(page, "location"))),
        Case('object("Event").startDate > "2026-05"', lambda page, _: "2026-06-01" in _stated(page, "startDate")),
        Case('"2026-05-12" >= object("Event").startDate', lambda page, _: "2026-05-12" in _stated(page, "startDate")),
    ]
)


def _price(sign: str, bound: float) -> Case:
    def truth(page: Page, _: Verdict) -> bool:
        prices = [float(value) for value in _stated(page, "price")]
        if sign == "!=":
            return bound not in prices
        return any(COMPARE[sign](price, bound) for price in prices)

    return Case(f'object("event").price {sign} {bound}', truth)


def _stated(page: Page, field: str) -> list[Value]:
    """What the page's events have in a field."""
    return [one.fields[field] for one in page.facts.stated if one.kind == "Event" and field in one.fields]


LEAVES = st.one_of(
    st.builds(_price, st.sampled_from(sorted(COMPARE)), st.sampled_from([-2, 0, 10, 12.5])),
    st.sampled_from(PHRASES).flatmap(_truths),
    st.sampled_from(PHRASES).flatmap(_counts),
    OTHERS,
    _number("words", lambda page, _: page.facts.n_words, [0, 1, 3]),
    _number("links", lambda page, _: page.facts.n_links, [0, 1, 3]),
    _number("similarity", lambda _, verdict: verdict.similarity, [0, 0.1, 0.5, 1]),
    _number("erid", lambda _, verdict: verdict.erid, [0, 0.1, 0.5, 1]),
)


def _joined(parts: st.SearchStrategy[Case]) -> st.SearchStrategy[Case]:
    several = st.lists(parts, min_size=2, max_size=4)
    return st.one_of(
        parts.map(lambda part: Case(f"not ({part.text})", lambda page, verdict: not part.truth(page, verdict))),
        several.map(
            lambda cases: Case(
                " and ".join(f"({case.text})" for case in cases),
                lambda page, verdict: all(case.truth(page, verdict) for case in cases),
            )
        ),
        several.map(
            lambda cases: Case(
                " or ".join(f"({case.text})" for case in cases),
                lambda page, verdict: any(case.truth(page, verdict) for case in cases),
            )
        ),
    )


CASES = st.recursive(LEAVES, _joined, max_leaves=8)


def _page(
    words: list[str], title: list[str], url: str, language: str, n_links: int, objects: list[str], kind: str,
    stated: list[FoundObject],
) -> Page:  # fmt: skip
    facts = PageFacts(url, " ".join(title), language, len(words), n_links, frozenset(objects), kind=kind,
                      stated=tuple(stated))  # fmt: skip
    return Page(words, facts)


_FIELDS = st.fixed_dictionaries(
    {}, optional={"location": st.sampled_from(["Brno", "Graz"]), "price": st.sampled_from([-3.0, 0.0, 10.0, 20.0]),
                  "startDate": st.sampled_from(["2026-05-12", "2026-06-01", "soon"])},
)  # fmt: skip
PAGES = st.builds(
    _page,
    st.lists(st.sampled_from(WORDS), max_size=6),
    st.lists(st.sampled_from(WORDS), max_size=3),
    st.builds(lambda host, path: f"http://{host}{path}", st.sampled_from(HOSTS), st.sampled_from(["/", "/x", "/y?q"])),
    st.sampled_from(["de", "en", ""]),
    st.integers(0, 4),
    st.lists(st.sampled_from(["event", "article"]), max_size=2),
    st.sampled_from(["html", "pdf", ""]),
    st.lists(st.builds(FoundObject, st.sampled_from(["Event", "Place"]), _FIELDS), max_size=3),
)
