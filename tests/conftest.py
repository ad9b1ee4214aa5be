"""The same examples in every run; ``HYPOTHESIS_PROFILE=search`` looks for new ones. What was not run is told."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.needs import pytest_terminal_summary
from tests.servers import MARIADB, POSTGRESQL, DatabaseServer, mariadb, postgresql
from tests.store.shared.same import drop_all

__all__ = ["pytest_terminal_summary"]

settings.register_profile("steady", derandomize=True, deadline=None, database=None)
settings.register_profile("search", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[DatabaseServer]:
    server = postgresql()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def mariadb_server() -> Iterator[DatabaseServer]:
    server = mariadb()
    yield server
    server.remove()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=POSTGRESQL), pytest.param("mariadb", marks=MARIADB)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty database, of each kind."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'shared.db'}"
        return
    server: DatabaseServer = request.getfixturevalue(f"{request.param}_server")
    drop_all(server.url)
    yield server.url
    drop_all(server.url)
