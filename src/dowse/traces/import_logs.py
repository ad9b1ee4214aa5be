"""Logs in, columns out: what ``dowse traces import`` does."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from dowse.model.errors import UserError
from dowse.model.files import PRIVATE_FILE, PRIVATE_FOLDER
from dowse.traces.access import Access, Bad, BadLine
from dowse.traces.columns import Imported, is_traces, write_imported
from dowse.traces.merge import merge_accesses, merge_urls, order_by_page
from dowse.traces.privacy import UserKey
from dowse.traces.readers import STANDARD_INPUT, read_log
from dowse.traces.rules import LeftOut, Pages
from dowse.traces.sessions import Limits
from dowse.traces.spool import Spool

__all__ = ["Reading", "Tell", "check_folder", "import_logs"]

_LIMITS = Limits()
_MOST_TEXT = 48_000_000  # characters of addresses in memory
_SHOWN = 300  # bytes of a bad line
Tell = Callable[[str, int, int], None]
"""Told how far which step is: the step, what is done, and of how much (0: nobody knows)."""


@dataclass(slots=True)
class Reading:
    """What was read so far. ``examples`` has the first bad line of each kind."""

    lines: int = 0
    bad: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    examples: dict[str, bytes] = field(default_factory=dict)
    kept: int = 0

    def add_bad(self, why: Bad, text: bytes) -> None:
        self.bad[why] += 1
        self.examples.setdefault(why, text)


def import_logs(
    logs: Sequence[Path], out: Path, key: UserKey, pages: Pages, tell: Tell, *, site: str = "",
    format: str | None = None, limits: Limits = _LIMITS, force: bool = False,
) -> tuple[Reading, Imported]:  # fmt: skip
    """Read logs and write the folder ``out``, which appears when it is whole. UserError when it cannot be written, when
    there is one already that was not said to be replaced (``force``), or when a log is of no known format."""
    check_folder(out, force=force)
    partial = out.with_name(f".{out.name}.{os.getpid()}.part")
    reading = Reading()
    try:
        with suppress(FileNotFoundError):
            shutil.rmtree(partial)
        spooled = partial / "spool"
        partial.mkdir(PRIVATE_FOLDER)
        spooled.mkdir(PRIVATE_FOLDER)
        spool = Spool(spooled, limits)
        for log in logs:
            _read(log, spool, key, pages, reading, site.encode(), format, tell)
        spool.write(pages.fresh)
        imported = _merged(spool, spooled, partial, limits, reading, key, pages, tell)
        shutil.rmtree(spooled)
        write_imported(partial, imported)
        for file in partial.iterdir():
            file.chmod(PRIVATE_FILE)
        if force and out.exists():
            shutil.rmtree(out)
        partial.rename(out)
    except OSError as error:
        raise UserError(f"cannot write {out}: {(error.strerror or str(error)).lower()}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return reading, imported


def check_folder(out: Path, *, force: bool) -> None:
    """UserError when there is something under this name that may not be replaced."""
    if not out.name or out.is_symlink():
        raise UserError(f"cannot write {out}: name a new folder")
    if not out.exists():
        if not out.parent.is_dir():
            raise UserError(f"cannot write {out}: there is no folder {out.parent}")
        return
    if not is_traces(out):
        raise UserError(f"{out} already exists and holds no traces: choose another name")
    if not force:
        raise UserError(f"{out} already exists: choose another name, or replace it with --force")


def _read(
    log: Path, spool: Spool, key: UserKey, pages: Pages, reading: Reading, site: bytes, format: str | None, tell: Tell
) -> None:
    """One log. This loop runs once a line: it is what an import takes its time for."""
    size = log.stat().st_size if log != STANDARD_INPUT and log.exists() else 0
    judge, number, left_out = pages.judge, key.number, reading.left_out

    def told(done: int) -> None:
        tell(f"reading {log.name}", done, size)

    lines = kept = 0
    for row in read_log(log, site, format, told):
        lines += 1
        if type(row) is BadLine:
            reading.add_bad(*row)
            continue
        assert type(row) is Access
        page = judge(row)
        if type(page) is int:
            spool.users.append(number(row.user))
            spool.at.append(row.at)
            spool.pages.append(page)
            kept += 1
            if spool.is_full or pages.fresh_length > _MOST_TEXT:
                spool.write(pages.fresh)
                pages.forget_fresh()
        elif type(page) is LeftOut:
            left_out[page] += 1
        else:
            assert type(page) is Bad
            reading.add_bad(page, row.url[:_SHOWN])
    reading.lines += lines
    reading.kept += kept


def _merged(
    spool: Spool, spooled: Path, out: Path, limits: Limits, reading: Reading, key: UserKey, pages: Pages, tell: Tell
) -> Imported:
    """The columns of all runs, and what became of what was read."""

    def step(name: str) -> Callable[[int, int], None]:
        return lambda done, total: tell(name, done, total)

    count = merge_urls(spooled, spool.runs, out, step("ordering pages"))
    left = merge_accesses(spooled, spool.runs, out, limits, step("ordering accesses"))
    order_by_page(out, count, step("ordering accesses by page"))
    repeats, beyond_day = spool.repeats + left.repeats, spool.beyond_day + left.beyond_day
    for rule, times in (
        (LeftOut.REPEAT, repeats), (LeftOut.DAY, beyond_day), (LeftOut.USER, left.beyond_all)
    ):  # fmt: skip
        if times:
            reading.left_out[rule] += times
    return Imported(
        key.mark, reading.lines, reading.kept - repeats - beyond_day - left.beyond_all,
        {str(why): times for why, times in reading.bad.items()},
        {str(why): times for why, times in reading.left_out.items()}, pages.keeps_queries, limits.a_day, limits.in_all,
    )  # fmt: skip
