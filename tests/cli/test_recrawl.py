"""``dowse recrawl`` as a user types it: learn, plan, run and check, on listings of events that change."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dowse.cli.main import main
from dowse.lab.recrawl.walk import walked
from dowse.loopback import LoopbackServer, in_thread
from dowse.loopback.listings.truth import FIRST_DAY
from dowse.loopback.listings.web import Listings
from dowse.model.budget import Budget
from dowse.model.topic import Scope
from dowse.recrawl.selection.plan import Follower, read_plan
from dowse.store import CrawlReader
from dowse.store.read_links import asked_pages
from tests.engine.servers import crawl_all, topic_for

Run = Callable[..., tuple[int, str, str]]

WEB = Listings(sites=5, current=120, seed=3)
FIRST, LATER = 100, 107
DAY = FIRST_DAY.fromordinal(FIRST_DAY.toordinal() + LATER).isoformat()


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A full crawl of the first day."""
    folder = tmp_path_factory.mktemp("recrawl") / "first"
    with in_thread(WEB.web(FIRST)) as server:
        seeds = [f"http://{host}/" for host in WEB.hosts]
        topic = topic_for(server.address, seeds, query="events", scope=Scope(reach="host"), budget=Budget(pages=5000))
        asyncio.run(crawl_all(topic, folder))
    return folder


