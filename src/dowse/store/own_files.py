"""Which files of a crawl's folder are its records: nothing else may be written in their place."""

from __future__ import annotations

from pathlib import Path

from dowse.store.archive import archive_files
from dowse.store.crawl_store import LOCK
from dowse.store.gather import GATHERING
from dowse.store.ledger import LEDGER
from dowse.store.schema import DATABASE
from dowse.store.sharded import holds_crawl
from dowse.store.tables import LABELS

__all__ = ["is_record"]


def is_record(path: Path) -> bool:
    """Does a crawl keep, or would it keep, its records under this name? A file of that name elsewhere is none."""
    folder, name = path.parent, path.name
    named = name.startswith(DATABASE) or name.endswith(".warc.gz") or name in (LEDGER, LOCK, LABELS, GATHERING)
    return named and folder.is_dir() and (holds_crawl(folder) or bool(archive_files(folder)))
