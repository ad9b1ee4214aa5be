"""Opens shared databases: what a URL names, with the login that the environment has for it."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from dowse.model.database_url import DATABASE, DatabaseParts, completed, database_parts, url_fault
from dowse.model.errors import UserError
from dowse.store.own_files import is_record
from dowse.store.shared.tables import SHARED

if TYPE_CHECKING:
    from dowse.store.shared.server import Server

__all__ = ["EXTRA", "check_database", "open_server"]

EXTRA = 'pip install "dowse[databases]"'
_NEEDED = {"postgresql": ("sqlalchemy", "psycopg"), "mysql": ("sqlalchemy", "pymysql"), "sqlite": ("sqlalchemy",)}
_MAGIC = b"SQLite format 3\0"

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
    not installed, or a SQLite file can never be one. Nothing is loaded, and no server is asked."""
    if fault := url_fault(text):
        raise UserError(fault)
    if (known := os.environ.get(DATABASE)) and (fault := url_fault(known)):
        raise UserError(f"the environment variable {DATABASE}: {fault}")
    url = completed(text, os.environ)
    parts = database_parts(url)
    assert parts is not None
    if parts.dialect == "sqlite":
        _check_file(parts)
    odd = [name for name, _ in parts.query if name not in _PARAMETERS[parts.dialect]]
    if odd:
        known = ", ".join(sorted(_PARAMETERS[parts.dialect])) or "none"
        raise UserError(f"{parts.shown()}: {odd[0]!r} is no parameter that can be given: there are {known}")
    missing = [name for name in _NEEDED[parts.dialect] if find_spec(name) is None]
    if missing:
        raise UserError(f"{parts.scheme}:// needs {' and '.join(missing)}: {EXTRA}")
    return parts, url


def _check_file(parts: DatabaseParts) -> None:
    shown = parts.shown()
    if parts.place == "/:memory:":
        raise UserError(f"{shown} is gone when Dowse ends: name a file, as in sqlite:///file.db")
    if parts.file is None:
        raise UserError(f"{shown} names no file: write sqlite:///file.db, or sqlite:////whole/path/file.db")
    path = Path(parts.file)
    if is_record(path):
        raise UserError(f"{shown} is a record of a crawl: name another file")
    try:
        if path.is_dir():
            raise UserError(f"{shown}: {path} is a folder")
        if not path.parent.is_dir():
            raise UserError(f"{shown}: there is no folder {path.parent}")
        if path.exists() and not _may_be_sqlite(path):
            raise UserError(f"{shown}: file is not a database")
    except OSError as error:
        raise UserError(f"{shown}: {(error.strerror or 'unreadable').lower()}") from None


def _may_be_sqlite(path: Path) -> bool:
    """It is empty, as one that was only just made, or begins like one."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        start = file.read(len(_MAGIC))
    return start in (b"", _MAGIC)


def open_server(text: str, *, must_exist: bool = False) -> Server:
    """The database behind a URL. Nobody is asked yet; UserError as :func:`check_database` raises it. A SQLite file is
    made where there is none, unless it ``must_exist``."""
    parts, url = check_database(text)
    if must_exist and parts.file is not None and not Path(parts.file).is_file():
        raise UserError(f"{parts.shown()}: there is no such file")
    from dowse.store.shared.server import Server  # only here: it takes half a second to load

    return Server(parts, url, SHARED)