@pytest.fixture(scope="module")
def later() -> Iterator[LoopbackServer]:
    with in_thread(WEB.web(LATER)) as server:
        yield server


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["dowse", "recrawl", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        told = capsys.readouterr()
        code = end.value.code
        assert isinstance(code, int)
        return code, told.out, told.err

    return call


def on(server: LoopbackServer) -> list[str]:
    return [
        "--resolve", f"*.test={server.address}", "--allow-private", "--delay", "0", "--workers", "0", "--quiet",
    ]  # fmt: skip


def test_the_whole_way(run: Run, crawled: Path, later: LoopbackServer) -> None:
    code, out, _ = run("learn", crawled)
    assert code == 0
    assert "distinct objects" in out
    patterns = Path("patterns.txt").read_text()
    assert "{int}" in patterns
    code, out, _ = run("plan", crawled, "--coverage", "0.99", "--patterns", "patterns.txt", "--pictures", "pictures")
    assert code == 0
    assert "cost-aware:" in out
    assert "--budget" not in out
    assert {path.name for path in Path("pictures").iterdir()} == {"coverage.svg", "tree.svg"}
    before = len(later.log)
    assert run("run", "plan.toml", "--out", "second", *on(later))[0] == 0
    plan = read_plan(Path("plan.toml"))
    allowed = Follower(plan)
    with CrawlReader("second") as crawl:
        taken = {url for _, url, *_ in asked_pages(crawl)}
        links = {
            target
            for page in taken
            for target, follows in zip(taken, allowed.follows(page, list(taken)), strict=True)
            if follows
        }
    assert set(plan.entries) <= taken <= links | set(plan.entries)
    asked = [hit for hit in list(later.log)[before:] if hit.target != "/robots.txt"]
    with CrawlReader(crawled) as crawl:
        assert len(asked) < len(asked_pages(crawl)) * 0.8
    code, out, _ = run("check", "second", "--before", crawled, "--day", DAY)
    assert code == 0
    assert "the plan still serves" in out
    assert "new " in out
    told = json.loads(run("check", "second", "--before", crawled, "--day", DAY, "--json")[1])
    assert told["found"] >= 0.95
    assert told["over"] > 0
    assert told["new"]


def test_a_run_can_be_stopped_and_go_on(run: Run, crawled: Path, later: LoopbackServer) -> None:
    run("plan", crawled)
    assert run("run", "plan.toml", "--out", "whole", *on(later))[0] == 0
    assert run("run", "plan.toml", "--out", "parts", "--budget", "20p", *on(later))[0] == 0
    assert run("run", "plan.toml", "--out", "parts", "--resume", "--budget", "5000p", *on(later))[0] == 0
    pages = []
    for folder in ("whole", "parts"):
        with CrawlReader(folder) as crawl:
            pages.append({url for _, url, *_ in asked_pages(crawl)})
    assert pages[0] == pages[1]
    assert len(pages[0]) > 20
    Path("other.toml").write_text("[[site]]\nentries = ['http://other.test/']\n")
    code, _, err = run("run", "other.toml", "--out", "parts", "--resume", *on(later))
    assert (code, len(err.splitlines())) == (2, 1)
    assert "other entries than other.toml" in err


def test_sr_and_budgets(run: Run, crawled: Path) -> None:
    found = {}
    for name, options in {"sr": ["--k", "1"], "cost": [], "budget": ["--budget", "20kB"]}.items():
        code, out, _ = run("plan", crawled, "--json", "--out", f"{name}.toml", *options)
        assert code == 0
        found[name] = json.loads(out)
    assert found["sr"]["objects"] == found["sr"]["of_objects"]
    assert found["cost"]["objects"] >= 0.99 * found["cost"]["of_objects"]
    assert found["cost"]["object_bytes"] + found["cost"]["way_bytes"] <= found["sr"]["of_bytes"]
    assert found["budget"]["steps"][-1]["spent"] <= 20_000
    assert 0 < found["budget"]["objects"] < found["sr"]["objects"]
    _, out, _ = run("plan", crawled, "--coverage", "0.9", "--budget", "20kB")
    assert "--budget does not go as far as --coverage 0.9" in out


def test_it_is_time_to_learn_again(run: Run, crawled: Path, tmp_path: Path) -> None:
    lines = [
        json.dumps({"kind": "Event", "fields": {"name": name, "startDate": "2027-01-01", "location": "Brno"}, "url": "http://a.test/"})
        for name in ("Jazz", "Rock")
    ]  # fmt: skip
    (tmp_path / "old.jsonl").write_text("\n".join(lines))
    (tmp_path / "new.jsonl").write_text(lines[0])
    code, out, _ = run("check", "new.jsonl", "--before", "old.jsonl", "--day", "2026-11-18")
    assert code == 3
    assert "gone     Event Rock, 2027-01-01, Brno" in out
    assert "learn again" in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["learn", "nowhere"], "nowhere"),
        (["learn", "CRAWLED", "--form", "loose"], "--form: must be one of robust, paper"),
        (["learn", "CRAWLED", "--kind", "Product"], "no objects of kind Product"),
        (["plan", "CRAWLED", "--coverage", "2"], "--coverage"),
        (["plan", "CRAWLED", "--k", "0"], "--k"),
        (["plan", "CRAWLED", "--k", "1", "--coverage", "0.9"], "--k and --coverage choose in two ways"),
        (["plan", "CRAWLED", "--budget", "20p"], "--budget: a plan is made for bytes"),
        (["plan", "CRAWLED", "--budget", "much"], "--budget"),
        (["plan", "CRAWLED", "--budget", "10B"], "nothing is chosen"),
        (["plan", "CRAWLED", "--patterns", "other.txt"], "no pattern matches"),
        (["plan", "CRAWLED", "--objects", "other.jsonl"], "of another crawl"),
        (["plan", "CRAWLED", "--out", "other.txt"], "other.txt"),
        (["run", "other.txt", "--out", "x"], "other.txt"),
        (["run", "missing.toml", "--out", "x"], "missing.toml"),
        (["check", "other.jsonl", "--before", "nowhere"], "nowhere"),
        (["check", "other.jsonl", "--before", "other.jsonl", "--day", "today"], "--day"),
    ],
)
def test_what_is_wrong_is_told_on_a_line(run: Run, crawled: Path, arguments: list[str], told: str) -> None:
    Path("other.txt").write_text("http://other.test/{int}\n")
    Path("other.jsonl").write_text('{"kind": "Event", "fields": {"name": "Jazz"}, "url": "http://other.test/"}\n')
    code, out, err = run(*(str(crawled) if word == "CRAWLED" else word for word in arguments))
    assert code == 2
    assert out == ""
    assert err.startswith("dowse: ")
    assert len(err.splitlines()) == 1
    assert told in err


def test_a_few_objects_lead_to_the_sites_that_have_such(run: Run, crawled: Path) -> None:
    """Offline: the first crawl is asked in place of a search engine."""
    told = walked(WEB, FIRST).found
    lines = [json.dumps({"kind": one.kind, "fields": one.fields, "url": one.url}) for one in told[:: len(told) // 5]]
    Path("few.jsonl").write_text("\n".join(lines))
    with in_thread(WEB.web(FIRST)) as server:
        network = [word for word in on(server) if word != "--quiet"]
        code, out, err = run("expand", "few.jsonl", "--engine", f"local:{crawled}", "--seed-sites", "1", *network)
        assert (code, out.splitlines()[-1].split(" sites")[0].isdigit()) == (0, True)
        assert "first round: http://" in err
        asked = {hit.host for hit in server.log}
    sites = Path("sites.txt").read_text().splitlines()
    stating = {f"http://{one.url.split('/')[2]}/" for one in told}
    assert set(sites) <= {f"http://{host}/" for host in WEB.hosts}
    assert len(stating & set(sites)) >= len(stating) - 1
    assert len(asked) == 1
    code, _, err = run("expand", "few.jsonl", "--engine", f"local:{crawled}", "--force", *network)
    assert code == 2
    assert "seed-sites exists" in err
