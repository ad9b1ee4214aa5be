"""Where the time of a crawl went, by the stages of the paper."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection
from math import fsum, isfinite

from dowse.store.damage import asked
from dowse.store.read import CrawlReader
from dowse.store.times import seconds
from dowse.store.views import Stage, StageTimes

__all__ = ["stage_times"]


@asked
def stage_times(crawl: CrawlReader, sites: Collection[int] | None = None) -> StageTimes:
    """Where the time went, over the pages that brought a response, of these ``sites`` (None: of all); those from a
    cache took none on the way.

    As in the paper, *connection* ends with the response's headers (name look-up, connecting, waiting for the
    server), *download* is the rest of the transfer, *processing* is parsing and judging.
    """
    source = "pages WHERE status > 0 AND cached_from IS NULL"
    if sites is not None:
        chosen = ", ".join(str(int(number)) for number in sites)
        source += f" AND id IN (SELECT id FROM candidates WHERE site IN ({chosen}))"
    [(pages, *sums)] = crawl._ask(
        "SELECT count(*), total(dns_s), total(connect_s), total(max(0, first_byte_s - dns_s - connect_s)),"
        " total(max(0, total_s - first_byte_s)), total(parse_s), total(judge_s)"
        f" FROM {source}"
    )
    if not all(map(isfinite, sums)):
        raise ValueError("a page took no finite time")
    dns, connect, wait, transfer, parse, judge = sums
    overall = sum(sums)

    def stage(name: str, total_s: float) -> Stage:
        return Stage(name, total_s, total_s / pages if pages else 0.0, total_s / overall if overall else 0.0)

    return StageTimes(
        pages,
        (
            stage("connection", dns + connect + wait),
            stage("download", transfer),
            stage("processing", parse + judge),
            stage("overall", overall),
        ),
        tuple(map(stage, ("dns", "connect", "wait", "transfer", "parse", "judge"), sums)),
        _wall_s(crawl, source),
    )


def _wall_s(crawl: CrawlReader, source: str) -> float:
    """Seconds from the first request for one of these pages to the end of the last, without what lies between two
    runs."""
    starts = sorted(seconds(start) for (start,) in crawl._ask("SELECT started_at FROM runs"))
    spans: dict[int, tuple[float, float]] = {}
    for when, took_s in crawl._ask(f"SELECT fetched_at, total_s + parse_s + judge_s FROM {source}"):
        begun = seconds(when)
        run = bisect_right(starts, begun)
        first, last = spans.get(run, (begun, begun))
        spans[run] = min(first, begun), max(last, begun + took_s)
    return fsum(last - first for first, last in spans.values())
