"""The commands as a user types them: real processes, a real web on loopback."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from dowse.lab.corpus import open_corpus
from dowse.loopback import LoopbackServer, Resource, Site, Web, in_thread
from dowse.loopback.demo import DEMO_QUERY, DEMO_SEEDS, demo_web

ENVIRONMENT = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}


def dowse(*arguments: str, code: int = 0, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "dowse", *arguments], capture_output=True, text=True, timeout=timeout, env=ENVIRONMENT
    )
    assert done.returncode == code, done.stderr + done.stdout
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture(scope="module")
def server() -> Iterator[LoopbackServer]:
    with in_thread(demo_web()) as running:
        yield running


def network(server: LoopbackServer) -> list[str]:
    return ["--resolve", f"*.dowse.test={server.address}", "--allow-private", "--delay", "0", "--workers", "0"]


@pytest.fixture(scope="module")
def folder(server: LoopbackServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished crawl of the demo's web."""
    folder = tmp_path_factory.mktemp("crawls") / "crawl"
    seeds = [part for seed in DEMO_SEEDS for part in ("--seed", seed)]
    done = dowse("crawl", DEMO_QUERY, *seeds, "-b", "60p", "-o", str(folder), "--threshold", "0.2", *network(server))
    assert "budget: pages (60p)" in done.stdout
    assert "harvest rate" in done.stdout
    assert "100 more fetches: about" in " ".join(done.stdout.split()), "what going on would bring"
    assert "60 pages" in done.stderr, "plain progress lines when not in a terminal"
    return folder


def test_a_crawl_leaves_records_archive_and_picture(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} >= {"dowse.sqlite", "dowse-00000.warc.gz", "harvest.svg"}
    assert (folder / "harvest.svg").read_text("utf-8").startswith("<svg ")


