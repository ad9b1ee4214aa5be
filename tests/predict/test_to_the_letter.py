"""TH-Gatherer's strategies against its formulas, from the HTML of random webs to the priority of each URL."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dowse.model.strategy import SEED_FLOOR
from dowse.model.topic import StrategyChoice
from dowse.predict import split_strategy
from tests.predict.th_formulas import (
    LINK_MEASURES,
    PREDICTORS,
    Formula,
    ReadSoFar,
    hybrid,
    one_vote,
    robust_average,
    robust_average_2,
    robust_weighted,
    v_sim,
)
from tests.predict.written_webs import (
    Anchor,
    Paragraph,
    WrittenPage,
    WrittenWeb,
    crawled,
    url_of,
    written_webs,
)

PAPER: dict[str, Formula] = {
    **{f"{name}:form=paper": formula for name, formula in (PREDICTORS | LINK_MEASURES).items()},
    **{
        f"hybrid:form=paper,predictor={predictor},link={link}": hybrid(predictor, link)
        for predictor in PREDICTORS
        for link in LINK_MEASURES
    },
    "hybrid:form=paper": hybrid("weighted", "similar-link"),
}
# text that a site repeats is to count in full, as in the formulas
ROBUST: dict[str, Formula] = {
    "average:menus=1": robust_average,
    "average-2:menus=1": robust_average_2,
    "weighted:menus=1": robust_weighted,
    "similar-link:menus=1": one_vote,
}
METHODS = ("similarity", "erid", "learned")
slow = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def choice(text: str) -> StrategyChoice:
    return StrategyChoice(*split_strategy(text))


def check(web: WrittenWeb, strategy: str, formula: Formula, method: str) -> int:
    """Every URL has the priority that the formula gives when it is chosen; how many were no seeds."""
    read, found = ReadSoFar(web), 0
    for chosen in crawled(web, choice(strategy), method):
        if chosen.url in read.seeds:
            assert chosen.priority >= SEED_FLOOR, "a seed has no parent: it comes first"
        else:
            assert chosen.priority == pytest.approx(formula(read, chosen.url), rel=1e-5, abs=1e-6), chosen.url
            found += 1
        read.take(chosen)
    return found


def to(number: int, *words: str) -> Anchor:
    return Anchor(url_of(number), words)


MENU = Paragraph(("solar", "bread", "bread", "bread"), (to(1, "home"),))


def page(number: int, *paragraphs: Paragraph, refused: int = 0) -> WrittenPage:
    return WrittenPage(url_of(number), (MENU, Paragraph((f"only{number}",), ()), *paragraphs), refused)


def web_of_all_sorts() -> WrittenWeb:
    """Several links to one target, a seed that is linked to, a page that links to itself, a redirect to a new URL and
    one to a known URL, and the same menu on five pages of a site."""
    often = Paragraph(("solar",), (to(2, "cells"), to(2, "wind"), to(4)))
    pages = [
        page(1, often, Paragraph((), (to(2, "solar", "cells"), to(7, "cells"))), refused=2),
        page(2, Paragraph(("cells",), (to(2, "wind"), to(5, "solar")))),
        page(4, Paragraph(("wind",), (to(8), to(1, "bread"), to(2, "bread")))),
        page(5, Paragraph(("bread",), (to(2), to(6, "solar"), to(8, "cells")))),
        page(8, Paragraph(("solar",), (to(3, "wind"), to(6, "cells")))),
        page(6, Paragraph(("oven",), (to(3, "solar", "oven"),))),
        page(3, Paragraph(("oven",), ())),
    ]
    redirects = {url_of(7): url_of(0), url_of(0): url_of(6)}
    return WrittenWeb((url_of(1), url_of(4)), {one.url: one for one in pages}, redirects)


@pytest.mark.parametrize("strategy", PAPER)
@slow
@given(web=written_webs(), method=st.sampled_from(METHODS))
@example(web=web_of_all_sorts(), method="similarity")
def test_the_papers_form_is_the_papers_formula_whoever_judges(strategy: str, web: WrittenWeb, method: str) -> None:
    check(web, strategy, PAPER[strategy], method)


@pytest.mark.parametrize("strategy", ROBUST)
@slow
@given(web=written_webs(), method=st.sampled_from(METHODS[:2]))
@example(web=web_of_all_sorts(), method="erid")
def test_the_robust_form_is_what_it_says_by_one_measure_throughout(
    strategy: str, web: WrittenWeb, method: str
) -> None:  # fmt: skip
    check(web, strategy, ROBUST[strategy], method)


def test_the_web_of_all_sorts_is_one() -> None:
    """So that the tests above cannot pass by having nothing to check."""
    web = web_of_all_sorts()
    assert check(web, "hybrid:form=paper,predictor=average-2", hybrid("average-2", "similar-link"), "similarity") >= 6
    with pytest.raises(AssertionError):
        check(web, "weighted:form=paper", robust_weighted, "similarity")
    with pytest.raises(AssertionError):
        check(web, "average-2", robust_average_2, "similarity")  # where the menu counts less


@pytest.mark.parametrize("form", ["paper", "robust"])
def test_a_menu_counts_in_full_or_not_as_the_switch_says(form: str) -> None:
    """A menu on the topic stands on every page of a site, whose own text is off it."""
    names = ("p", "q", "r", "s", "far")
    urls = [f"http://b.test/{name}" for name in names]
    menu = Paragraph(("solar", "cells") * 4, (to(1),))
    pages = {
        url: WrittenPage(url, (menu, Paragraph((name, *["wind"] * 8), tuple(Anchor(each, ()) for each in after))), 0)
        for url, name, after in zip(urls, names, (urls[1:2], urls[2:3], urls[3:4], urls[4:], []), strict=True)
    }
    web = WrittenWeb((urls[0],), pages, {})
    priorities = {
        menus: {chosen.url: chosen.priority for chosen in crawled(web, choice(f"average:form={form}{menus}"))}
        for menus in ("", ",menus=1", ",menus=0")
    }
    full, less = (priorities[menus][urls[-1]] for menus in (",menus=1", ",menus=0"))
    literal = v_sim(pages[urls[-2]].text)
    assert full == pytest.approx(literal if form == "paper" else literal / 1.5)
    assert less < 0.8 * full
    assert priorities[""][urls[-1]] == (full if form == "paper" else less), "the form's default"
    assert priorities[",menus=1"][urls[1]] == priorities[",menus=0"][urls[1]], "not known as a menu yet"
