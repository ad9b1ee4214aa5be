from __future__ import annotations

from dowse.lab.finished.judged_by import changes, counts_now, run_of
from dowse.model.runs import JudgedBy
from dowse.store import Run


def run(number: int, **by: object) -> Run:
    return Run(number, f"2026-01-0{number}T00:00:00", None, None, JudgedBy(**by))  # type: ignore[arg-type]


def test_a_resume_with_another_threshold_is_told() -> None:
    runs = [
        run(1, judge="similarity", threshold=0.2), run(2, judge="similarity", threshold=0.2), run(3),
        run(4, judge="similarity", threshold=0.3), run(5, judge="learned", threshold=0.5, model=2),
    ]  # fmt: skip
    assert changes(runs) == [
        "since run 4 by similarity from 0.300 on, before by similarity from 0.200 on",
        "since run 5 by chances from 0.50 on, before by similarity from 0.300 on",
    ]
    assert changes(runs[:2]) == []


def test_a_page_is_of_the_run_it_was_fetched_in() -> None:
    runs = [run(1), run(2)]
    assert run_of(runs, "2026-01-01T10") == runs[0]
    assert run_of(runs, "2026-01-03") == runs[1]
    assert run_of(runs, "2025-12-31") is None


def test_what_was_judged_again_counts() -> None:
    final = {"threshold": 0.9, "model": 4, "made_of": 70}
    last = JudgedBy(judge="learned", threshold=0.5, model=3, made_of=60)
    found = counts_now([run(1, judge="learned", threshold=0.5, model=3, made_of=60)], final)
    assert (found.threshold, found.model, found.made_of) == (0.9, 4, 70)
    assert counts_now([run(1, judge="learned", threshold=0.5, model=3, made_of=60)], None) == last
    assert counts_now([run(1, judge="erid", threshold=0.002)], final).judge == "erid", "a resume changed the judge"
    assert counts_now([], None) == JudgedBy()
