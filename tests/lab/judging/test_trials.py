from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dowse.lab.corpus import Corpus, LabTopic, make_topic
from dowse.lab.judging.backgrounds import seeds_of
from dowse.lab.judging.contestants import CONTESTANTS
from dowse.lab.judging.metrics import figures
from dowse.lab.judging.port import NO_CRAWL, Background, Scores, Told
from dowse.lab.judging.trials import Setting, TrialPlan, judge_labels
from dowse.model.errors import UserError
from tests.lab.judging.learners import Doubter

PLAN = TrialPlan(("similarity", "erid"), (0, 2, 10), min_pages=20)


def test_given_pages_are_left_out_and_all_others_measured(folder: Path, corpus: Corpus) -> None:
    done = judge_labels(folder, PLAN, ["solar cells"])
    topic, crawl = (make_topic(corpus, "solar cells", examples=count) for count in (10, 8))
    assert isinstance(topic, LabTopic)
    assert isinstance(crawl, LabTopic)
    seeds = seeds_of(corpus, crawl)
    assert seeds is not None
    [trial] = [one for one in done.trials if one.setting == Setting("similarity", "", 2, 0)]
    scores = CONTESTANTS["similarity"](corpus).scores(Told(topic.query, topic.examples[:2]), NO_CRAWL)
    given = {*topic.examples[:2], *seeds.pages}
    others = [page for page in np.flatnonzero(corpus.pages.is_page()).tolist() if page not in given]
    truth = np.isin(others, list(topic.relevant))
    assert trial.truth.tolist() == truth.tolist()
    assert trial.chances == pytest.approx(scores.chances[others], abs=1e-6)
    assert trial.figures == figures(scores.chances[others], truth, scores.threshold)
    assert trial.threshold == scores.threshold
    sizes = {one.setting.told: len(one.truth) for one in done.trials if one.setting.judge == "similarity"}
    assert sizes["name, 2 for, 2 against"] == sizes["name, 2 for"] - 2


def test_labels_judges_and_what_they_are_told_come_in_order_by_any_number_of_processes(folder: Path) -> None:
    told: list[tuple[int, int]] = []
    labels = ["solar cells", "rare", "bread"]
    first = judge_labels(folder, PLAN, labels, jobs=1, progress=lambda *at: told.append(at))
    again = judge_labels(folder, PLAN, labels, jobs=2)
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert [unfit.label for unfit in first.unfit] == ["rare"]
    assert not first.crawled, "nobody learns from what a crawl brings"
    of_one = [(examples, against) for examples in (0, 2, 10) for against in ((0, examples) if examples else (0,))]
    assert [(one.label, one.setting) for one in first.trials] == [
        (label, Setting(judge, "", *numbers))
        for label in ("solar cells", "bread")
        for judge in PLAN.judges
        for numbers in of_one
    ]
    for one, other in zip(first.trials, again.trials, strict=True):
        assert (one.label, one.setting, one.figures) == (other.label, other.setting, other.figures)
        assert (one.chances == other.chances).all()


def test_another_seed_number_gives_other_examples(folder: Path) -> None:
    one, other = (
        judge_labels(folder, TrialPlan(("similarity",), (2,), False, min_pages=20, seed_number=number), ["bread"])
        for number in (0, 1)
    )
    assert one.trials[0].chances.tolist() != other.trials[0].chances.tolist()


def test_a_judge_that_learns_is_tried_with_each_background(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CONTESTANTS, "doubter", Doubter)
    plan = TrialPlan(("doubter", "erid"), (0, 2), False, ("bfs", "best-first"), 30, min_pages=20)
    done = judge_labels(folder, plan, ["solar cells", "rare"], jobs=2)
    assert [(one.setting.judge, one.setting.background, one.setting.examples) for one in done.trials] == [
        ("doubter", "bfs", 0), ("doubter", "bfs", 2), ("doubter", "best-first", 0), ("doubter", "best-first", 2),
        ("erid", "", 0), ("erid", "", 2),
    ]  # fmt: skip
    doubted = [int((one.chances < 0.5).sum()) for one in done.trials[:2]]
    assert doubted == [27, 27], "30 pages, 3 of them seeds, which are not measured"
    assert [(one.strategy, one.pages) for one in done.crawled] == [("bfs", 30), ("best-first", 30)]
    for crawled, trial in zip(done.crawled, (done.trials[0], done.trials[2]), strict=True):
        assert crawled.share == pytest.approx(trial.truth[trial.chances < 0.5].mean()), "of what was fetched"
        assert crawled.corpus_share == pytest.approx(trial.truth.mean())