def test_without_a_picture_the_rest_is_told(server: LoopbackServer, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    dowse("crawl", DEMO_QUERY, "--seed", DEMO_SEEDS[0], "-b", "3p", "-o", str(folder), *network(server))
    (folder / "harvest.svg").unlink()
    (folder / "harvest.svg").mkdir()  # in its way
    done = dowse("crawl", "--resume", str(folder), "-b", "5p", *network(server))
    assert "dowse: no picture: cannot write" in done.stderr
    assert "5 fetched" in done.stdout
    assert "harvest.svg" not in done.stdout


def test_to_go_on_takes_more_than_what_this_run_had(server: LoopbackServer, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    first = ("crawl", DEMO_QUERY, "--seed", DEMO_SEEDS[0], "-b", "3p", "-o", str(folder))
    for run, more in ((first, "6p"), (("crawl", "--resume", str(folder), "-b", "8p"), "16p")):
        assert f"dowse crawl --resume {folder} --budget {more}\n" in dowse(*run, *network(server)).stdout


def test_export_in_every_format(folder: Path, tmp_path: Path) -> None:
    lines = dowse("export", str(folder), "--to", "jsonl").stdout.splitlines()
    assert json.loads(lines[0])["url"] in DEMO_SEEDS, "they are on hosts of their own, asked at the same time"
    dowse("export", str(folder), "--to", "csv", "-o", str(tmp_path / "pages.csv"))
    with (tmp_path / "pages.csv").open(newline="", encoding="utf-8") as stream:
        assert len(list(csv.DictReader(stream))) == len(lines)
    done = dowse("export", str(folder), "--to", "parquet", "-o", str(tmp_path / "pages.parquet"))
    assert f"{len(lines)} pages written" in done.stdout
    assert (tmp_path / "pages.parquet").read_bytes().startswith(b"PAR1")


def test_a_crawl_with_a_cache_tells_what_it_saved(
    folder: Path, server: LoopbackServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    seeds = [part for seed in DEMO_SEEDS for part in ("--seed", seed)]
    more = ["--threshold", "0.2", *network(server)]
    first = len(server.log)
    done = dowse("crawl", DEMO_QUERY, *seeds, "-b", "5p", "-o", str(tmp_path / "c"), "--cache", folder.name, *more)
    assert "URLs in the cache" in done.stderr
    assert re.search(r"saved +[1-9][0-9]* pages, .*, taken from the cache", done.stdout)
    assert re.search(r"saved [1-9][0-9]* pages", done.stderr), "the progress tells it as well"
    assert DEMO_SEEDS[0] not in {hit.url for hit in list(server.log)[first:]}
    told = dowse("why", str(tmp_path / "c"), DEMO_SEEDS[0]).stdout
    assert f"from the cache {folder}, fetched for it at 20" in told
    monkeypatch.chdir(tmp_path)
    done = dowse("crawl", "--resume", str(tmp_path / "c"), "-b", "8p", "--cache-age", "0", "--json", *network(server))
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert "cache: not used, since its greatest age is 0" in {line.get("text") for line in lines}
    assert lines[-1]["saved_pages"] == lines[-2]["saved_pages"] > 0, "what an earlier run saved stays saved"
    assert lines[-1]["pages"] == 8 + lines[-1]["saved_pages"]


def test_report_is_one_file(folder: Path, tmp_path: Path) -> None:
    dowse("report", str(folder), "-o", str(tmp_path / "report.html"))
    assert "<svg" in (tmp_path / "report.html").read_text("utf-8")


def test_why_fetched_left_refused_or_unknown(folder: Path) -> None:
    seed = dowse("why", str(folder), DEMO_SEEDS[0]).stdout
    assert "fetched:" in seed
    assert "found: it is a seed" in seed
    rows = [json.loads(line) for line in dowse("export", str(folder), "--to", "jsonl").stdout.splitlines()]
    best = max((row for row in rows if row["score"]), key=lambda row: row["score"])
    told = dowse("why", str(folder), best["url"]).stdout
    assert f"score {best['score']:.3f}" in told
    assert "by learning" in told
    assert "links from a seed, on" in told
    assert "its record: dowse-00000.warc.gz at byte" in told
    outside = dowse("why", str(folder), "http://portal.dowse.test/picture.jpg").stdout
    assert "never taken up. Refused by the rule extension: files named .jpg" in outside
    unknown = dowse("why", str(folder), "portal.dowse.test/nowhere").stdout
    assert "nothing this crawl followed mentions it, or it was one of the links refused by nofollow" in unknown
    assert "not a web address" in dowse("why", str(folder), "http://[", code=2).stderr


def test_why_left(folder: Path) -> None:
    with sqlite3.connect(folder / "dowse.sqlite") as connection:
        [(url,)] = connection.execute("SELECT url FROM candidates WHERE state = 0 ORDER BY priority LIMIT 1")
    connection.close()
    told = dowse("why", str(folder), url).stdout
    assert "left: it was still waiting" in told
    assert "priority:" in told


def test_why_tells_prediction_truth_paragraph_and_cost(server: LoopbackServer, tmp_path: Path) -> None:
    folder = tmp_path / "c"
    hybrid = ["--strategy", "hybrid", "--maximise", "efficiency", "-b", "60p", "-o", str(folder), "-q"]
    dowse("crawl", DEMO_QUERY, "--seed", DEMO_SEEDS[0], *hybrid, *network(server))
    rows = [json.loads(line) for line in dowse("export", str(folder), "--to", "jsonl").stdout.splitlines()]
    best = max((row for row in rows if row["score"] and row["depth"]), key=lambda row: row["score"])
    told = dowse("why", str(folder), best["url"]).stdout
    assert re.search(rf"predicted 0\.\d+, in truth {best['first_score']:.3f}", told), (
        "as it was judged when it was fetched"
    )
    assert re.search(r"\(score 0\.\d+\) as '.+' \(similarity 0\.\d+\)", told)
    assert re.search(r"parents' mean score = 0\.\d+, weight 0\.5", told)
    assert re.search(r"expected seconds = ", told)
    assert re.search(r"cost: \d+ bytes in 0\.\d+ s", told)
    assert re.search(r"its site: \d+ requests \(0 failed\)", told)
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as connection:
        [(left,)] = connection.execute("SELECT url FROM candidates WHERE state = 0 ORDER BY priority DESC LIMIT 1")
    told = dowse("why", str(folder), left).stdout
    assert "left: it was still waiting" in told
    assert re.search(r"similar-link measure = ", told)
    assert re.search(r"^predicted 0\.\d+$", told, re.MULTILINE)


def test_judge_a_file_and_a_page(server: LoopbackServer, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<title>Cells</title><p>Perovskite solar cells are solar cells made of perovskite.", "utf-8")
    told = dowse("judge", str(page), "--topic", DEMO_QUERY).stdout
    assert "relevant: similarity" in told
    assert "term: perovskit" in told
    as_json = json.loads(dowse("judge", str(page), "--topic", "baking bread", "--json").stdout)
    assert as_json["relevant"] is False
    refused = dowse("judge", "http://127.0.0.1:8/", "--topic", "x", code=2).stderr
    assert refused.startswith("dowse: cannot fetch http://127.0.0.1:8/: address")


def test_init_then_crawl_the_topic_file(server: LoopbackServer, tmp_path: Path) -> None:
    topic = tmp_path / "topic.toml"
    assert "written" in dowse("init", str(topic)).stdout
    assert "already exists" in dowse("init", str(topic), code=2).stderr
    topic.write_text(
        f'query = "{DEMO_QUERY}"\nbudget = "20p"\nworkers = 0\nout = "{tmp_path / "out"}"\n'
        f'[seeds]\nurls = ["{DEMO_SEEDS[0]}"]\n[politeness]\ndelay = 0\n'
        f'[network]\nallow_private = true\nresolve = {{ "*.dowse.test" = "{server.address}" }}\n',
        "utf-8",
    )
    assert "budget: pages (5p)" in dowse("crawl", str(topic), "--budget", "5p").stdout, "flags win over the file"


def test_json_lines_for_programs(server: LoopbackServer, tmp_path: Path) -> None:
    out = ["-b", "5p", "-o", str(tmp_path / "c"), "--json"]
    done = dowse("crawl", DEMO_QUERY, "--seed", DEMO_SEEDS[0], *out, *network(server))
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert events[0]["event"] == "start"
    assert events[-1]["event"] == "summary"
    assert events[-1]["stop"] == {"kind": "budget", "detail": "pages (5p)"}
    assert events[-1]["forecast"] == events[-2]["forecast"]
    assert (events[-1]["forecast"]["judged"], events[-1]["forecast"]["horizons"]) == (5, [])
    assert dowse("crawl", "--resume", str(tmp_path / "c"), "-b", "8p", "-q", *network(server)).stdout == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["crawl"], "what is the topic"),
        (["crawl", "solar", "--seed", "http://["], "not a web address"),
        (["crawl", "solar", "--sitemap", "http://["], '--sitemap: "http://[" is not a web address'),
        (
            ["crawl", "solar", "-s", "http://a.test/", "--allow-port", "65536"],
            "--allow-port: must be a whole",
        ),
        (["crawl", "solar", "-s", "http://a.test/", "-b", "200x"], "--budget: '200x' has an unknown unit"),
        (["crawl", "solar", "-s", "http://a.test/", "-b", "0p"], "leaves nothing to spend"),
        (["crawl", "solar", "-s", "http://a.test/", "--strategy", "bsf"], "did you mean bfs"),
        (["crawl", "solar", "-s", "http://a.test/", "--param", "x=1"], "has no parameter 'x'"),
        (["crawl", "solar", "-s", "http://a.test/", "--param", "x"], "write KEY=VALUE"),
        (["crawl", "solar", "-s", "http://a.test/", "--scope", "galaxy"], "host, domain or any"),
        (["crawl", "solar", "-s", "http://a.test/", "--delay", "soon"], "--delay: 'soon' is not a length of time"),
        (
            ["crawl", "solar", "-s", "http://a.test/", "--workers", "-1"],
            "--workers: must be a whole number from 0",
        ),
        (
            ["crawl", "solar", "-s", "http://a.test/", "--target-value", "0"],
            "--target-value: must be a number above 0",
        ),
        (
            ["crawl", "solar", "-s", "http://a.test/", "--target", "0"],
            "--target: must be a whole number of at",
        ),
        (
            ["crawl", "solar", "-s", "http://a.test/", "--concurrency", "0"],
            "--concurrency: must be a whole",
        ),
        (["crawl", "solar", "-s", "http://a.test/", "--resolve", "here"], "write HOST=ADDRESS"),
        (["crawl", "missing.toml"], "missing.toml"),
        (["crawl", "--resume", "/nonexistent"], "holds no crawl"),
        (["crawl", "solar", "--resume", "x"], "leave out the topic"),
        (["why", "/nonexistent", "http://a.test/"], "no crawl"),
        (["report", "/nonexistent"], "no crawl"),
        (["export", "/nonexistent"], "no crawl"),
        (["export", ".", "--to", "xml"], "jsonl, csv, parquet"),
        (["judge", "missing.html", "--topic", "x"], "cannot read missing.html"),
        (["crawl", "solar", "--nonsense"], "--nonsense"),
    ],
)
def test_a_mistake_is_one_clear_line(arguments: list[str], words: str, tmp_path: Path) -> None:
    done = dowse(*arguments, code=2)
    assert words in done.stderr
    assert done.stderr.startswith("dowse: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_crawl_that_reaches_nothing_says_why(tmp_path: Path) -> None:
    out = ["-o", str(tmp_path / "c"), "--delay", "0", "--workers", "0"]
    done = dowse("crawl", "solar", "--seed", "http://127.0.0.1:2/", *out, code=1)
    assert "no page was fetched: http://127.0.0.1:2/: address" in done.stderr
    assert "--allow-private" in done.stderr


def test_a_seed_that_a_rule_refuses_is_told(tmp_path: Path) -> None:
    out, seed = tmp_path / "c", "http://127.0.0.1:25/"
    done = dowse("crawl", "solar", "--seed", seed, "-o", str(out), "--workers", "0", code=1)
    assert "no page was fetched: no seed was taken up: refused by port (1)" in done.stderr
    told = dowse("why", str(out), seed).stdout
    assert "Refused by the rule port: web servers do not answer at port 25" in " ".join(told.split())
    again = tmp_path / "d"
    done = dowse("crawl", "solar", "--seed", seed, "--allow-port", "25", "-o", str(again), "--workers", "0", code=1)
    assert f"no page was fetched: {seed}: address: 127.0.0.1 is not a public address" in done.stderr


def test_ctrl_c_stops_cleanly_and_the_crawl_goes_on(tmp_path: Path) -> None:
    from dataclasses import replace

    slow = Web({host: replace(site, latency_s=0.2) for host, site in demo_web().sites.items()})
    folder = tmp_path / "c"
    with in_thread(slow) as server:
        arguments = ["crawl", DEMO_QUERY, "-s", DEMO_SEEDS[0], "-b", "500p", "-o", str(folder), *network(server)]
        process = subprocess.Popen(
            [sys.executable, "-m", "dowse", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=ENVIRONMENT,
        )  # fmt: skip
        while len(server.log) < 10:
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert process.returncode == 130
        assert "Stopping: waiting for the requests that are open" in err
        assert f"interrupted: go on with: dowse crawl --resume {folder}" in out
        done = dowse("crawl", "--resume", str(folder), "-b", "15p", *network(server))
        assert "15 fetched" in done.stdout


def test_the_demo_compares_with_breadth_first(tmp_path: Path) -> None:
    done = dowse("demo", "-o", str(tmp_path / "demo"), "--pages", "60", "-q")
    assert "times as many relevant pages" in done.stdout
    assert (tmp_path / "demo" / "harvest.png").is_file()
    dowse("demo", "-o", str(tmp_path / "demo"), "--pages", "10", "-q")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "precious.txt").write_text("keep", "utf-8")
    assert "no demo wrote it" in dowse("demo", "-o", str(tmp_path / "mine"), code=2).stderr


def test_help_names_every_command() -> None:
    told = dowse("--help").stdout
    for name in ("crawl", "init", "judge", "why", "report", "export", "strategies", "demo", "demo-web"):
        assert name in told
    assert dowse("--version").stdout.startswith("dowse ")
    assert "best-first" in dowse("strategies").stdout


def test_ctrl_c_while_a_crawl_is_loading(server: LoopbackServer, tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("".join(f"http://portal.dowse.test/s{n}\n" for n in range(20_000)), "utf-8")
    for wait_s in (0.4, 1.2):
        out = ["--workers", "2", "-b", "60p", "-o", str(tmp_path / f"c{wait_s}")]
        process = subprocess.Popen(
            [sys.executable, "-m", "dowse", "crawl", "solar", "-s", str(seeds), *network(server), *out],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT,
        )  # fmt: skip
        time.sleep(wait_s)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=40)
        assert process.returncode in (130, -signal.SIGINT), "the latter before Python runs any code of ours"
        assert "Traceback" not in err


def test_what_a_server_says_is_not_markup(tmp_path: Path) -> None:
    home = Resource(b"<title>home</title><p>solar cells</p><a href=/odd>odd</a>")
    odd = Resource(b"x", "[/x]a/\x1b[31mred")
    with in_thread(Web.of(Site("m.test", {"/": home, "/odd": odd}))) as server:
        done = dowse(
            "crawl", "solar", "-s", "http://m.test/", "-o", str(tmp_path / "x[/nope]"), *network(server),
            "--resolve", f"*.test={server.address}",
        )  # fmt: skip
    assert "content-type [/x]a/ [31mred 1" in done.stdout
    assert "x[/nope]" in done.stdout


def test_standard_streams_may_be_closed(server: LoopbackServer, tmp_path: Path) -> None:
    arguments = ["crawl", "solar", "-s", DEMO_SEEDS[0], "-b", "3p", "-o", str(tmp_path / "c"), *network(server)]
    line = 'exec "$@" <&- >&- 2>&-'
    done = subprocess.run(["sh", "-c", line, "sh", sys.executable, "-m", "dowse", *arguments], timeout=60)
    assert done.returncode == 0
    assert (tmp_path / "c" / "harvest.svg").is_file()


def test_a_reader_that_leaves_does_not_spoil_the_crawl(server: LoopbackServer, tmp_path: Path) -> None:
    arguments = [
        "crawl",
        "solar",
        "-s",
        DEMO_SEEDS[0],
        "-b",
        "9p",
        "-o",
        str(tmp_path / "c"),
        "--json",
        *network(server),
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "dowse", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=ENVIRONMENT,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    assert json.loads(process.stdout.readline())["event"] == "start"
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    process.wait(60)
    assert "Traceback" not in err
    assert "Unclosed" not in err
    assert (tmp_path / "c" / "harvest.svg").is_file()


def test_hostile_serve_keeps_its_hands_off_a_file_that_is_not_its_own(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('query = "mine"\n')
    done = dowse("hostile", "serve", "--topic", str(tmp_path / "mine.toml"), code=2)
    assert done.stderr.count("\n") == 1
    assert "was not written by dowse hostile serve" in done.stderr
    assert (tmp_path / "mine.toml").read_text() == 'query = "mine"\n'


def test_hostile_serve_on_another_address_or_a_taken_port(server: LoopbackServer, tmp_path: Path) -> None:
    topic = str(tmp_path / "hostile.toml")
    assert "not a loopback address" in dowse("hostile", "serve", "--host", "0.0.0.0", "--topic", topic, code=2).stderr
    done = dowse("hostile", "serve", "--port", str(server.port), "--topic", topic, code=2)
    assert "cannot serve on 127.0.0.1" in done.stderr
    assert not (tmp_path / "hostile.toml").exists()


def test_hostile_check_of_another_crawl(folder: Path) -> None:
    assert "is no crawl of the hostile web" in dowse("hostile", "check", str(folder), code=2).stderr


def test_lab_info_tells_of_a_crawl_and_keeps_what_it_worked_out(folder: Path, tmp_path: Path) -> None:
    unread = shutil.copytree(folder, tmp_path / "crawl", ignore=shutil.ignore_patterns(".dowse-lab"))
    first = dowse("lab", "info", str(unread), "--jobs", "1")
    assert "indexing" in first.stderr
    assert "pages on" in first.stdout
    again = dowse("lab", "info", str(unread), "--json", "--seed", DEMO_SEEDS[0])
    assert again.stderr == ""
    figures = json.loads(again.stdout)
    assert 50 < figures["pages"] <= figures["urls"]
    assert figures["seeds"] == [DEMO_SEEDS[0]]
    assert 1 < figures["reachable"] <= 60
    assert figures["timed"] == figures["urls"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere is no folder"),
        (["."], "holds no WARC files"),
        (["{folder}", "--seed", "http://nowhere.test/"], "is not in this corpus"),
        (["{folder}", "--jobs", "0"], "--jobs: must be at least 1, not 0"),
    ],
)
def test_lab_info_tells_a_mistake_in_one_line(folder: Path, arguments: list[str], message: str) -> None:
    open_corpus(folder, jobs=1)  # what is worked out once is told, too
    done = dowse("lab", "info", *(word.format(folder=folder) for word in arguments), code=2)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
