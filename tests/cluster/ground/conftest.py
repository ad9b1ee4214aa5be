"""A place for a common ground, of each kind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.ground.places import Place, postgres_place, sqlite_place
from tests.servers import POSTGRESQL, DatabaseServer


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=POSTGRESQL)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    if request.param == "sqlite":
        with sqlite_place(tmp_path / "ground.db") as found:
            yield found
        return
    server: DatabaseServer = request.getfixturevalue("postgres_server")
    with postgres_place(server.url) as found:
        yield found
