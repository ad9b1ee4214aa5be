"""Addresses of shared databases, and the password in one, which is nobody's but the user's: no record, message or
report gets it, and no other process sees it on a command line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

__all__ = [
    "DATABASE", "PUBLISH_LOGIN", "READ_FROM", "SCHEMES", "DatabaseParts", "completed", "database_parts", "located",
    "url_fault", "without_password",
]  # fmt: skip

DATABASE = "DOWSE_DATABASE"
"""The environment variable with a database's whole URL, password included: command lines are seen by others."""

PUBLISH_LOGIN = "publish_login"
"""The setting in a crawl's records that says: the address it is published to had a password."""
READ_FROM = "read_from"
"""The setting of records that were made of what a database has: which one, and where the rest is."""

SCHEMES = {"postgresql": "postgresql", "postgres": "postgresql", "mysql": "mysql", "mariadb": "mysql",
           "sqlite": "sqlite"}  # fmt: skip
"""How a URL begins -> whose dialect it speaks"""

_SECRET = frozenset(("password", "passwd", "sslpassword"))
_url = re.compile(r"(?P<scheme>[a-z]+)://(?:(?P<login>[^?]*)@)?(?P<place>[^?@]*)(?:\?(?P<query>[^@]*))?", re.DOTALL)
_port = re.compile(r"(?:\[[^\]/]*\]|[^:/[]*):(?P<port>[^/]+)")  # of a place
_other = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{0,30})://")
_plain = re.compile(r"[\w./ -]+\.(?:db|db3|sqlite|sqlite3)")  # what may be somebody's password is not repeated
_file = re.compile(r"(?P<scheme>sqlite)://(?P<login>)(?P<place>[^?]*)(?:\?(?P<query>.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class DatabaseParts:
    """A database's URL, taken apart."""

    scheme: str
    user: str | None
    password: str | None
    place: str  # host, port and name
    query: tuple[tuple[str, str], ...] = ()

    @property
    def dialect(self) -> str:
        return SCHEMES[self.scheme]

    @property
    def file(self) -> str | None:
        """The path of a SQLite file; None where it names none."""
        path = self.place[1:] if self.dialect == "sqlite" and self.place.startswith("/") else ""
        return path if path.strip("/") and path != ":memory:" else None

    @property
    def has_password(self) -> bool:
        return self.password is not None or any(name in _SECRET for name, _ in self.query)

    def shown(self) -> str:
        """The URL without what is secret in it."""
        login = "" if self.user is None else f"{self.user}@"
        query = urlencode([(name, value) for name, value in self.query if name not in _SECRET], safe="/,:")
        return f"{self.scheme}://{login}{self.place}{f'?{query}' if query else ''}"

    def secrets(self) -> list[str]:
        """What nobody may be shown."""
        return [value for value in (self.password, *(own for name, own in self.query if name in _SECRET)) if value]


def database_parts(text: str) -> DatabaseParts | None:
    """The parts of a database's URL; None when it is none. What ``/ ? @ :`` of a password may be taken for is not
    guessed: they are written as ``%2F`` and so on.

    >>> database_parts("postgresql://me:secret@db.example/webs?sslmode=require").shown()
    'postgresql://me@db.example/webs?sslmode=require'
    """
    match = _file.fullmatch(text) or _url.fullmatch(text)
    if match is None or match["scheme"] not in SCHEMES or (match["scheme"] != "sqlite" and not match["place"]):
        return None
    user, colon, password = (match["login"] or "").partition(":")
    query = tuple(parse_qsl(match["query"] or "", keep_blank_values=True))
    return DatabaseParts(match["scheme"], user or None, password if colon else None, match["place"], query)


def url_fault(text: str) -> str:
    """Why a text is no database's URL, without what may be a password in it; empty when it is one.

    >>> url_fault("oracle://h/d")
    'oracle:// is not one of postgresql://, mysql://, mariadb://, sqlite:///'
    """
    parts, other = database_parts(text), _other.match(text)
    if parts is not None:
        found = None if parts.dialect == "sqlite" else _port.match(parts.place)
        return "" if found is None or re.fullmatch("[0-9]{1,5}", found["port"]) else "the port is no number"
    if other is not None and other["scheme"] not in SCHEMES:
        return f"{other['scheme']}:// is not one of postgresql://, mysql://, mariadb://, sqlite:///"
    if _plain.fullmatch(text):
        return f"{text} is no database's URL: for a file write sqlite:///{text}"
    return (
        "this is no database's URL: write postgresql://user@host/name, mysql://user@host/name or sqlite:///file.db"
        " (in a name or password / ? @ : are %2F %3F %40 %3A)"
    )


def located(text: str, directory: Path) -> str:
    """The URL, with a SQLite file's path relative to this folder."""
    parts = database_parts(text)
    if parts is None or parts.file is None:
        return text
    before = len(f"{parts.scheme}:///")
    return text[:before] + str(directory / parts.file) + text[before + len(parts.file) :]


def without_password(text: str) -> str:
    """A database's URL as it may be written down and shown."""
    parts = database_parts(text)
    return text if parts is None else parts.shown()


def completed(text: str, environment: Mapping[str, str]) -> str:
    """The URL, with the password that the environment's URL of the same database has, where it has none itself."""
    parts, whole = database_parts(text), environment.get(DATABASE, "")
    known = database_parts(whole)
    if parts is None or known is None or parts.has_password or not known.has_password:
        return text
    same = (parts.dialect, parts.place) == (known.dialect, known.place) and parts.user in (None, known.user)
    return whole if same else text
