"""A corpus' own log, cut where the crawl begins; and readers that are simulated."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from dowse.lab.compare.plan import Plan, parse_strategy
from dowse.lab.corpus import Corpus, open_corpus
from dowse.lab.people.own_log import OWN, SIMULATED, WHOLE, Cut, Span, parse_cut, traces_folder
from dowse.lab.people.readers import simulated
from dowse.model.errors import TopicError, UserError
from dowse.traces import load_traces
from tests.lab.compare.webs import PAGES, url, with_people, write_labelled


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return open_corpus(with_people(write_labelled(tmp_path_factory.mktemp("web"))), jobs=1)


@pytest.mark.parametrize("cut", ["25%", "50%", "2023-11-16", "100%"])
def test_nothing_of_what_came_later_is_in_it(corpus: Corpus, cut: str) -> None:
    span = Span(until=parse_cut(cut))
    traces = load_traces(traces_folder(corpus, OWN, span))
    with (corpus.folder / "traces.csv").open() as stream:
        rows = [(int(row["time"]), row["url"]) for row in csv.DictReader(stream)]
    times = sorted(at for at, _ in rows)
    end = 1_700_092_800 if "-" in cut else [*times, 1 << 40][int(float(cut[:-1]) / 100 * len(times))]
    expected = sorted((at, there) for at, there in rows if at < end)
    assert (
        sorted((int(at), traces.urls[int(page)]) for at, page in zip(traces.at, traces.page, strict=True)) == expected
    )


def test_two_halves_are_the_whole_and_know_the_same_people(corpus: Corpus) -> None:
    middle = Cut(0.5)
    spans = Span(until=middle), Span(until=WHOLE, since=middle), Span(until=WHOLE)
    before, after, both = (load_traces(traces_folder(corpus, OWN, span)) for span in spans)
    assert len(before) + len(after) == len(both)
    assert before.at.max() < after.at.min()
    assert np.array_equal(before.users, after.users)


def test_it_is_made_once(corpus: Corpus) -> None:
    span = Span(until=Cut(0.5))
    folder = traces_folder(corpus, OWN, span)
    made = (folder / "traces.json").stat().st_mtime_ns
    assert traces_folder(corpus, OWN, span) == folder
    assert (folder / "traces.json").stat().st_mtime_ns == made
    assert not list(folder.parent.glob("*.csv")), "names of users are nowhere but in the corpus"


def test_what_cannot_be_cut(corpus: Corpus, tmp_path: Path) -> None:
    for text in ("0%", "101%", "half", "50"):
        with pytest.raises(UserError, match="no place to cut"):
            parse_cut(text)
    with pytest.raises(UserError, match="nobody went anywhere"):
        traces_folder(corpus, OWN, Span(until=parse_cut("2001-01-01")))
    other = open_corpus(write_labelled(tmp_path / "web"), jobs=1)
    with pytest.raises(UserError, match="has no traces"):
        traces_folder(other, OWN, Span(until=WHOLE))


def test_a_plan_takes_a_corpus_own_people(tmp_path: Path) -> None:
    assert parse_strategy("traces").traces == OWN
    assert parse_strategy("learning").traces == ""
    assert parse_strategy("learning:traces=simulated").traces == SIMULATED
    Plan(("traces", "combined", "learning:traces=own"))
    with pytest.raises(TopicError, match="does not go by people's traces"):
        Plan(("dfs:traces=own",))
    with pytest.raises(UserError, match="holds no traces"):
        Plan((f"traces:traces={tmp_path}",))


def test_simulated_readers_are_the_same_for_a_number_and_follow_links_or_jump(corpus: Corpus) -> None:
    one, again, other = simulated(corpus), simulated(corpus), simulated(corpus, 1)
    assert np.array_equal(one.page, again.page)
    assert np.array_equal(one.at, again.at)
    assert not np.array_equal(one.page[:50], other.page[:50])
    assert len(one.users) == PAGES // 4
    assert all(name.startswith("simulated-") for name in one.users)
    assert (np.diff(one.at) >= 0).all()
    own = load_traces(traces_folder(corpus, SIMULATED, Span(until=WHOLE)))
    assert {own.urls[page] for page in range(len(own.fingerprints))} <= {url(number) for number in range(PAGES)}


def test_simulated_readers_are_of_mixed_minds(corpus: Corpus) -> None:
    """Hardly anybody reads pages of one label alone; and popular pages are popular."""
    found = simulated(corpus)
    solar = np.isin(found.page, list(corpus.labels.pages["solar cells"]))
    shares = [solar[found.user == reader].mean() for reader in range(len(found.users)) if (found.user == reader).any()]
    assert np.mean([0 < share < 1 for share in shares]) > 0.6
    assert np.std(shares) > 0.1, "and yet they differ"


def test_readers_need_labels(tmp_path: Path) -> None:
    folder = write_labelled(tmp_path / "web")
    (folder / "labels.csv").unlink()
    with pytest.raises(UserError, match="has no labels"):
        simulated(open_corpus(folder, jobs=1))
