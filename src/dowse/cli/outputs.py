"""Where a command may write the file that the user asked for."""

from __future__ import annotations

from pathlib import Path

from dowse.model.errors import UserError
from dowse.model.files import check_writable

__all__ = ["check_out"]


def check_out(out: Path, *, force: bool) -> None:
    """UserError when the file cannot be written, or may not: what exists is overwritten by ``force`` only, and the
    records of a crawl never. Asked before long work, not after it."""
    from dowse.store.own_files import is_record  # commands that end before need not load it

    if is_record(out):
        raise UserError(f"{out} is a record of the crawl in {out.parent}: choose another name")
    check_writable(out, force=force)
