"""The access log of a corpus as traces, cut where the crawl begins.

What happened later is unknown to a crawl: a trace is cut by time before anything is made of it. Only who went where and
when is read: a log of games that were played towards a page tells neither the goal nor how the game ended, and no label
of a page. Nothing is left out by what it is about.

Traces are made once for a corpus, a log and a cut, and kept with what else is derived from a corpus.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import xxhash

from dowse.lab.corpus import Corpus
from dowse.lab.corpus.cache import corpus_digest, whole_folder
from dowse.lab.corpus.code_version import source_version
from dowse.lab.corpus.traces import TRACES, Traces
from dowse.lab.people.readers import simulated
from dowse.model.errors import UserError
from dowse.traces import Pages, UserKey, import_logs

__all__ = ["OWN", "PEOPLE", "SIMULATED", "WHOLE", "Cut", "Span", "parse_cut", "traces_folder"]

OWN, SIMULATED = "own", "simulated"
PEOPLE = (OWN, SIMULATED)
"""In place of a folder of traces: those of the corpus' own log, and those of simulated readers."""

_SHARE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*%")
_KEY = UserKey(b"users of a corpus are no secret.")
"""The same for all: who shares a corpus shares its users, too."""
_VERSION = ("traces", "lab/people", "model/traces.py", "model/url.py")
_TRACES = "traces"


@dataclass(frozen=True, slots=True)
class Cut:
    """A moment: after this share of all accesses, or at a time (seconds since 1970)."""

    share: float | None = None
    at_s: float = 0.0

    def place(self, traces: Traces) -> int:
        """How many accesses, in order of time, were before it; those of one moment are on the same side."""
        if self.share is None:
            moment = self.at_s
        elif self.share >= 1 or not len(traces):
            return len(traces)
        else:
            moment = float(traces.at[int(self.share * len(traces))])
        return int(np.searchsorted(traces.at, moment))


WHOLE = Cut(1.0)
BEGINNING = Cut(0.0)


@dataclass(frozen=True, slots=True)
class Span:
    """The accesses from one moment up to another."""

    until: Cut
    since: Cut = BEGINNING


def parse_cut(text: str) -> Cut:
    """``50%`` of the accesses, or a day or moment.

    >>> parse_cut("50%"), parse_cut("1970-01-02")
    (Cut(share=0.5, at_s=0.0), Cut(share=None, at_s=86400.0))
    """
    found = _SHARE.fullmatch(text.strip())
    if found is not None and 0 < float(found[1]) <= 100:
        return Cut(float(found[1]) / 100)
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UserError(
            f"{text!r} is no place to cut traces at: write 50% (of the accesses) or a day, as 2011-07-09"
        ) from None
    return Cut(None, (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())


def traces_folder(corpus: Corpus, whose: str, span: Span) -> Path:
    """A folder of traces of these accesses: of the corpus' own log, or of its simulated readers. UserError where there
    are none."""
    version = source_version(*_VERSION)[:16]
    kind = f"traces-{whose}-{xxhash.xxh3_64_hexdigest(repr(span).encode())}"

    def fill(folder: Path) -> None:
        _import(corpus, simulated(corpus) if whose == SIMULATED else corpus.traces, span, folder)

    log = corpus.digest if whose == SIMULATED else _digest_of_log(corpus)
    return whole_folder(corpus.kept, kind, version, log, fill) / _TRACES


def _digest_of_log(corpus: Corpus) -> str:
    for name in TRACES:
        if (corpus.folder / name).is_file():
            return corpus_digest([corpus.folder / name])
    raise UserError(
        f"{corpus.folder} has no {' or '.join(TRACES)}: name a folder of traces (traces=FOLDER), or let readers be"
        f" simulated (traces={SIMULATED})"
    )


def _import(corpus: Corpus, traces: Traces, span: Span, folder: Path) -> None:
    first, end = span.since.place(traces), span.until.place(traces)
    if first >= end:
        raise UserError(f"nobody went anywhere in {corpus.folder} before the traces are cut: cut them later")
    log = folder / "accesses.csv"
    with log.open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(("time", "user", "url"))
        for place in range(first, end):
            user, page = int(traces.user[place]), int(traces.page[place])
            rows.writerow((f"{traces.at[place]:.0f}", traces.users[user], corpus.url(page)))
    import_logs([log], folder / _TRACES, _KEY, Pages(), lambda *_: None)
    log.unlink()
