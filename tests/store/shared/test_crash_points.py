"""Publication that dies at any statement, any number of times, against a dictionary."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.model.batch import Batch
from dowse.store import CrawlStore
from dowse.store.final_verdicts import NewVerdict, write_verdicts
from dowse.store.shared.connect import open_server
from dowse.store.shared.publication import Publication
from dowse.store.shared.server import DatabaseAway
from tests.store.made import WALL, batch, page
from tests.store.shared.same import asked, check_same

MOST = 3  # changes a step
AFTER = "after the commit"

recorded = st.tuples(st.just("record"), st.lists(st.integers(0, 9), min_size=1, max_size=5, unique=True))
judged = st.tuples(st.just("judge"), st.dictionaries(st.integers(0, 9), st.floats(0.0, 1.0), min_size=1, max_size=4))
step = st.tuples(st.just("publish"), st.one_of(st.none(), st.integers(0, 8), st.just(AFTER)))
deeds = st.lists(st.one_of(recorded, judged, step, step), max_size=15)


class Crashes:
    """Lets a server die before its nth statement (a commit counts), or after the commit, whose answer gets lost."""

    def __init__(self, publication: Publication) -> None:
        self.left: int | None = None
        self.after = False
        engine = publication.server._engine
        sa.event.listen(engine, "before_cursor_execute", self._count)
        sa.event.listen(engine, "commit", self._count)

    def _count(self, *_: Any) -> None:
        if self.left is not None:
            if self.left == 0:
                raise OSError("crash")
            self.left -= 1

    def at(self, when: int | str | None) -> None:
        self.left, self.after = when if isinstance(when, int) else None, when == AFTER


class Model:
    """What should be where: told from the rules alone."""

    def __init__(self) -> None:
        self.folder: dict[int, tuple[str, float]] = {}  # page -> title, score
        self.changes: list[int] = []
        self.database: dict[int, tuple[str, float]] = {}
        self.mark = 0

    def step(self) -> None:
        for changed in self.changes[self.mark : self.mark + MOST]:
            self.database[changed] = self.folder[changed]
        self.mark = min(len(self.changes), self.mark + MOST)


def publish(publication: Publication, crashes: Crashes, when: int | str | None) -> bool:
    """One step; did it come to its commit?"""
    crashes.at(when)
    try:
        publication.step()
    except DatabaseAway:
        return False
    finally:
        crashes.at(None)
    return True


@settings(max_examples=60)
@given(deeds)
def test_no_crash_loses_or_doubles_a_row(deeds: list[tuple[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder, database, model = Path(place) / "crawl", f"sqlite:///{place}/shared.db", Model()
        with CrawlStore.create(folder, {}, WALL) as store:
            publication = Publication(folder, open_server(database), lambda: WALL, MOST)
            publication.step()  # makes the tables: the statements below are those of steps alone
            crashes = Crashes(publication)
            for number, (deed, what) in enumerate(deeds):
                if deed == "record":
                    store.commit(Batch(pages=[page(id, title=f"{number}", score=0.5) for id in what]))
                    model.changes += what
                    model.folder.update((id, (f"{number}", 0.5)) for id in what)
                elif deed == "judge":
                    scores = {id: score for id, score in what.items() if id in model.folder}
                    write_verdicts(store, [NewVerdict(id, score, score > 0.5) for id, score in scores.items()], 1, {})
                    model.changes += scores
                    model.folder.update((id, (model.folder[id][0], score)) for id, score in scores.items())
                elif publish(publication, crashes, what):
                    model.step()
                    if what == AFTER:  # whoever published does not know: another one goes on
                        publication.close()
                        publication = Publication(folder, open_server(database), lambda: WALL, MOST)
                        publication.server.prepare()
                        publication._prepared = True
                        crashes = Crashes(publication)
                assert in_it(database) == (model.mark, model.database)
            while publication.step():
                pass
            publication.close()
        check_same(database, folder)


def test_a_step_holds_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    """Each of its statements, one after the other."""
    database, folder = f"sqlite:///{tmp_path / 's.db'}", tmp_path / "crawl"
    with CrawlStore.create(folder, {}, WALL) as store:
        publication = Publication(folder, open_server(database), lambda: WALL)
        publication.step()
        store.commit(batch(0))
        crashes, before = Crashes(publication), in_it(database)
        died = 0
        while not publish(publication, crashes, died):
            assert in_it(database) == before
            died += 1
        assert died >= 5, "BEGIN, the mark, sites, pages, the new mark, COMMIT"
        publication.close()
    check_same(database, folder)


def in_it(database: str) -> tuple[int, dict[int, tuple[str, float]]]:
    with suppress(sa.exc.OperationalError):  # no table yet
        marks = asked(database, "SELECT mark FROM crawls")
        pages = asked(database, "SELECT id, title, score FROM pages")
        assert len({row["id"] for row in pages}) == len(pages)
        return sum(row["mark"] for row in marks), {row["id"]: (row["title"], row["score"]) for row in pages}
    return 0, {}


def test_two_publishers_of_one_crawl_take_turns(tmp_path: Path, database: str) -> None:
    folder = tmp_path / "crawl"
    with CrawlStore.create(folder, {}, WALL) as store:
        publishers = [Publication(folder, open_server(database), lambda: WALL, 2) for _ in range(2)]
        store.commit(Batch(pages=[page(n) for n in range(9)]))
        for turn in range(6):
            publishers[turn % 2].step()
        for publisher in publishers:
            assert publisher.pages < 9, "what the other one has published is not published again"
            publisher.close()
    check_same(database, folder)


def test_a_row_that_the_database_does_not_take_stops_nothing_before_it(tmp_path: Path) -> None:
    """A fault that lasts is told each time; what was published stays."""
    database, folder = f"sqlite:///{tmp_path / 's.db'}", tmp_path / "crawl"
    with CrawlStore.create(folder, {}, WALL) as store:
        publication = Publication(folder, open_server(database), lambda: WALL)
        publication.step()
        engine = sa.create_engine(database)
        with engine.begin() as connection:
            connection.execute(sa.text("CREATE UNIQUE INDEX mine ON pages (title)"))
        engine.dispose()
        store.commit(Batch(pages=[page(0)]))
        publication.step()
        store.commit(Batch(pages=[page(1, title="Page 0")]))
        for _ in range(2):
            with pytest.raises(DatabaseAway, match="UNIQUE"):
                publication.step()
        assert [row["id"] for row in asked(database, "SELECT id FROM pages")] == [0]
        assert publication.lag() == 1
        publication.close()
