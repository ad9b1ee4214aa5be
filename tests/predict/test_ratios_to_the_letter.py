"""``learning`` as published, from the HTML of random webs to the priority of each URL: parser, judge, admission and
engine are the crawl's own. The ratios themselves are those of the definitions, in ``learning/test_interest.py``."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings

from dowse.model.page import Outcome
from dowse.model.strategy import SEED_FLOOR
from dowse.model.topic import StrategyChoice
from tests.predict.learning.test_interest import Crawl, Form, Moment, Page, Published, Robust
from tests.predict.test_to_the_letter import web_of_all_sorts
from tests.predict.th_formulas import v_sim
from tests.predict.written_webs import Chosen, WrittenPage, WrittenWeb, crawled, written_webs

FORMS: dict[str, Form] = {"form": Published, "combine": Robust}
THRESHOLD = 0.1  # of similarity, in these webs
slow = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


class Known:
    """What is known while a web is crawled, by numbers of URLs. A URL stands for what it redirected to, where nobody
    had named that before."""

    def __init__(self, web: WrittenWeb) -> None:
        self.web, self.crawl = web, Crawl()
        self._numbers: dict[str, int] = {}
        self._words: dict[str, int] = {}
        self._named = set(web.seeds)
        self.seeds = set(web.seeds)
        self.ends: dict[str, str] = {}  # a URL that redirected -> what took its place
        self.tokens_of: dict[str, str] = {}  # what took a place -> the URL whose tokens are known of it

    def number(self, url: str) -> int:
        return self._numbers.setdefault(url, len(self._numbers))

    def words(self, page: WrittenPage) -> frozenset[int]:
        return frozenset(self._words.setdefault(word, len(self._words) + 1) for word in page.text)

    def target(self, url: str) -> str:
        while url in self.ends:
            url = self.ends[url]
        return url

    def take(self, chosen: Chosen) -> None:
        if chosen.outcome is Outcome.REDIRECTED:
            if chosen.target not in self._named:
                self._move(chosen.url, chosen.target)
        elif chosen.outcome is Outcome.FETCHED:
            page = self.web.pages[chosen.url]
            links = {link.target for paragraph in page.paragraphs for link in paragraph.links}
            self._named |= links
            for link in links & set(self.tokens_of):
                del self.tokens_of[link]  # a page names it itself by now
            own = frozenset(self.number(self.target(link)) for link in links) - {self.number(chosen.url)}
            satisfies = v_sim(page.text) >= THRESHOLD
            self.crawl.pages[self.number(chosen.url)] = Page(chosen.url, self.words(page), satisfies, own)

    def _move(self, source: str, target: str) -> None:
        self._named.add(target)
        if source in self.seeds:
            self.seeds.add(target)
        self.ends[source] = target
        self.tokens_of[target] = self.tokens_of.get(source, source)
        old, new = self.number(source), self.number(target)
        for page in self.crawl.pages.values():
            if old in page.links:
                page.links = page.links - {old} | {new}


def check(web: WrittenWeb, parameter: str, form: Form) -> int:
    """How many URLs that were no seeds had the priority of the definitions when they were chosen."""
    known, found = Known(web), 0
    params = {"form": "paper"} if parameter == "form" else {"combine": "logs"}
    for chosen in crawled(web, StrategyChoice("learning", {**params, "exact": True, "t": 0.0})):
        if chosen.url in known.seeds:
            assert chosen.priority >= SEED_FLOOR
        else:
            candidate = known.number(chosen.url)
            tokens = form.tokens(known.tokens_of.get(chosen.url, chosen.url))
            expected = sum(Moment(form, known.crawl).expected(candidate, tokens, 0.0))
            assert chosen.priority == pytest.approx(expected, rel=1e-5, abs=1e-5), chosen.url
            found += 1
        known.take(chosen)
    return found


@pytest.mark.parametrize("parameter", FORMS)
@slow
@given(web=written_webs())
@example(web=web_of_all_sorts())
def test_a_priority_is_the_sum_of_the_logs(parameter: str, web: WrittenWeb) -> None:
    check(web, parameter, FORMS[parameter])


@pytest.mark.parametrize("parameter", FORMS)
def test_the_web_of_all_sorts_is_one(parameter: str) -> None:
    """So that the test above cannot pass by having nothing to check."""
    web = web_of_all_sorts()
    assert check(web, parameter, FORMS[parameter]) >= 5
    [other] = set(FORMS.values()) - {FORMS[parameter]}
    with pytest.raises(AssertionError):
        check(web, parameter, other)
