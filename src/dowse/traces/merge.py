"""Runs become columns: all in order, part by part, so that no more than a part is in memory.

Users and fingerprints are hashes: a range of them holds about the same share of every run. Such ranges are the parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from dowse.model.arrays import ArrayFile, load_array, read_part
from dowse.model.traces import runs as begins
from dowse.traces.sessions import Limits, Sifted, sift
from dowse.traces.spool import Run

__all__ = ["merge_accesses", "merge_urls", "order_by_page"]

_A_PART = 500_000
_TEXT = 1 << 26  # bytes of addresses in a part
_AT_ONCE = 1 << 18
_ALL = 1 << 64

Tell = Callable[[int, int], None]
Slices = list[tuple[Run, slice]]


def _parts(folder: Path, runs: list[Run], column: str, a_part: int, least: int = 1) -> Iterator[Slices]:
    """Ranges of a sorted column of hashes: of each run, which rows are in it. ``least`` of them at least."""
    keys = [load_array(folder, run.named(column)) for run in runs]  # a few pages of each are looked at
    count = max(least, -(-sum(map(len, keys)) // a_part))
    starts = [0] * len(runs)
    for part in range(1, count + 1):
        limit = part * _ALL // count
        ends = [len(key) if part == count else int(np.searchsorted(key, np.uint64(limit))) for key in keys]
        yield [(run, slice(start, end)) for run, start, end in zip(runs, starts, ends, strict=True)]
        starts = ends


def _total(folder: Path, runs: list[Run], column: str) -> int:
    return sum(len(load_array(folder, run.named(column))) for run in runs)


def _gathered(folder: Path, column: str, dtype: DTypeLike, slices: Slices) -> NDArray[Any]:
    return np.concatenate([read_part(folder, run.named(column), dtype, rows) for run, rows in slices])


def merge_urls(folder: Path, runs: list[Run], out: Path, tell: Tell, a_part: int = _A_PART) -> int:
    """Write ``fingerprints`` and ``urls``, each URL once; how many there are."""
    total, done = _total(folder, runs, "fingerprints"), 0
    with (
        ArrayFile(out, "fingerprints", np.uint64) as fingerprints,
        ArrayFile(out, "urls.text", np.uint8) as text,
        ArrayFile(out, "urls.ends", np.int64) as text_ends,
    ):
        for slices in _parts(folder, runs, "fingerprints", a_part, 1 + _total(folder, runs, "text") // _TEXT):
            marks = _gathered(folder, "fingerprints", np.uint64, slices)
            found, first = np.unique(marks, return_index=True)
            texts, starts, ends = _texts(folder, slices)
            which = zip(starts[first].tolist(), ends[first].tolist(), strict=True)
            urls = b"".join([texts[start:end] for start, end in which])
            text_ends.append(np.cumsum(ends[first] - starts[first]) + len(text))
            text.append(np.frombuffer(urls, np.uint8))
            fingerprints.append(found)
            done += len(marks)
            tell(done, total)
        return len(fingerprints)


def _texts(folder: Path, slices: Slices) -> tuple[bytes, NDArray[np.int64], NDArray[np.int64]]:
    """The URLs of some rows, one behind the other, and where each begins and ends."""
    texts: list[bytes] = []
    bounds: list[NDArray[np.int64]] = []
    length = 0
    for run, rows in slices:
        if rows.stop > rows.start:
            first = max(0, rows.start - 1)
            ends = read_part(folder, run.named("ends"), np.int64, slice(first, rows.stop))
            ends = ends if rows.start else np.concatenate((np.zeros(1, np.int64), ends))
            texts.append(read_part(folder, run.named("text"), np.uint8, slice(int(ends[0]), int(ends[-1]))).tobytes())
            bounds.append(np.stack((ends[:-1], ends[1:])) - ends[0] + length)
            length += len(texts[-1])
    starts, ends = np.concatenate(bounds, axis=1) if bounds else np.zeros((2, 0), np.int64)
    return b"".join(texts), starts, ends


def merge_accesses(
    folder: Path, runs: list[Run], out: Path, limits: Limits, tell: Tell, a_part: int = _A_PART
) -> Sifted:
    """Write ``users``, ``starts``, ``at`` and ``page``; how many accesses were left out. The URLs are there already."""
    fingerprints = load_array(out, "fingerprints")
    total, done, left = _total(folder, runs, "users"), 0, [0, 0, 0]
    with (
        ArrayFile(out, "users", np.uint64) as users, ArrayFile(out, "starts", np.int64) as starts,
        ArrayFile(out, "at", np.uint32) as at, ArrayFile(out, "page", np.uint32) as page,
    ):  # fmt: skip
        for slices in _parts(folder, runs, "users", a_part):
            who = _gathered(folder, "users", np.uint64, slices)
            when = _gathered(folder, "at", np.uint32, slices)
            found = sift(who, when, _gathered(folder, "pages", np.uint64, slices), limits, whole=True)
            left = [a + b for a, b in zip(left, (found.repeats, found.beyond_day, found.beyond_all), strict=True)]
            first = np.flatnonzero(begins(found.users))
            users.append(found.users[first])
            starts.append(first + len(at))
            at.append(found.at)
            page.append(np.searchsorted(fingerprints, found.pages).astype(np.uint32))
            done += sum(some.stop - some.start for _, some in slices)
            tell(done, total)
        starts.append([len(at)])
    nothing = np.zeros(0, np.uint64)
    return Sifted(nothing, np.zeros(0, np.uint32), nothing, *left)


def order_by_page(out: Path, pages: int, tell: Tell) -> None:
    """Write ``by_page`` and ``page_starts``: the accesses in order of page, those to one in order of user and time.
    Each page's places are counted out first, then filled from the first access to the last."""
    page = load_array(out, "page")
    counts = np.zeros(pages, np.int64)
    for start in range(0, len(page), _AT_ONCE):
        some, times = np.unique(page[start : start + _AT_ONCE], return_counts=True)
        counts[some] += times
    place = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    with ArrayFile(out, "page_starts", np.int64) as starts:
        starts.append(place)
    with ArrayFile(out, "by_page", np.uint32) as file:  # its size is known: it is filled in no order
        for start in range(0, len(page), _AT_ONCE):
            file.append(np.zeros(min(_AT_ONCE, len(page) - start), np.uint32))
    if not len(page):
        return
    by_page = np.load(out / "by_page.npy", mmap_mode="r+")
    for start in range(0, len(page), _AT_ONCE):
        some = page[start : start + _AT_ONCE]
        order = np.argsort(some, kind="stable")
        ordered = some[order]
        first = np.flatnonzero(begins(ordered))
        times = np.diff(np.append(first, len(ordered)))
        rank = np.arange(len(ordered)) - np.repeat(first, times)
        by_page[place[ordered] + rank] = order + start
        place[ordered[first]] += times
        tell(min(len(page), start + _AT_ONCE), len(page))
    by_page.flush()
