"""The pages of a crawl, or of any folder of WARC files, as texts to be indexed: for the engine ``local``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import xxhash

from dowse.engine.exchange.recorded_exchange import read_response, target_of
from dowse.model.errors import UserError
from dowse.model.files import PRIVATE_FOLDER
from dowse.model.http import is_unwanted
from dowse.model.sniffing import true_type
from dowse.model.topic import Scope
from dowse.model.wanted_types import wanted_types
from dowse.parse import parse_page
from dowse.seeds.engines.local_index import Folder, PageText
from dowse.store.sharded import parts_of
from dowse.store.warc_records import RecordFile

__all__ = ["open_folder"]

_FORMAT = "2"  # of the index: another one is made anew
_KINDS = frozenset(("response", "resource"))


def open_folder(folder: Path) -> Folder:
    """A folder of pages, with the place of its index; UserError when there are none in it."""
    try:
        files = [
            path for part in parts_of(folder) for path in sorted(part.iterdir())
            if path.name.endswith((".warc", ".warc.gz"))
        ]  # fmt: skip
        about = [(str(path.relative_to(folder)), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    except OSError as error:
        raise UserError(f"local:{folder}: cannot read the folder: {(error.strerror or str(error)).lower()}") from None
    if not files:
        raise UserError(f"local:{folder}: there are no WARC files in it: name the folder of a crawl, or of a corpus")
    place = _digest(str(folder.resolve()))
    root = _cache()
    index = root / f"{place}-{_digest(repr((_FORMAT, about)))}.sqlite"
    if not index.exists():
        for other in root.glob(f"{place}-*.sqlite"):  # of the folder as it was
            with suppress(OSError):
                other.unlink()
    return Folder(index, lambda: _pages(files))


def _digest(text: str) -> str:
    return xxhash.xxh3_64_hexdigest(text.encode("utf-8", "surrogateescape"))


def _cache() -> Path:
    """The user's folder for indexes."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    root = (Path(home) if os.path.isabs(home) else Path(os.path.expanduser("~/.cache"))) / "dowse" / "local"
    try:
        root.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise UserError(f"cannot write to {root}: {why}; set XDG_CACHE_HOME to a folder for caches") from None
    return root


def _pages(files: list[Path]) -> Iterator[PageText]:
    """Every page once, in the order of the archive. What cannot be read is passed over."""
    seen: set[str] = set()
    wanted = wanted_types(Scope())  # all that can be read
    for path in files:
        for record in RecordFile(path):
            url = target_of(record) if record.kind in _KINDS else None
            if url is None or url in seen or url.endswith("/robots.txt"):
                continue
            response = read_response(record, url)
            if response is None or response.status != 200 or not response.body:
                continue
            kind = response.header("Content-Type") or ""
            if is_unwanted(kind, wanted.at(url)) or not wanted.take(true_type(kind, response.body)):
                continue
            seen.add(url)
            page = parse_page(response.body, url=url, content_type=kind)
            if not page.fault:
                yield PageText(url, page.title, page.text)
