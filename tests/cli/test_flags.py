"""A flag is declared once; everything else follows."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import dowse
from dowse.cli import flags
from dowse.cli.flag import Flag
from dowse.cli.flags import ASKING, FLAGS, GROUPS, NETWORK, flagged, read_topic, with_flags
from dowse.cli.help_lines import GroupedHelp
from dowse.cli.main import make_app
from dowse.model.errors import UserError
from dowse.model.proxy_login import PROXY
from dowse.model.topic import Expression, StrategyChoice, Topic
from dowse.model.topic_keys import topic_keys
from dowse.model.topicfile import parse_topic

SAME: list[tuple[dict[str, Any], str]] = [  # what a flag says, and how a topic file says it
    ({"sitemap": ["http://a.test/s.xml"]}, '[seeds]\nsitemaps = ["http://a.test/s.xml"]'),
    ({"seed": ["http://a.test/"]}, '[seeds]\nurls = ["http://a.test/"]'),
    ({"seeds_off_topic": True}, "[seeds]\non_topic = false"),
    ({"no_documents": True}, "[scope]\ndocuments = false"),
    ({"find": True}, "[find]\nwanted = true"),
    (
        {"engine": ["arxiv", "local:old"], "query": ["a OR b"]},
        '[find]\nengines = ["arxiv", "local:old"]\nqueries = ["a OR b"]',
    ),
    ({"most_seeds": 5, "per_query": 6, "find_requests": 7}, "[find]\nseeds = 5\nper_query = 6\nrequests = 7"),
    ({"budget": "20p,3m"}, 'budget = "20p,3m"'),
    ({"target": 3}, "[target]\nrelevant = 3"),
    ({"target_value": 3.5}, "[target]\nvalue = 3.5"),
    ({"strategy": "hybrid", "param": ["a=1", "b=x"]}, '[strategy]\nname = "hybrid"\na = 1\nb = "x"'),
    ({"maximise": "efficiency"}, '[strategy]\nmaximise = "efficiency"'),
    ({"seed_number": 4}, "seed_number = 4"),
    ({"scope": "host"}, '[scope]\nreach = "host"'),
    ({"include": ["/a/*", "*.html"]}, '[scope]\ninclude = ["/a/*", "*.html"]'),
    ({"exclude": ["*edit*"]}, '[scope]\nexclude = ["*edit*"]'),
    ({"header": ["a.test=X-Key: 1 2"]}, '[network]\nheaders = { "a.test" = { X-Key = "1 2" } }'),
    ({"cookie": ["*.a.test=b=c; d=e"]}, '[network]\ncookies = { "*.a.test" = "b=c; d=e" }'),
    ({"min_priority": -0.5}, "[strategy]\nmin_priority = -0.5"),
    ({"max_depth": 0}, "[scope]\nmax_depth = 0"),
    ({"allow_port": [22, 25]}, "[scope]\nallow_ports = [22, 25]"),
    ({"threshold": 0.25}, "[judge]\nthreshold = 0.25"),
    ({"precision": 0.9}, "[judge]\nprecision = 0.9"),
    ({"language": "none"}, '[judge]\nlanguage = "none"'),
    ({"delay": "1m"}, '[politeness]\ndelay = "1m"'),
    ({"concurrency": 2}, "[network]\nconcurrency = 2"),
    ({"workers": 0}, "workers = 0"),
    ({"contact": "me@example.org"}, '[network]\ncontact = "me@example.org"'),
    ({"proxy": "http://p.test:8"}, '[network]\nproxy = "http://p.test:8"'),
    ({"resolve": ["*.test=127.0.0.1:8"]}, '[network]\nresolve = { "*.test" = "127.0.0.1:8" }'),
    ({"allow_private": True}, "[network]\nallow_private = true"),
    ({"allow_address": ["10.0.0.0/8"]}, '[network]\nallow_addresses = ["10.0.0.0/8"]'),
    ({"cache": ["old"], "cache_age": "0"}, '[cache]\nfolders = ["old"]\nmax_age = 0'),
    ({"head": True}, "[cost]\nhead = true"),
    ({"seeds_from": "sqlite:///s.db", "collection": "x"}, '[seeds]\nfrom = "sqlite:///s.db"\ncollection = "x"'),
    ({"publish": "postgresql://u:p@h/d"}, '[publish]\nto = "postgresql://u:p@h/d"'),
]


def test_every_flag_sets_a_key_of_the_topic_file() -> None:
    keys = topic_keys(Path())
    known = {*keys, *(f"{table}.{key}".removeprefix(".") for table in keys for key in keys[table])}
    assert {flag.sets for flag in FLAGS} <= known
    assert {flag.group for flag in FLAGS} <= set(GROUPS)


@pytest.mark.parametrize(("given", "text"), SAME, ids=lambda value: value if isinstance(value, str) else None)
def test_a_flag_says_what_the_topic_file_says(given: dict[str, Any], text: str) -> None:
    assert with_flags(Topic(query="x"), given) == parse_topic(f'query = "x"\n{text}\n', "t.toml")


def test_every_plain_flag_is_compared_with_the_topic_file() -> None:
    compared = {name for given, _ in SAME for name in given}
    assert {flag.parameter for flag in FLAGS} - compared == {"learn_from", "traces", "predicate", "category"}


def test_a_flag_replaces_and_one_that_may_come_again_adds() -> None:
    topic = parse_topic(
        'query = "x"\nbudget = "20p,3m"\n[seeds]\nurls = ["http://a.test/"]\n[politeness]\ndelay = 3\n'
        '[network]\nresolve = { "a" = "127.0.0.1", "b" = "127.0.0.1" }\n', "t.toml"
    )  # fmt: skip
    changed = with_flags(topic, {"seed": ["b.test"], "delay": "0", "budget": "5p", "resolve": ["b=127.0.0.2"]})
    assert changed.seeds.urls == ("http://a.test/", "b.test")
    assert changed.politeness.delay_s == 0.0
    assert (changed.budget.pages, changed.budget.seconds) == (5, 180.0)
    assert changed.network.resolve == {"a": "127.0.0.1", "b": "127.0.0.2"}
    assert with_flags(topic, {flag.parameter: None for flag in FLAGS}) == topic


def test_another_strategy_starts_without_the_parameters_of_the_topics() -> None:
    topic = Topic(strategy=StrategyChoice("hybrid", {"a": 1}, "efficiency", ("old",)))
    assert with_flags(topic, {"strategy": "bfs"}).strategy == StrategyChoice("bfs", {}, "efficiency")
    assert with_flags(topic, {"strategy": "hybrid"}) == topic
    assert with_flags(topic, {"param": ["b=2"]}).strategy.params == {"a": 1, "b": 2}


def test_a_predicate_takes_the_place_of_the_files_threshold() -> None:
    topic = Topic(judge=replace(Topic().judge, threshold=0.3))
    changed = with_flags(topic, {"predicate": "words > 3"})
    assert (changed.predicate, changed.judge.threshold) == (Expression("words > 3", "--predicate"), None)
    assert with_flags(topic, {"predicate": "words > 3", "threshold": 0.4}).judge.threshold == 0.4


def test_a_seed_that_is_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "seeds").write_text("http://a.test/\n")
    changed = with_flags(Topic(), {"seed": [str(tmp_path / "seeds"), "http://b.test/"]})
    assert (changed.seeds.files, changed.seeds.urls) == ((str(tmp_path / "seeds"),), ("http://b.test/",))


def test_the_environment_names_a_proxy_where_no_flag_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PROXY, "http://env.test:8")
    assert with_flags(Topic(), {}).network.proxy == "http://env.test:8"
    assert with_flags(Topic(), {"proxy": "http://flag.test:8"}).network.proxy == "http://flag.test:8"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"contact": "me"}, '--contact: "me" is not a mail address or an http(s) URL'),
        ({"resolve": ["a=somewhere"]}, '--resolve: a: "somewhere" is not an address: write "127.0.0.1" or'),
        ({"header": ["a.test=Host: b"]}, "--header: a.test: Host: is not for you to set: the URL says it"),
        ({"allow_address": ["here"]}, '--allow-address: "here" is not an address'),
        ({"proxy": "me:secret@host"}, "--proxy: "),
        ({"cache_age": "a week"}, "--cache-age: 'a week' is not a length of time"),
        ({"delay": "400d"}, '--delay: must be a time from 0s to 366d, not "400d"'),
        ({"workers": "two"}, '--workers: must be a whole number from 0 to 256, not "two"'),
        ({"allow_port": ["web"]}, '--allow-port: must be a whole number from 1 to 65535, not "web"'),
        ({"threshold": "nan"}, "--threshold: must be a number from 0 to 1, not nan"),
        ({"scope": "galaxy"}, '--scope: must be host, domain or any, not "galaxy"'),
    ],
)
def test_a_mistake_names_the_flag_and_what_to_write(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=f"^{re.escape(message)}"):
        with_flags(Topic(), given)


def test_an_empty_topic_is_refused() -> None:
    with pytest.raises(UserError, match="the topic is empty"):
        read_topic(" ")


def test_a_new_flag_is_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    new = Flag("--page-time", "TIME", "limits.page_time", ASKING, "Give up on a page after this long.")
    monkeypatch.setattr(flags, "FLAGS", (*FLAGS, new))
    topics: list[Topic] = []

    def command(topic: str, **given: Any) -> None:
        topics.append(with_flags(read_topic(topic), given))

    app = typer.Typer(rich_markup_mode=None)
    app.command(cls=GroupedHelp)(flagged("--page-time", *NETWORK)(command))
    told = CliRunner().invoke(app, ["--help"]).output
    assert re.search(r"Politeness and network:\n(.*\n)*  --page-time TIME +Give up on a page", told)
    assert CliRunner().invoke(app, ["solar", "--page-time", "3m", "--allow-private"]).exit_code == 0
    assert (topics[0].limits.page_time_s, topics[0].network.allow_private) == (180.0, True)
    failed = CliRunner().invoke(app, ["solar", "--page-time", "0"]).exception
    assert str(failed) == '--page-time: must be a time from 0.001s to 366d, not "0"'


def test_dowse_crawl_takes_all_flags_and_others_the_same_ones() -> None:
    root: Any = typer.main.get_command(make_app())
    declared = {flag.name: flag for flag in FLAGS}
    offered = {option.opts[0]: option for option in root.commands["crawl"].params}
    assert offered.keys() >= declared.keys()
    for name in ("judge", "blocks", "train"):
        for option in root.commands[name].params:
            flag = declared.get(option.opts[0])
            assert flag is None or option.help.startswith(flag.help)


def test_messages_name_flags_that_exist() -> None:
    """In every text of the source but docstrings. Behind a bracket stands a variable of CSS."""
    root: Any = typer.main.get_command(make_app())
    groups = [command for command in root.commands.values() if hasattr(command, "commands")]
    commands = [*root.commands.values(), *(inner for group in groups for inner in group.commands.values())]
    known = {name for command in commands for option in command.params for name in option.opts}
    known |= {"--help", "--version", "--until-eof", "--share"}  # the last is a variable of CSS
    named: dict[str, str] = {}
    for path in Path(inspect.getfile(dowse)).parent.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
                named |= dict.fromkeys(re.findall(r"(?<![\w(-])--[a-z][a-z-]+", node.value), str(path))
    assert {flag: path for flag, path in named.items() if flag not in known} == {}


def test_headers_of_one_host_add_up_and_no_message_shows_them() -> None:
    given = {"header": ["a.test=X-One: 1", "a.test=X-Two:2"], "cookie": ["a.test=b=c"]}
    network = with_flags(Topic(), given).network
    assert network.headers == {"a.test": {"X-One": "1", "X-Two": "2"}}
    assert network.cookies == {"a.test": "b=c"}
    for flag in ({"header": ["a.test-hidden"]}, {"header": ["a.test=hidden"]}, {"cookie": ["hidden"]}):
        with pytest.raises(UserError, match="write HOST=NAME") as told:
            with_flags(Topic(), flag)
        assert "hidden" not in str(told.value)


def test_cookies_of_one_host_add_up_and_take_the_place_of_the_files() -> None:
    topic = parse_topic('query = "x"\n[network]\ncookies = { "a.test" = "a=0; d=3", "c.test" = "e=4" }\n', "t.toml")
    given = {"cookie": ["a.test=a=1", "b.test=x=1", "a.test=b=2"]}
    assert with_flags(topic, given).network.cookies == {"a.test": "a=1; b=2; d=3", "b.test": "x=1", "c.test": "e=4"}


@pytest.mark.parametrize("seed", [".", "/", "http://", "a b"])
def test_a_seed_that_is_none_is_told_at_once(seed: str) -> None:
    with pytest.raises(UserError, match=r"--seed: .* is (a folder|not a web address)"):
        with_flags(Topic(), {"seed": [seed]})


def test_the_help_tells_defaults() -> None:
    told = {flag.name: flag.default for flag in FLAGS}
    assert (told["--delay"], told["--cache-age"], told["--scope"], told["--concurrency"]) == ("1s", "7d", "any", "64")
    assert told["--seed"] == told["--allow-private"] == told["--budget"] == ""
    assert not any(flag.default for flag in FLAGS if flag.kind is bool), "a switch is off unless it is given"
