"""Why a page has its verdict, in lines: what gave it, what it was at first, and the words that decided."""

from __future__ import annotations

from dowse.cli.decided import decided_lines
from dowse.cli.parts import part_lines
from dowse.cli.verdict_words import learned_from
from dowse.engine.assembly.rejudge import ANSWER
from dowse.lab.finished.crawl_judge import crawl_judge, page_decided
from dowse.lab.finished.expected_words import unpromised
from dowse.lab.finished.judged_by import changes, counts_now, run_of
from dowse.lab.wording import score_told
from dowse.model.judge import LEARNED
from dowse.model.runs import JudgedBy
from dowse.store import CrawlReader, PageView
from dowse.store.read_verdicts import final_verdicts

__all__ = ["judged_by", "threshold_of", "verdict_lines"]

_REASONS = 8


def verdict_lines(crawl: CrawlReader, page: PageView) -> list[str]:
    """The verdict of a page that was judged, and why."""
    assert page.score is not None
    verdict = "relevant" if page.relevant else "not relevant"
    measured = f"similarity {page.similarity or 0.0:.3f}, ERID {score_told(page.erid or 0.0, 'erid')}"
    by = judged_by(crawl, page)
    if page.reasons and page.reasons[0][0] == ANSWER:
        return [f"{verdict}: {ANSWER} ({measured})", *(f"    {line}" for line in _at_first(page))]
    lines = [f"{verdict}: {_score(page.score, page.model, by.judge)}{_against(by, page)} ({measured})"]
    if page.model:
        lines += [f"    {line}" for line in _by_model(crawl, page, by)]
    else:
        reasons = () if page.parts else page.reasons
        lines += [f"    {value * weight:+.4f}  {name}" for name, value, weight in reasons[:_REASONS]]
        lines += [f"    {line}" for line in part_lines(page.parts)]
    short = unpromised(by, crawl.settings())
    return lines + [f"    {line}" for line in (*([short] if short else []), *changes(crawl.summary().runs))]


def judged_by(crawl: CrawlReader, page: PageView) -> JudgedBy:
    """By what the page was judged: a final verdict by what counts now, another by what counted in its run."""
    runs = crawl.summary().runs
    if page.model:
        return counts_now(runs, final_verdicts(crawl))
    run = run_of(runs, page.fetched_at) or (runs[-1] if runs else None)
    return JudgedBy() if run is None else run.judged_by


def threshold_of(crawl: CrawlReader, page: PageView) -> float | None:
    """The score from which the page would have been relevant when it was fetched; None where the records do not say."""
    by = judged_by(crawl, page)
    if by.threshold is not None and (by.judge == LEARNED) == bool(page.first_model):
        return by.threshold
    found = crawl.settings().get("threshold")  # of the first look
    return float(found) if isinstance(found, (int, float)) else None


def _score(score: float, model: int, judge: str = "") -> str:
    return f"a chance of {score:.3f}" if model else f"score {score_told(score, judge)}"


def _against(by: JudgedBy, page: PageView) -> str:
    if by.threshold is None or bool(page.model) != (by.judge == LEARNED):
        return ""
    unwanted = not page.relevant and (page.score or 0.0) >= by.threshold > 0
    but = f"; but its language, {page.language or 'unknown'}, is not wanted" if unwanted and page.language else ""
    return f", threshold {score_told(by.threshold, by.judge, '.2f' if page.model else '.3f')}{but}"


def _by_model(crawl: CrawlReader, page: PageView, by: JudgedBy) -> list[str]:
    from_what = f", made of {learned_from(by.verdicts)}" if by.verdicts and by.model == page.model else ""
    lines = [f"by model {page.model}{from_what}"]
    lines += _at_first(page)
    judge = crawl_judge(crawl)
    found = None if judge is None else page_decided(crawl, judge, page)
    if found is None:
        return [*lines, "which words decided cannot be told: the records do not have the model that gave this verdict"]
    return lines + decided_lines(found)


def _at_first(page: PageView) -> list[str]:
    """The verdict that the page was given when it was fetched."""
    if page.first_score is None:
        return []
    first = "relevant" if page.first_relevant else "not relevant"
    model = f"by model {page.first_model}" if page.first_model else "by similarity, before there was a model"
    return [f"when it was fetched: {first}, {_score(page.first_score, page.first_model)} {model}"]
