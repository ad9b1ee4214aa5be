"""The stored form of traces: a folder of NumPy's files and one of JSON, mapped into memory when it is read.

==========================  ===========================================================================================
``traces.json``             the version of the format, and what was imported, in figures (see :class:`Imported`)
``users.npy``               uint64, a row a user: keyed hashes, rising
``starts.npy``              int64, a row a user and one more: where each one's accesses begin
``at.npy``, ``page.npy``    uint32, a row an access, by user, then time: seconds since 1970, and the page
``fingerprints.npy``        uint64, a row a page: of its URL, rising
``urls.text.npy``           uint8: all URLs, one behind the other; ``urls.ends.npy``, int64: where each ends
``by_page.npy``             uint32: the accesses in order of page; ``page_starts.npy``, int64: where each page's begin
==========================  ===========================================================================================

A folder from a stranger does no harm: what is no plain file is not opened, nothing in it is run, and what it says of
places is checked, so that a wrong one cannot point beyond what is there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.arrays import Strings, load_array
from dowse.model.errors import UserError
from dowse.model.files import check_plain, read_limited, write_whole
from dowse.model.traces import Traces

__all__ = ["FACTS", "VERSION", "Imported", "is_traces", "load_traces", "read_imported", "write_imported"]

VERSION = 1
FACTS = "traces.json"
_LARGEST_FACTS = 1 << 20
_TYPES: dict[str, type[np.generic]] = {
    "users": np.uint64, "starts": np.int64, "at": np.uint32, "page": np.uint32, "fingerprints": np.uint64,
    "by_page": np.uint32, "page_starts": np.int64, "urls.text": np.uint8, "urls.ends": np.int64,
}  # fmt: skip
_AT_ONCE = 1 << 20
_LONGEST_URL = 1 << 15  # one of 2,000 bytes, all of them escaped at length, is shorter


@dataclass(frozen=True, slots=True)
class Imported:
    """What was read and what became of it. ``key`` tells which key made users numbers, and nothing of that key."""

    key: str
    lines: int
    accesses: int
    bad: Mapping[str, int] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    queries: bool = True  # do URLs still have theirs?
    a_day: int = 50
    in_all: int = 10_000


def is_traces(folder: Path) -> bool:
    """Does a folder hold traces, of whatever version?"""
    return (folder / FACTS).is_file()


def write_imported(folder: Path, imported: Imported) -> None:
    """Written last of all: a folder without it is not taken for whole."""
    text = json.dumps({"version": VERSION, **asdict(imported)}, indent=1) + "\n"
    write_whole(folder / FACTS, lambda path: path.write_text(text, encoding="utf-8"), private=True)


def read_imported(folder: Path) -> Imported:
    """What a folder says of itself. UserError when it holds no traces, or those of another version."""
    if not is_traces(folder):
        raise UserError(f"{folder} holds no traces: make some with: dowse traces import LOG --out {folder}")
    check_plain(folder / FACTS, writes=False)
    try:
        facts = json.loads(read_limited(folder / FACTS, _LARGEST_FACTS, "traces"))
        if not isinstance(facts, dict):
            raise ValueError
        version = facts.pop("version")
        if version != VERSION:
            raise UserError(f"{folder} holds traces of version {version!r}, this Dowse reads {VERSION}: import again")
        return _checked(facts)
    except (ValueError, TypeError, KeyError, RecursionError):
        raise _damaged(folder, FACTS) from None


def _checked(facts: dict[str, Any]) -> Imported:
    found = Imported(**facts)
    counts = (found.lines, found.accesses, found.a_day, found.in_all, *found.bad.values(), *found.left_out.values())
    if not all(type(count) is int and 0 <= count < 1 << 53 for count in counts):
        raise ValueError
    if not isinstance(found.key, str) or not isinstance(found.queries, bool) or len(found.key) > 64:
        raise ValueError
    return found


def load_traces(folder: Path) -> Traces:
    """The columns of a folder, mapped into memory. UserError when they are not what they should be."""
    imported = read_imported(folder)
    try:
        columns = {name: _column(folder, name) for name in _TYPES}
        _check_places(columns)
        if len(columns["at"]) != imported.accesses:  # parts of two imports, say
            raise _Wrong(FACTS)
    except (OSError, ValueError, EOFError, TypeError, SyntaxError) as error:
        name = error.args[0] if type(error) is _Wrong else str(getattr(error, "filename", None) or "its columns")
        raise _damaged(folder, Path(name).name) from None
    text, ends = columns.pop("urls.text"), columns.pop("urls.ends")
    return Traces(**columns, urls=Strings(text, ends), key=imported.key)


class _Wrong(ValueError):
    """A column holds what cannot be; named by it."""


def _damaged(folder: Path, what: str) -> UserError:
    return UserError(f"the traces in {folder} are damaged ({what}): import the logs again")


def _column(folder: Path, name: str) -> NDArray[Any]:
    if not check_plain(folder / f"{name}.npy", writes=False):
        raise _Wrong(f"{name}.npy")
    try:
        found = load_array(folder, name)
    except Exception:  # whatever a file that somebody made up does to NumPy's reader of its header
        raise _Wrong(f"{name}.npy") from None
    if found.ndim != 1 or found.dtype != _TYPES[name]:
        raise _Wrong(f"{name}.npy")
    return found


def _check_places(columns: Mapping[str, NDArray[Any]]) -> None:
    """Sizes agree, what should rise does, and nothing points beyond what is there."""
    accesses, users, pages = (len(columns[name]) for name in ("at", "users", "fingerprints"))
    sizes = {
        "page": accesses, "by_page": accesses, "starts": users + 1, "page_starts": pages + 1, "urls.ends": pages,
    }  # fmt: skip
    for name, size in sizes.items():
        if len(columns[name]) != size:
            raise _Wrong(f"{name}.npy")
    for name, below in (("page", pages), ("by_page", accesses)):
        if any(int(some.max()) >= below for some in _pieces(columns[name])):
            raise _Wrong(f"{name}.npy")
    if any(int(some.max()) > 127 for some in _pieces(columns["urls.text"])):  # as canonical URLs are
        raise _Wrong("urls.text.npy")
    for name in ("users", "fingerprints"):
        if not all((some[1:] > some[:-1]).all() for some in _pieces(columns[name], 1)):
            raise _Wrong(f"{name}.npy")
    ends = ("starts", accesses), ("page_starts", accesses), ("urls.ends", len(columns["urls.text"]))
    for name, last in ends:
        found = columns[name]
        if not all((some[1:] >= some[:-1]).all() for some in _pieces(found, 1)):
            raise _Wrong(f"{name}.npy")
        if name != "urls.ends" and found[0] != 0:
            raise _Wrong(f"{name}.npy")
        if len(found) and (found[0] < 0 or found[-1] != last):
            raise _Wrong(f"{name}.npy")
    found = columns["urls.ends"]
    longest = max((int(np.diff(some).max(initial=0)) for some in _pieces(found, 1)), default=0)
    if longest > _LONGEST_URL or found[:1].sum() > _LONGEST_URL:
        raise _Wrong("urls.ends.npy")


def _pieces(column: NDArray[Any], more: int = 0) -> list[NDArray[Any]]:
    """Parts that are looked at one after the other, so that no copy of the whole is made."""
    return [column[start : start + _AT_ONCE + more] for start in range(0, len(column), _AT_ONCE)]
