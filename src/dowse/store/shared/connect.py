"""Opens shared databases: what a URL names, with the login that the environment has for it."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from dowse.model.database_url import DatabaseParts, completed, database_parts
from dowse.model.errors import UserError
from dowse.store.own_files import is_record
from dowse.store.shared.tables import SHARED

if TYPE_CHECKING:
    from dowse.store.shared.server import Server

__all__ = ["EXTRA", "check_database", "open_server"]

EXTRA = 'pip install "dowse[databases]"'
_NEEDED = {"postgresql": ("sqlalchemy", "psycopg"), "mysql": ("sqlalchemy", "pymysql"), "sqlite": ("sqlalchemy",)}


# Others are refused: a URL may come with a stranger's topic or folder, and drivers have parameters that read files.
_PARAMETERS = {
    "postgresql": frozenset((
        "channel_binding", "connect_timeout", "gssencmode", "host", "hostaddr", "options", "password", "port",
        "sslcert", "sslcrl", "sslkey", "sslmode", "sslpassword", "sslrootcert", "target_session_attrs",
    )),
    "mysql": frozenset((
        "connect_timeout", "password", "read_timeout", "ssl_ca", "ssl_cert", "ssl_check_hostname", "ssl_key",
        "ssl_verify_cert", "ssl_verify_identity", "unix_socket", "write_timeout",
    )),
    "sqlite": frozenset(),
}  # fmt: skip


def check_database(text: str) -> tuple[DatabaseParts, str]:
    """The parts of a database's URL, and the URL to open it by. UserError when it is none, or what is needed for it is
    not installed. Nothing is loaded, and nobody is asked."""
    url = completed(text, os.environ)
    parts = database_parts(url)
    if parts is None:
        raise UserError(
            "this is no database's URL: write postgresql://user@host/name, mysql://user@host/name or"
            " sqlite:///file.db; in a name or password write / ? @ : as %2F %3F %40 %3A"
        )
    if parts.dialect == "sqlite" and not parts.place.strip("/"):
        raise UserError(f"{parts.shown()} names no file: write sqlite:///file.db, or sqlite:////whole/path/file.db")
    if parts.dialect == "sqlite" and is_record(Path(parts.place[1:])):
        raise UserError(f"{parts.shown()} is a record of a crawl: name another file")
    odd = [name for name, _ in parts.query if name not in _PARAMETERS[parts.dialect]]
    if odd:
        known = ", ".join(sorted(_PARAMETERS[parts.dialect])) or "none"
        raise UserError(f"{parts.shown()}: {odd[0]!r} is no parameter that can be given: there are {known}")
    missing = [name for name in _NEEDED[parts.dialect] if find_spec(name) is None]
    if missing:
        raise UserError(f"{parts.scheme}:// needs {' and '.join(missing)}: {EXTRA}")
    return parts, url


def open_server(text: str, *, must_exist: bool = False) -> Server:
    """The database behind a URL. Nobody is asked yet; UserError as :func:`check_database` raises it. A SQLite file is
    made where there is none, unless it ``must_exist``."""
    parts, url = check_database(text)
    if must_exist and parts.dialect == "sqlite" and not Path(parts.place[1:]).is_file():
        raise UserError(f"{parts.shown()}: there is no such file")
    from dowse.store.shared.server import Server  # only here: it takes half a second to load

    return Server(parts, url, SHARED)
