"""Tables 3 and 4 of the ERID paper: pages of one site accepted and refused, against what somebody said of them
(Gatial and Balogh, section 4.1).

Of a crawl, what its judge accepted stands against the answers to ``dowse label``. Of a corpus, ERID judges the labelled
pages, each by a threshold that was found on the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dowse.lab.corpus import Progress
from dowse.lab.erid.calibration import Outcomes, calibrated, outcome_lines, outcomes
from dowse.lab.erid.labelled_scores import erid_scores, labelled_pages, site_name
from dowse.lab.papers.ridar_sites import pick
from dowse.model.errors import UserError
from dowse.model.topic import Topic
from dowse.store import CrawlReader
from dowse.store.answers import Answers
from dowse.store.sharded import holds_crawl

__all__ = ["SiteOutcomes", "outcome_table", "site_outcomes"]


@dataclass(frozen=True, slots=True)
class SiteOutcomes:
    """What was accepted and refused of one web site."""

    site: str
    judge: str
    outcomes: Outcomes


def site_outcomes(
    folder: Path, place: int, site: str | None, label: str | None, topic: Topic | None,
    progress: Progress | None = None,
) -> SiteOutcomes:  # fmt: skip
    """The outcomes at a ``site``, or at that with the most labelled pages on the topic, the second most, ..."""
    if holds_crawl(folder) and label is None:
        return _of_crawl(folder, place, site)
    pages = labelled_pages(folder, label, progress=progress)
    chosen = pick(pages.sites(), place, site)
    own = pages.of_site(chosen)
    told = topic or Topic(query=pages.corpus.labels.query(pages.label))
    found = calibrated(own.urls, erid_scores(own, told), own.truth)
    return SiteOutcomes(chosen, "ERID, by thresholds found without the page", found.outcomes)


def _of_crawl(folder: Path, place: int, site: str | None) -> SiteOutcomes:
    known = Answers(folder).known
    with CrawlReader(folder) as crawl:
        judged = [page for page in crawl.judged_pages() if page.url in known]
        runs = crawl.summary().runs
    if not judged:
        raise UserError(f"nobody said of the pages of {folder} what they are: answer 'dowse label' first")
    counts: dict[str, list[int]] = {}
    for page in judged:
        count = counts.setdefault(site_name(page.url), [0, 0])
        count[0] += known[page.url]
        count[1] += 1
    chosen = pick(sorted(counts, key=lambda name: (-counts[name][0], -counts[name][1], name)), place, site)
    own = [page for page in judged if site_name(page.url) == chosen]
    accepted = np.array([bool(page.relevant) for page in own])
    truth = np.array([known[page.url] for page in own])
    judge = runs[-1].judged_by.judge if runs else ""
    return SiteOutcomes(chosen, f"the crawl's judge, {judge or 'unknown'}", outcomes(accepted, truth))


def outcome_table(found: SiteOutcomes) -> list[str]:
    """The table as the paper has it, with precision and recall."""
    told = found.outcomes
    return [
        f"{found.site}, judged by {found.judge}", *outcome_lines(told),
        f"precision {told.precision:.2f}, recall {told.recall:.2f}",
    ]  # fmt: skip
