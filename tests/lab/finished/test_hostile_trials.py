"""``compare`` tells every way in which a crawl of the hostile web can differ from what was expected."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.lab.finished.hostile_trials import compare
from dowse.loopback import LoopbackServer, Web
from dowse.loopback.hostile import TRIALS, Trial
from dowse.model.errors import UserError
from tests.engine.servers import chain, crawl_all, topic_for
from tests.loopback.hostile import crawl_trial, serving

SHORT = next(trial for trial in TRIALS if trial.name == "short-body")
[END] = SHORT.ends


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl of the trial short-body."""
    folder = tmp_path_factory.mktemp("trials") / "crawl"
    with serving() as server:
        asyncio.run(crawl_trial(server, SHORT, folder))
    return folder


def test_as_expected(folder: Path) -> None:
    [finding] = compare(folder, [SHORT])
    assert (finding.asked, finding.found, finding.wrong) == (True, "fetched, cut: disconnect", ())


@pytest.mark.parametrize(
    ("trial", "told"),
    [
        (replace(SHORT, ends=(replace(END, outcome="failed"),)), f"{END.url}: fetched, cut: disconnect"),
        (replace(SHORT, ends=(replace(END, outcome="absent"),)), f"{END.url}: fetched, cut: disconnect"),
        (replace(SHORT, ends=(replace(END, reason="timeout: *"),)), f"{END.url}: fetched, cut: disconnect"),
        (replace(SHORT, ends=(END, replace(END, url=END.url + "other"))), f"{END.url}other: absent"),
        (replace(SHORT, ends=(replace(END, truncated=""),)), f"{END.url}: cut: disconnect"),
        (replace(SHORT, ends=(replace(END, truncated="length|time"),)), f"{END.url}: cut: disconnect"),
        (replace(SHORT, ends=(replace(END, facts={"status": 404}),)), f"{END.url}: status is 200"),
        (replace(SHORT, events=(("delay clipped", "x"),)), "no event 'delay clipped' with 'x'"),
        (replace(SHORT, refusals=(("depth", 1),)), "rule depth refused 0 links, not 1"),
        (replace(SHORT, most_requests=1), "2 requests, more than 1"),
    ],
)
def test_each_difference_is_told(trial: Trial, told: str, folder: Path) -> None:
    [finding] = compare(folder, [trial])
    assert finding.wrong == (told,)


def test_trials_that_were_not_asked_are_no_difference(folder: Path) -> None:
    findings = compare(folder)
    assert [finding.trial.name for finding in findings if finding.asked] == ["short-body"]
    assert not any(finding.wrong for finding in findings if not finding.asked)


def test_another_crawl_is_not_checked(tmp_path: Path) -> None:
    async def main() -> None:
        async with LoopbackServer(Web.of(chain("a.test", 1))) as server:
            await crawl_all(topic_for(server.address, ["http://a.test/0"]), tmp_path / "c")

    asyncio.run(main())
    with pytest.raises(UserError, match="is no crawl of the hostile web"):
        compare(tmp_path / "c")
