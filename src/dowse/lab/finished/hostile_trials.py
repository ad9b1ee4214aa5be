"""A finished crawl of the hostile web against what its trials expect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from dowse.loopback.hostile import TRIALS, End, Trial
from dowse.model.errors import UserError
from dowse.model.records import CandidateState
from dowse.model.url import split
from dowse.store import CrawlReader

__all__ = ["Finding", "compare"]

_ALL_SITES = 1_000_000


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one trial: ``wrong`` tells each difference, and is empty when there is none. ``found`` is how its
    seed ended."""

    trial: Trial
    asked: bool  # was its seed among the crawl's?
    found: str = ""
    wrong: tuple[str, ...] = ()


def compare(folder: Path, trials: Iterable[Trial] = TRIALS) -> list[Finding]:
    """How each trial ended in the crawl of this folder. Raises UserError when it asked for none of them."""
    with CrawlReader(folder) as crawl:
        records = _Records(crawl)
        findings = [records.finding(trial) for trial in trials]
    if not any(finding.asked for finding in findings):
        raise UserError(f"{folder} is no crawl of the hostile web: none of its seeds is a trial's")
    return findings


class _Records:
    """The records of one crawl, as far as trials look at them."""

    def __init__(self, crawl: CrawlReader) -> None:
        self._crawl = crawl
        settings = crawl.settings()
        self._seeds = {*settings["seeds"], *settings["topic"]["seeds"]["sitemaps"]}
        self._events = crawl.events()
        self._refusals = {refusal.rule: refusal.count for refusal in crawl.refusals()}
        self._requests: Counter[str] = Counter()
        for site in crawl.top_sites(_ALL_SITES):
            self._requests[split(site.origin + "/").host] += site.requests

    def finding(self, trial: Trial) -> Finding:
        if trial.url not in self._seeds:
            return Finding(trial, asked=False)
        # the first end is the seed's own; a sitemap is no page, and what matters of it are its events
        found = self._end(trial.ends[0].url)[0] if trial.ends else "no page"
        return Finding(trial, True, found, tuple(self._wrong(trial)))

    def _wrong(self, trial: Trial) -> Iterator[str]:
        for end in trial.ends:
            yield from self._differs(end)
        for kind, part in trial.events:
            if not any(event.kind == kind and part in event.detail for event in self._events):
                yield f"no event {kind!r} with {part!r}"
        for rule, least in trial.refusals:
            if self._refusals.get(rule, 0) < least:
                yield f"rule {rule} refused {self._refusals.get(rule, 0)} links, not {least}"
        if trial.most_requests is not None:
            below = f".{trial.host}"
            requests = sum(n for host, n in self._requests.items() if host == trial.host or host.endswith(below))
            if requests > trial.most_requests:
                yield f"{requests} requests, more than {trial.most_requests}"

    def _end(self, url: str) -> tuple[str, str, str]:
        """How a URL ended, in words; its outcome and its reason."""
        page = self._crawl.page(url)
        if page is not None:
            cut = f", cut: {page.truncated}" if page.truncated else ""
            return f"{page.outcome}, {page.reason}".rstrip(", ") + cut, page.outcome, page.reason
        candidate = self._crawl.candidate(url)
        if candidate is None:
            return "absent", "absent", ""
        state = CandidateState(candidate.state).name.lower()
        return f"{state}, {candidate.reason}".rstrip(", "), state, candidate.reason

    def _differs(self, end: End) -> Iterator[str]:
        shown, outcome, reason = self._end(end.url)
        if outcome != end.outcome or not end.fits(reason):
            yield f"{end.url}: {shown}"
            return
        page = self._crawl.page(end.url)
        if page is None:
            return
        if page.truncated not in end.truncated.split("|"):
            yield f"{end.url}: cut: {page.truncated or 'no'}"
        for name, expected in end.facts.items():
            value = getattr(page, name)
            if value != expected:
                yield f"{end.url}: {name} is {value!r}"
