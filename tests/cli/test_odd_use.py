"""What a newcomer or a script may do: streams that take nothing, names that are no names, a budget that is spent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dowse.cli.flags import read_topic, with_flags
from dowse.loopback import LoopbackServer, in_thread
from dowse.loopback.demo import DEMO_SEEDS, demo_web
from dowse.model.errors import UserError
from dowse.model.topic import Topic
from dowse.store import CrawlReader

FULL = Path("/dev/full")
LONG = "a" * 5_000
needs_full = pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")


def dowse(
    *arguments: str, columns: str = "", stdout: int = subprocess.PIPE, encoding: str = "utf-8"
) -> subprocess.CompletedProcess[str]:
    ours = ("COLUMNS", "PYTHONIOENCODING")
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    environment["PYTHONIOENCODING"] = encoding
    environment |= {"COLUMNS": columns} if columns else {}
    done = subprocess.run(
        [sys.executable, "-m", "dowse", *arguments], stdout=stdout, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
        text=True, timeout=60, env=environment,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    return done


@pytest.fixture(scope="module")
def server() -> Iterator[LoopbackServer]:
    with in_thread(demo_web()) as running:
        yield running


def crawl(server: LoopbackServer, folder: Path, *more: str) -> list[str]:
    network = ["--resolve", f"*.dowse.test={server.address}", "--allow-private", "--delay", "0", "--workers", "0"]
    return ["crawl", "solar", "-s", DEMO_SEEDS[0], "-o", str(folder), *network, *more]


@pytest.fixture(scope="module")
def folder(server: LoopbackServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crawls") / "a crawl's"
    assert dowse(*crawl(server, folder, "-b", "5p,30m", "-q")).returncode == 0
    return folder


@pytest.mark.parametrize("command", ["export", "stats", "report"])
def test_a_command_whose_standard_output_is_closed(command: str, folder: Path, tmp_path: Path) -> None:
    more = ["-o", str(tmp_path / "report.html")] if command == "report" else []
    line = [sys.executable, "-m", "dowse", command, str(folder), *more]
    done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *line], stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@needs_full
@pytest.mark.parametrize("arguments", [["export", "DIR"], ["stats", "DIR"], ["why", "DIR", DEMO_SEEDS[0]], ["--help"],
                                       ["--version"], ["strategies"]])  # fmt: skip
def test_a_standard_output_that_is_full_is_told_in_one_line(arguments: list[str], folder: Path) -> None:
    with FULL.open("w") as full:
        done = dowse(*(str(folder) if word == "DIR" else word for word in arguments), stdout=full.fileno())
    assert done.stderr == "dowse: cannot write to standard output: No space left on device\n"
    assert done.returncode == 1


@needs_full
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_crawl_keeps_its_pages_whatever_happens_to_what_it_prints(
    more: list[str], server: LoopbackServer, tmp_path: Path
) -> None:
    with FULL.open("w") as full:
        done = dowse(*crawl(server, tmp_path / "c", "-b", "5p", *more), stdout=full.fileno())
    assert done.stderr.endswith("dowse: cannot write to standard output: No space left on device\n")
    assert done.returncode == 1
    with CrawlReader(tmp_path / "c") as reader:
        assert reader.summary().pages == 5


@pytest.mark.parametrize(
    "arguments",
    [
        ["export", "DIR", "-o", f"{LONG}.csv"], ["report", "DIR", "-o", LONG], ["stats", LONG], ["repair", LONG],
        ["stats", "save", "DIR", "-o", LONG], ["init", LONG], ["demo", "-o", LONG],
        ["crawl", "x", "-s", "http://a.test/", "--sitemap", LONG],
        ["crawl", "x", "-s", "http://a.test/", "--learn-from", LONG],
        ["crawl", "x", "-s", "http://a.test/", "--category", f"x={LONG}"],
        ["train", "x", "--positive", LONG, "--negative", LONG],
        ["seeds", "x", "--engine", f"file:{LONG}"], ["lab", "compare", "DIR", "--all-labels", "--out", LONG],
    ],
    ids=lambda arguments: " ".join(word[:12] for word in arguments),
)  # fmt: skip
def test_a_name_that_is_too_long_is_told_in_one_line(arguments: list[str], folder: Path) -> None:
    done = dowse(*(str(folder) if word == "DIR" else word for word in arguments))
    assert done.returncode == 2, done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith("dowse: cannot use 'aaa")
    assert last.endswith("...': file name too long")
    assert len(last) < 140


def test_a_topic_may_be_longer_than_the_name_of_a_file(server: LoopbackServer, tmp_path: Path) -> None:
    words = "how solar cells are made of perovskite, " * 50
    assert read_topic(words) == Topic(name=words, query=words)
    done = dowse("crawl", words, *crawl(server, tmp_path / "c", "-b", "1p", "-q")[2:])
    assert (done.returncode, done.stderr) == (0, "")


def test_a_folder_is_no_topic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="is a folder: give words, or the path of a topic file"):
        read_topic(str(tmp_path))
    (tmp_path / "solar").mkdir()
    monkeypatch.chdir(tmp_path)
    assert read_topic("solar").query == "solar", "a word that a folder is called by stays a word"


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        ("", "--seed: is empty: name a web page"), (" ", "--seed: is empty"),
        ("mailto:me@a.test", "is not a web address"), ("me@a.test", "is not a web address"),
    ],
)  # fmt: skip
def test_what_is_no_seed_is_told(seed: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        with_flags(Topic(), {"seed": [seed]})


def test_a_long_seed_is_a_web_address() -> None:
    seeds = [f"http://a.test/{LONG}", f"a.test/{LONG}"]
    assert with_flags(Topic(), {"seed": seeds}).seeds.urls == tuple(seeds)


def test_what_is_no_web_address_has_no_why(folder: Path) -> None:
    done = dowse("why", str(folder), "not an address")
    assert (done.returncode, done.stderr) == (2, "dowse: 'not an address' is not a web address\n")


def test_a_crawl_whose_budget_is_spent_says_how_to_go_on(folder: Path) -> None:
    """The same command again would do nothing; what is printed can be pasted, and goes on."""
    told = dowse("crawl", "--resume", str(folder)).stdout
    [command] = [line.removeprefix("next").strip() for line in told.splitlines() if "--resume" in line]
    assert command.endswith(" --budget 10p,3600s")
    line = f'dowse() {{ "{sys.executable}" -m dowse "$@"; }}; {command} --json'
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60)
    assert json.loads(done.stdout.splitlines()[-1])["pages"] == 10


def test_lines_are_broken_for_a_terminal_and_whole_in_a_file(server: LoopbackServer, tmp_path: Path) -> None:
    narrow = dowse(*crawl(server, tmp_path / "narrow", "-b", "3p"), columns="40").stdout
    table = narrow.partition("\nnext")[0].splitlines()
    assert max(map(len, table)) <= 40
    whole = dowse(*crawl(server, tmp_path / ("long" * 40), "-b", "3p")).stdout
    assert f"{tmp_path / ('long' * 40)}/dowse.sqlite and " in whole


def test_a_port_that_is_refused_is_told_with_what_permits_it(tmp_path: Path) -> None:
    done = dowse("crawl", "solar", "-s", "http://127.0.0.1:9/", "--allow-private", "-o", str(tmp_path / "c"))
    assert done.returncode == 1
    assert "refused by port (1); --allow-port PORT permits one that browsers refuse" in done.stderr


def test_a_budget_too_small_for_an_answer_says_that_seeds_still_wait(server: LoopbackServer, tmp_path: Path) -> None:
    done = dowse(*crawl(server, tmp_path / "c", "-b", "1B"))
    assert done.returncode == 1
    assert f"no page was fetched: {DEMO_SEEDS[0]} still waits: the crawl stopped before an answer" in done.stderr


@pytest.mark.parametrize("other", [["--threshold", "0.3"], ["--predicate", 'word("solar")']])
def test_precision_is_asked_of_a_judge_that_learns(other: list[str], server: LoopbackServer, tmp_path: Path) -> None:
    done = dowse(*crawl(server, tmp_path / "c", "--precision", "0.9", *other))
    name = other[0].removeprefix("--")
    assert done.returncode == 2
    assert f"judge.precision: is for the judge that learns, whose place the {name} takes: leave one" in done.stderr
    assert not (tmp_path / "c").exists()


def test_a_threshold_takes_the_place_of_the_precision_that_a_crawl_began_with(
    server: LoopbackServer, tmp_path: Path
) -> None:
    assert dowse(*crawl(server, tmp_path / "c", "-b", "3p", "--precision", "0.9", "-q")).returncode == 0
    assert dowse("crawl", "--resume", str(tmp_path / "c"), "-b", "4p", "--threshold", "0.3", "-q").returncode == 0
    done = dowse("crawl", "--resume", str(tmp_path / "c"), "-b", "5p", "--threshold", "0.3", "--precision", "0.8")
    assert (done.returncode, "leave one of the two out" in done.stderr) == (2, True)


def test_a_predicate_takes_its_place_too(server: LoopbackServer, tmp_path: Path) -> None:
    assert dowse(*crawl(server, tmp_path / "c", "-b", "3p", "--precision", "0.9", "-q")).returncode == 0
    done = dowse("rejudge", str(tmp_path / "c"), "--predicate", 'word("solar")')
    assert (done.returncode, done.stderr) == (0, "")


def test_a_terminal_without_a_letter_is_shown_its_number(server: LoopbackServer, tmp_path: Path) -> None:
    done = dowse("crawl", "sólar \u592a", *crawl(server, tmp_path / "c", "-b", "3p")[2:], encoding="ascii")
    assert done.returncode == 0, done.stderr
    assert "s\\xf3lar \\u592a" in done.stderr
    latin = dowse("why", str(tmp_path / "c"), "http://a.test/\u592a", encoding="latin-1")
    assert latin.returncode == 0, latin.stderr


@pytest.mark.parametrize("command", [["demo-web"], ["hostile", "serve"]])
def test_a_port_that_cannot_be_had_is_told_plainly(command: list[str], server: LoopbackServer, tmp_path: Path) -> None:
    topic = ["--topic", str(tmp_path / "t.toml")] if command[0] == "hostile" else []
    taken = server.address.rpartition(":")[2]
    for port, why in ((taken, "address already in use"), ("99999", "a port is a number from 0 to 65535")):
        done = dowse(*command, "--port", port, *topic)
        assert (done.returncode, done.stderr) == (2, f"dowse: cannot serve on 127.0.0.1 port {port}: {why}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["demo", "-o", "FILE"], "FILE is a file: choose a folder with --out"),
        (["crawl", "--resume", "FILE"], "FILE holds no crawl to resume: it is a file"),
        (["crawl", "x", "-s", "http://a.test/", "-o", ""], "-o: is empty"),
        (["crawl", "--resume", " "], "--resume: is empty"),
        (["seeds", "x", "--engine", "file:FOLDER"], "--engine file:FOLDER: that is a folder"),
        (["stats", "shwo", "DIR"], "no such command 'shwo'. Did you mean 'show'? (see: dowse stats --help)"),
        (["objects", "raed", "DIR"], "no such command 'raed'. Did you mean 'read'? (see: dowse objects --help)"),
        (["export", "DIR", "--min-score", "x"],
         "invalid value for '--min-score': it should be a valid number (see: dowse export --help)"),
        (["watch", "DIR", "--rounds", "0"],
         "invalid value for '--rounds': it should be greater than or equal to 1 (see: dowse watch --help)"),
        (["lab", "freshness", "DIR", "--seed", "http://nowhere.test/"],
         "no page was found from where the crawl begins: is that a page of this web?"),
        (["lab", "freshness", "--budget", "1,,2"], "--budget: '1,,2' is no list of numbers: write 10,20,40"),
        (["lab", "freshness", "--start", "May"], "--start: 'May' is no date: write 2021-01-01"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_what_is_no_place_or_no_value_is_told_in_one_line(
    arguments: list[str], message: str, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    for name, place in (("FILE", tmp_path / "file"), ("FOLDER", tmp_path), ("DIR", folder)):
        arguments = [word.replace(name, str(place)) for word in arguments]
        message = message.replace(name, str(place))
    done = dowse(*arguments)
    assert done.stderr.splitlines()[-1] == f"dowse: {message}"
    assert done.returncode == 2
