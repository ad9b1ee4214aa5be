"""What a crawl tells when it ends, and of vague words while it runs."""

from __future__ import annotations

import asyncio
import html
import json
import random
import shutil
from pathlib import Path

import pytest

from dowse.cli.crawl import event_told
from dowse.cli.crawl_summary import finish
from dowse.cli.display import JsonDisplay, PlainDisplay, QuietDisplay
from dowse.cli.why import explain
from dowse.engine.loop.engine import Stop
from dowse.engine.page.vagueness import VAGUE
from dowse.lab.report.crawl_report import write_report
from dowse.loopback import LoopbackServer, Resource, Site, Web
from dowse.model.topic import JudgeSettings
from dowse.store import CrawlReader, CrawlStore
from tests.engine.assembly.test_rejudge import PAGES, crawled, run
from tests.engine.servers import crawl_all, topic_for

Capture = pytest.CaptureFixture[str]
STOP = Stop("budget", "pages")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("summary") / "crawl"
    crawled(folder, PAGES)
    return folder


def test_the_summary_tells_how_sure_verdicts_are(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert finish(folder, STOP, as_json=False, quiet=False) == 0
    printed = capsys.readouterr().out
    lines = [line.rstrip() for line in printed.splitlines()]
    wrapped = lines[: next(at for at, line in enumerate(lines) if line.startswith("next"))]  # commands are not cut
    assert all(len(line) <= 80 for line in wrapped)
    told = " ".join(printed.split())
    assert f"made of the topic's words alone and {PAGES} pages" in told
    assert "expected precision 0." in told
    assert f"by the chances of {PAGES} pages, from the topic's words alone; no answer has checked them" in told
    assert "so the intervals are as wide as if 1 had" in told
    assert "no threshold promises" not in told, "nobody asked for a precision"
    [scores] = [line for line in lines if line.startswith("scores")]
    assert "|" in scores
    assert "from 0.40 to 0.60" in scores
    at = next(number for number, line in enumerate(lines) if line.startswith("borderline"))
    verdicts = [line.split()[-2] for line in lines[at : at + 4]]
    assert verdicts == ["relevant:", "relevant:", "not:", "not:"]
    assert not any(line.startswith(("languages", "vague")) for line in lines)


def test_programs_get_the_same_facts(folder: Path, capsys: Capture) -> None:
    finish(folder, STOP, as_json=True, quiet=False)
    found = json.loads(capsys.readouterr().out)["verdicts"]
    assert (found["judge"], found["threshold"], found["made_of"], found["vague"]) == ("learned", 0.5, PAGES, None)
    assert sum(found["scores"]["pages"]) == PAGES
    assert [len(found[side]) for side in ("just_relevant", "nearly_relevant")] == [2, 2]
    assert found["again"]["precision"][0] > 0.5
    assert found["languages"]


def told_everywhere(folder: Path, capsys: Capture) -> list[str]:
    """What the summary, ``why`` and the report say."""
    capsys.readouterr()
    finish(folder, STOP, as_json=False, quiet=False)
    summary = capsys.readouterr().out
    write_report(folder, folder / "report.html")
    report = html.unescape((folder / "report.html").read_text("utf-8"))
    return [" ".join(told.split()) for told in (summary, explain(folder, "http://a.test/0"), report)]


@pytest.mark.parametrize(
    ("precision", "why"),
    [
        ("0.7", "the topic's words alone never do"),
        ("0.9", "no page is so likely"),
        ("0.3", ""),
    ],
)
def test_a_precision_that_nothing_promises_is_told_with_the_reason(
    folder: Path, tmp_path: Path, capsys: Capture, precision: str, why: str
) -> None:
    shutil.copytree(folder, tmp_path / "c")
    run("rejudge", str(tmp_path / "c"), "--precision", precision)
    promise = f"o threshold promises the precision of {float(precision):.2f} that was asked for: {why}"
    for told in [" ".join(capsys.readouterr().out.split()), *told_everywhere(tmp_path / "c", capsys)]:
        assert (promise in told) == bool(why), told


def test_without_a_model_no_precision_is_promised(tmp_path: Path, capsys: Capture) -> None:
    crawled(tmp_path / "c", 4, precision=0.9)
    for told in told_everywhere(tmp_path / "c", capsys):
        assert "o threshold promises the precision of 0.90 that was asked for: too little was learned" in told


def test_vague_words_are_told_again_at_the_end(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    with CrawlStore.open(tmp_path) as store:
        store._connection.execute("UPDATE runs SET vague = 'no word tells \x1b[31mpages apart'")
    finish(tmp_path, STOP, as_json=False, quiet=False)
    told = " ".join(capsys.readouterr().out.split())
    assert "\x1b[31m" not in told
    assert "the topic's words are too vague to tell: no word tells" in told
    assert "- an example: if http://a.test/" in told
    assert "- your answers: dowse label" in told


def test_vague_words_are_told_as_they_come_unless_only_errors_are_wanted(folder: Path, capsys: Capture) -> None:
    event_told(QuietDisplay(), folder, VAGUE, "no word tells pages apart")
    assert capsys.readouterr().err == "", "advice is no error"
    event_told(PlainDisplay(), folder, VAGUE, "no word tells pages apart")
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "the topic's words are too vague to tell: no word tells pages apart. To sharpen it:"
    assert 2 <= len(told[1:]) <= 3
    event_told(JsonDisplay(), folder, VAGUE, "no word tells pages apart")
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["text"] for event in events] == told
    event_told(QuietDisplay(), folder, "loop held", "for a second")
    assert capsys.readouterr().err == ""


def test_a_crawl_whose_words_are_everywhere_says_so_once_while_it_runs(tmp_path: Path) -> None:
    dice = random.Random(2)
    texts = [" ".join(["news", *(f"w{dice.randrange(500)}" for _ in range(60))]) for _ in range(130)]
    pages = {
        f"/{n}": Resource(f"<title>{n}</title><p>{text}<a href=/{n + 1}>on</a>".encode())
        for n, text in enumerate(texts)
    }

    async def main() -> None:
        async with LoopbackServer(Web.of(Site("a.test", pages))) as server:
            topic = topic_for(server.address, ["http://a.test/0"], judge=JudgeSettings(), query="news")
            await crawl_all(topic, tmp_path / "c")

    asyncio.run(main())
    with CrawlReader(tmp_path / "c") as crawl:
        told = [event.detail for event in crawl.events() if event.kind == VAGUE]
        [run] = crawl.summary().runs
    assert told == ["even the rarest of its words is on most pages"]
    assert run.judged_by.vague == told[0]
    assert run.judged_by.judge == "similarity", "nothing was learned"