def test_what_a_judge_refuses_has_no_relevant_page(folder: Path, tmp_path: Path) -> None:
    for file in folder.glob("*.warc.gz"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    labels = (folder / "labels.csv").read_text().replace("solar cells", "!?")
    (tmp_path / "labels.csv").write_text(labels)
    done = judge_labels(tmp_path, TrialPlan(("similarity",), (0, 2), False, min_pages=20), ["!?"])
    refused, spoke = done.trials
    assert refused.refused
    assert (refused.figures.precision, refused.figures.recall, refused.figures.f1) == (0, 0, 0)
    assert refused.figures.average_precision == pytest.approx(refused.truth.mean(), abs=0.05), "as chance has it"
    assert not spoke.refused
    assert spoke.figures.f1 > 0


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            {"judges": ("similarty",)},
            "there is no judge 'similarty' to be measured: choose from learned, similarity",
        ),
        ({"judges": ()}, "there is no judge to be measured: choose"),
        ({"examples": (3, -1)}, "examples: give a number, 0 or more"),
        ({"examples": ()}, "examples: give a number, 0 or more"),
        ({"background_pages": 0}, "background-pages is at least 1"),
        ({"backgrounds": ("bfz",)}, "bfz"),
        ({"seeds_kind": "middle"}, "seeds are near, far or roots, not 'middle'"),
        ({"min_pages": 0}, "min-pages is at least 1"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(UserError, match=said):
        TrialPlan(**wrong)  # type: ignore[arg-type]


def test_entry_pages_are_no_examples_and_so_are_measured(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in (*folder.glob("*.warc.gz"), folder / "labels.csv"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "roots.csv").write_text("url\nhttp://w.test/0.html\n")
    monkeypatch.setitem(CONTESTANTS, "doubter", Doubter)
    plan = TrialPlan(("doubter",), (0,), False, ("bfs",), 30, min_pages=20)
    [trial] = judge_labels(tmp_path, plan, ["bread"]).trials
    assert (len(trial.truth), int((trial.chances < 0.5).sum())) == (121, 30)
    [near] = judge_labels(tmp_path, replace(plan, seeds_kind="near"), ["bread"]).trials
    assert (len(near.truth), int((near.chances < 0.5).sum())) == (118, 27)


def test_the_last_part_of_a_label_may_be_its_name(folder: Path, tmp_path: Path) -> None:
    for file in folder.glob("*.warc.gz"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    labels = (folder / "labels.csv").read_text().replace("solar cells", "Bread.Solar_cells")
    (tmp_path / "labels.csv").write_text(labels)
    plan = TrialPlan(("similarity",), (0,), min_pages=20)
    [plain] = judge_labels(folder, plan, ["solar cells"]).trials
    [last] = judge_labels(tmp_path, replace(plan, last_part=True), ["Bread.Solar_cells"]).trials
    [whole] = judge_labels(tmp_path, plan, ["Bread.Solar_cells"]).trials
    assert last.figures.best_f1 == plain.figures.best_f1 == 1
    assert sorted(last.chances) != sorted(whole.chances)


def test_chances_that_are_none_are_a_mistake_of_the_judge(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Certain(Doubter):
        name = "certain"

        def scores(self, told: Told, background: Background) -> Scores:
            return Scores(2 * super().scores(told, background).chances, 0.5)

    monkeypatch.setitem(CONTESTANTS, "certain", Certain)
    with pytest.raises(ValueError, match="certain gave a page a chance that is not between 0 and 1"):
        judge_labels(folder, TrialPlan(("certain",), (0,), min_pages=20, background_pages=5), ["bread"])
