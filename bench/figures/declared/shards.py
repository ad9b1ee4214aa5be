"""What several engines find beside one, and what it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bench.figures.declared.costs import FRONTIER, LEARNING, SPEED
from bench.figures.declared.verdicts import kept_numbers
from bench.figures.figure import Figure, Measurement
from bench.figures.tables import number, table
from bench.scale import CORES, URLS, Constants, cores, crawl

__all__ = ["SHARDS"]


def _kept(told: Mapping[str, Any]) -> dict[str, Any]:
    rows = [{name: value if name == "who" else number(value) for name, value in row.items()} for row in told["rows"]]
    return {"crawls": told["crawls"], "rows": rows}


_DOCSWEB = Measurement(
    "shards-docsweb",
    "python -m bench.shards docsweb database python net graphics java os web devtools --sets 1 --shards 2,4,8", 4.0,
    _kept, cores=1,
)  # fmt: skip

_MADE = Measurement(
    "shards-made",
    "python -m bench.shards made perovskite silicon wind railways gardening baking --sets 1 --requests 2000"
    " --shards 2,4,8 --ways 8", 9.0, _kept, cores=1,
)  # fmt: skip


def _table(found: Sequence[Any]) -> str:
    [one] = found
    rows = [
        [
            row["who"], f"{row['harvest']:.3f}", f"{row['harvest of one']:.0%} ± {row['harvest error']:.0%}",
            f"{row['area']:.3f}", f"{row['area of one']:.0%} ± {row['area error']:.0%}",
        ]
        for row in one["rows"]
    ]  # fmt: skip
    return table(["", "harvest rate", "of one engine", "area", "of one engine"], rows)


_ENGINES = Measurement("shards-engines", "python -m bench.engines", 2.5, kept_numbers)
_EXCHANGE = Measurement("shards-exchange", "python -m bench.exchange docsweb", 1.5, kept_numbers)
_EXCHANGE_MADE = Measurement("shards-exchange-made", "python -m bench.exchange made", 8.0, kept_numbers)
_MAIL = Measurement("shards-mail", "python -m bench.mail", 1.0, kept_numbers)
_BEATS = Measurement("shards-beats", "python -m bench.beats", 0.6, kept_numbers)
_SIMULATION = Measurement("shards-simulation", "python -m bench.simulation", 0.5, kept_numbers, cores=1)
_MILLIONS = Measurement(
    "shards-simulation-10m", "python -m bench.simulation --urls 10000000 --pages-per-s 2000", 9.0, kept_numbers, cores=1
)
_RECORDS = Measurement("shards-records", "python -m bench.scale --records", 0.2, kept_numbers, cores=1)


def _engines(found: Sequence[Any]) -> str:
    [one] = found
    rows = [
        [
            row["way"], f"{row['pages_per_s']:,.0f}", f"{row['cpu_ms']:.2f}", f"{row['harvest']:.3f}",
            f"{row['memory_bytes'] / 1e6:,.0f}",
        ]
        for row in one["ways"]
    ]  # fmt: skip
    shown = table(["", "pages/s", "CPU ms a page", "harvest rate", "memory, MB"], rows)
    return f"{shown}\n\n{one['pages']:,} pages of 7 sites; the best of {one['rounds']} rounds that take turns."


def _exchange(found: Sequence[Any]) -> str:
    *crawls, speed = found
    profile = speed["profiles"]["dowse-learning"]
    whole = 1e3 * profile["cpu_s"] / profile["pages"]
    rows = [
        [
            web, f"{one['pages']:,}", f"{one['tells']:,}", f"{one['tell_ms']:.2f}", f"{one['takes']:,}",
            f"{one['take_ms']:.2f}", f"{one['told_bytes'] / 1e3:,.0f}", f"{one['exchange_ms']:.4f}",
            f"{one['exchange_ms'] / whole:.1%}",
        ]
        for web, one in zip(("recorded", "made"), crawls, strict=True)
    ]  # fmt: skip
    heads = [
        "web", "pages", "told", "CPU ms each", "taken up", "CPU ms each", "at most, kB", "CPU ms a page", "of a page"
    ]  # fmt: skip
    letters = crawls[0]
    return (
        f"{table(heads, rows)}\n\n{letters['shards']} shards crawl all of a web. The last column is the share of the"
        f" {whole:.2f} ms that a page takes in a [crawl](performance.md#speed). Where all links are followed, and each"
        f" site is another shard's, a page of the recorded web writes {letters['letters_a_page']:.1f} letters of"
        f" {letters['letter_bytes']:.0f} bytes."
    )


def _ground(found: Sequence[Any]) -> str:
    mail, beats = found
    rows = [
        [
            one["database"], f"{one['posted_per_s']:,.0f}", f"{one['received_per_s']:,.0f}", f"{one['cpu_us']:.1f}",
            f"{one['server_us']:.1f}" if one["server_us"] else "",
        ]
        for one in mail["databases"]
    ]  # fmt: skip
    letters = table(["letters", "posted a second", "received and noted", "µs of the shards", "µs of the server"], rows)
    rows = [
        [one["kind"], f"{one['server_ms']:.2f}", f"{one['shard_ms']:.2f}", f"{one['held_ms']:.2f}",
         f"{one['server_ms'] * beats['shards'] / 1e3:.0%}"]
        for one in beats["rows"]
    ]  # fmt: skip
    heads = [
        "a shard's second", "CPU ms of PostgreSQL", "of the shard", "ms that the crawl's row is waited for and kept",
        f"of a core, for {beats['shards']} shards",
    ]  # fmt: skip
    return f"{letters}\n\n{table(heads, rows)}"


def _simulation(found: Sequence[Any]) -> str:
    rows = [
        [
            f"{one['urls']:,}", f"{one['shards']}", f"{one['deaths']}", f"{one['letters_a_page']:.2f}",
            f"{one['largest_over_mean']:.1f}", f"{one['ground_bytes'] / 1e6:.0f}",
            f"{one['ground_ms_a_shard_s']:.1f}", f"{one['cpu_s'] / 60:.1f}",
        ]
        for one in found
    ]  # fmt: skip
    heads = [
        "URLs", "shards", "deaths", "letters a page", "largest shard over the mean", "ground at most, MB",
        "CPU ms of the ground a shard's second", "CPU minutes in all",
    ]  # fmt: skip
    return table(heads, rows, left=0)


def _scale(found: Sequence[Any]) -> str:
    names = [one.name for one in _SCALE]
    constants = Constants.of(dict(zip(names, found, strict=True)))
    crawls = [crawl(constants, urls) for urls in URLS]

    def row(head: str, name: str, form: str = "{:,.0f}") -> list[str]:
        return [head, *(form.format(one[name]) for one in crawls)]

    first = table(["URLs known", *(f"{urls:,}" for urls in URLS)], [
        row("pages fetched, one of ten", "pages"), row("shards, of 16 GB for URLs", "shards"),
        row("memory of all, GB", "memory_gb"), row("records on disk, GB", "records_gb"),
        row("WARC files, GB", "warc_gb"), row("CPU hours", "cpu_h"),
        row("of which to learn from others", "exchange", "{:.2%}"),
        row("hours, with two cores a shard", "hours", "{:,.1f}"), row("letters", "letters"),
        row("of which on the ground in all, GB", "letters_gb", "{:,.1f}"),
        row("a second and shard", "letters_per_s"), row("cores of PostgreSQL for beats", "postgresql_beats", "{:.2f}"),
        row("for letters", "postgresql_mail", "{:.2f}"),
    ])  # fmt: skip
    second = table(
        ["cores", "one engine, pages/s", "cores that it uses", "shards with a worker each", "that parse by themselves"],
        [
            [f"{one['cores']}", f"{one['one']:,.0f}", f"{one['one_uses']:.1f}",
             f"{one['with_workers']:,.0f}" if one["shards"] > 1 else "", f"{one['by_themselves']:,.0f}"]
            for one in (cores(constants, count) for count in CORES)
        ],
    )  # fmt: skip
    return f"{first}\n\n{second}"


_MOVING = Measurement("moving-sites", "python -m bench.moving", 0.5, lambda told: told["rows"], cores=1)


def _moved(found: Sequence[Any]) -> str:
    [rows] = found
    told = [
        [f"`--sites {row['sites']}`", f"{row['pages']:,}", f"{row['requests']:,}", f"{row['load']:.2f}",
         f"{row['seconds']:.0f} s"]
        for row in rows
    ]  # fmt: skip
    return table(["", "pages", "requests", "most over mean", "time"], told)


_SCALE = (SPEED, FRONTIER, LEARNING, _ENGINES, _EXCHANGE, _MAIL, _BEATS, _RECORDS)

SHARDS: tuple[Figure, ...] = (
    Figure("shards-made", "docs/cluster.md", (_MADE,), _table),
    Figure("shards", "docs/cluster.md", (_DOCSWEB,), _table),
    Figure("shards-engines", "docs/cluster.md", (_ENGINES,), _engines),
    Figure("shards-exchange", "docs/cluster.md", (_EXCHANGE, _EXCHANGE_MADE, SPEED), _exchange),
    Figure("shards-ground", "docs/cluster.md", (_MAIL, _BEATS), _ground),
    Figure("shards-simulation", "docs/cluster.md", (_SIMULATION, _MILLIONS), _simulation),
    Figure("shards-scale", "docs/cluster.md", _SCALE, _scale),
    Figure("moving-sites", "docs/cluster.md", (_MOVING,), _moved),
)
