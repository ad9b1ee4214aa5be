"""Selective recrawl, measured on webs whose truth is known and that change from day to day.

Table 1 of the paper (what each way to recrawl fetches and finds), and, where there are versions, the later-crawl test:
plans learned on one day, used on later ones. Pages are walked through as by a full crawl, at most 2,000 a site; bytes
are those of their HTML.

    python -m bench.recrawl listings --sites 150 --current 6000 --json found.json --out curves.svg
    python -m bench.recrawl my-corpora/conferences
    python -m bench.recrawl my-corpora/docsweb
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

from dowse.lab.corpus.corpus import open_corpus
from dowse.lab.draw.picture_file import save_picture
from dowse.lab.recrawl.charts import coverage_chart
from dowse.lab.recrawl.conferences import Conferences
from dowse.lab.recrawl.documentation import recorded
from dowse.lab.recrawl.later import later
from dowse.lab.recrawl.table_one import Learned, learned, shares, table_one
from dowse.lab.recrawl.walk import DatedWeb, Walked, walked
from dowse.loopback.listings.truth import Event
from dowse.loopback.listings.web import Listings
from dowse.model.objects import DistinctObject
from dowse.recrawl.selection.choose import choose_by_cost, choose_sr
from dowse.recrawl.selection.plan import plan_of

_VERSIONS = "versions.jsonl.xz"
_AFTER_DAYS = (7, 28)
_COVERAGES = (0.99, 0.97)


def _listed(sites: int, current: int) -> tuple[DatedWeb, int, Callable[[DistinctObject], bool]]:
    web = Listings(sites, current)

    def key(event: Event) -> tuple[str, str, str]:
        return event.name.casefold(), event.date, event.place.casefold()

    true = set(map(key, web.truth.events))

    def is_true(one: DistinctObject) -> bool:
        name, day, place = (str(one.fields.get(name, "")) for name in ("name", "startDate", "location"))
        return (name.casefold().rstrip("!"), day, place.casefold()) in true

    return web, 100, is_true


def _conferences(folder: Path) -> tuple[DatedWeb, int, Callable[[DistinctObject], bool]]:
    web = Conferences(folder / _VERSIONS)
    today = web.day_of(date(2022, 9, 1))
    true = web.facts(today)
    return web, today, lambda one: tuple(str(one.fields.get(n)) for n in ("name", "startDate", "location")) in true


def _told(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def tabled(full: Walked, is_true: Callable[[DistinctObject], bool] | None, form: str) -> tuple[Learned, dict[str, Any]]:
    """Table 1 of a full crawl."""
    _told(f"{len(full.pages)} pages, {len(full.found)} objects stated")
    known = learned(full, form)
    rows = table_one(known, is_true)
    for row in rows:
        _told(f"{row}")
    return known, {
        "pages": len(full.pages), "sites": len(known.atlas.sites), "stated": len(full.found),
        "rows": [asdict(row) for row in rows], "shares": shares(rows),
    }  # fmt: skip


def dated(
    web: DatedWeb, today: int, is_true: Callable[[DistinctObject], bool], form: str
) -> tuple[Learned, dict[str, Any]]:
    """Table 1 of a web today, and what plans bring on later days."""
    known, found = tabled(walked(web, today), is_true, form)
    return known, {**found, "later": _used_later(web, today, known, form)}


def _used_later(web: DatedWeb, today: int, known: Learned, form: str) -> list[dict[str, Any]]:
    """Plans that were learned today, on later days."""
    plans = {
        f"cost-aware {share:.0%}": plan_of(known.atlas, choose_by_cost(known.atlas, share)) for share in _COVERAGES
    }
    plans["SR(1)"] = plan_of(known.atlas, choose_sr(known.atlas, 1))
    found = []
    for after in _AFTER_DAYS:
        then, runs = later(web, today + after, plans)
        for name, one in runs.items():
            found.append({"plan": name, "after_days": after, "bytes_share": one.bytes_share, **asdict(one)})
        found.append({"plan": "cost-aware 99%, learned anew", "after_days": after, **_anew(then, form)})
        for told in found[-len(runs) - 1 :]:
            _told(f"{told}")
    return found


def _anew(then: Walked, form: str) -> dict[str, float]:
    """What a plan brings that is learned on the very day."""
    known = learned(then, form)
    choice = choose_by_cost(known.atlas, _COVERAGES[0])
    return {"found": choice.objects / len(known.objects), "bytes_share": choice.wire_bytes / then.wire_bytes}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.recrawl", description=__doc__)
    parser.add_argument("web", help="listings, a folder with versions.jsonl.xz, or a corpus of documentation")
    parser.add_argument("--sites", type=int, default=150)
    parser.add_argument("--current", type=int, default=6000)
    parser.add_argument("--form", default="robust", choices=("robust", "paper"))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--out", type=Path, help="a picture: coverage against bytes")
    chosen = parser.parse_args(arguments)
    started = time.perf_counter()
    folder = Path(chosen.web)
    if chosen.web == "listings":
        known, found = dated(*_listed(chosen.sites, chosen.current), chosen.form)
    elif (folder / _VERSIONS).is_file():
        known, found = dated(*_conferences(folder), chosen.form)
    else:
        known, found = tabled(recorded(open_corpus(folder)), None, chosen.form)
    found["seconds"] = time.perf_counter() - started
    if chosen.json:
        chosen.json.write_text(json.dumps(found, indent=1))
    if chosen.out:
        save_picture(coverage_chart(known.atlas), chosen.out)
    _told(f"{found['shares']} {found['seconds']:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
