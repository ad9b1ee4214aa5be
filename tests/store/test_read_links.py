from __future__ import annotations

from pathlib import Path

from dowse.model.batch import Batch
from dowse.model.records import CandidateRow
from dowse.store import CrawlReader, CrawlStore
from dowse.store.read_links import found_through, tunnel_pages
from tests.store.made import WALL, page, url


def test_tunnels_are_irrelevant_pages_that_led_to_relevant_ones(tmp_path: Path) -> None:
    parents = {0: None, 1: 0, 2: 1, 3: 1, 4: 0, 5: None, 6: 5, 7: 3, 8: 7}
    relevant = {2, 3, 4, 5, 6, 8}
    with CrawlStore.create(tmp_path, {}, WALL) as store:
        store.commit(Batch(
            candidates=[CandidateRow(n, url(n), 0, 0, parent, 0.5) for n, parent in parents.items()],
            pages=[page(n, relevant=None if n == 7 else n in relevant, score=None if n == 7 else 0.5) for n in parents],
        ))  # fmt: skip
    with CrawlReader(tmp_path) as reader:
        assert [(tunnel.page.id, tunnel.found) for tunnel in tunnel_pages(reader)] == [(1, 2), (0, 1)], (
            "7 was not judged"
        )
        assert [tunnel.page.id for tunnel in tunnel_pages(reader, 1)] == [1]
        assert found_through(reader, 1) == [url(2), url(3)]
        assert found_through(reader, 1, 1) == [url(2)]
