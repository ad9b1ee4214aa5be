from __future__ import annotations

import json
import re
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import Stemmer
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.model.budget import Budget
from dowse.model.errors import TopicError
from dowse.model.topic import (
    Cache,
    Cost,
    Example,
    Find,
    Keyword,
    Limits,
    Network,
    Politeness,
    Scope,
    Seeds,
    StrategyChoice,
    Topic,
    Traps,
)
from dowse.model.topic_keys import LANGUAGES
from dowse.model.topicfile import (
    TEMPLATE,
    check_ready,
    load_topic,
    parse_topic,
    topic_from_json,
    topic_to_json,
)

FILLED = TEMPLATE.replace('query = ""', 'query = "q"')
DOCS = (Path(__file__).parents[2] / "docs" / "topic-file.md").read_text()
FULL = """
name = "perovskites"
query = "perovskite solar cells"
out = "crawl"
workers = 0
seed_number = 7
strategy = "hybrid"
budget = "2000p,500MB,30m"
[keywords]
perovskite = 3
"solar cell" = 1.5
[seeds]
urls = ["HTTPS://Example.org/a#top"]
files = ["seeds.txt"]
sitemaps = ["https://example.org/sitemap.xml", "map.xml"]
robots_sitemaps = true
on_topic = false
[examples]
positive = ["good/*.html", "https://example.org/good"]
negative = ["bad.html"]
[scope]
reach = "domain"
hosts = ["*.nasa.gov"]
include = ["/papers/*"]
max_depth = 0
languages = ["en"]
traps.max_per_host = 10
[judge]
threshold = 1
[politeness]
delay = "500s"
max_delay = "1h"
[limits]
max_wire_bytes = "1MiB"
timeout = 5
[network]
contact = "me@example.org"
resolve = { "*.example.org" = "127.0.0.1:8080", "six" = "[::1]:80", "bare" = "::1" }
[cost]
head = true
[cache]
folders = ["earlier", "/elsewhere"]
max_age = "12h"
"""


def folder(path: Path) -> Path:
    (path / "good").mkdir()
    for name in ("good/b.html", "good/a.html", "bad.html", "seeds.txt", "map.xml"):
        (path / name).write_text("x")
    (path / "topic.toml").write_text(FULL)
    return path


def test_a_full_file_becomes_a_topic(tmp_path: Path) -> None:
    topic = load_topic(folder(tmp_path) / "topic.toml")
    here = f"{tmp_path}/"
    assert topic.keywords == (Keyword("perovskite", 3.0), Keyword("solar cell", 1.5))
    assert topic.budget == Budget(pages=2000, bytes=500_000_000, seconds=1800.0)
    assert topic.strategy == StrategyChoice("hybrid")
    assert topic.seeds == Seeds(
        ("https://example.org/a",),
        (here + "seeds.txt",),
        ("https://example.org/sitemap.xml", here + "map.xml"),
        robots_sitemaps=True,
        on_topic=False,
    )
    assert topic.examples == (
        Example(here + "good/a.html"),
        Example(here + "good/b.html"),
        Example("https://example.org/good"),
        Example(here + "bad.html", positive=False),
    )
    assert topic.scope == Scope(
        "domain",
        ("*.nasa.gov",),
        include=("/papers/*",),
        max_depth=0,
        languages=("en",),
        traps=Traps(max_per_host=10),
    )
    assert topic.politeness == Politeness(500.0, 3600.0)
    assert topic.limits == Limits(max_wire_bytes=2**20, timeout_s=5.0)
    assert topic.network.resolve["*.example.org"] == "127.0.0.1:8080"
    assert (topic.out, topic.workers, topic.seed_number, topic.judge.threshold) == (here + "crawl", 0, 7, 1.0)
    assert (topic.cost, topic.cache) == (Cost(head=True), Cache((here + "earlier", "/elsewhere"), 43_200.0))
    assert topic_from_json(json.loads(json.dumps(topic_to_json(topic)))) == topic


def test_budget_and_strategy_as_tables() -> None:
    topic = parse_topic(
        'keywords = ["a b"]\n[budget]\nbytes = 5\ntime = 90\n[strategy]\nname = "x"\na = 0.5\nb = true', "t.toml"
    )
    assert topic.budget == Budget(bytes=5, seconds=90.0)
    assert topic.strategy == StrategyChoice("x", {"a": 0.5, "b": True})
    assert topic.keywords == (Keyword("a b", 1.0),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 't.toml: is empty; it says nothing to look for: add query = "..."'),
        ("# only a comment", "t.toml: is empty"),
        ('name = "x"', "t.toml: says nothing to look for: add query"),
        ('[examples]\nnegative = ["https://e.org/"]', "t.toml: says nothing to look for"),
        ("a = 1\nb = = 2", "t.toml:2: Invalid value at column 5"),
        ("a = [1,\n2", "t.toml:2: Unclosed array, at the end of the file"),
        ("a = 1\na = 2\n\n", "t.toml:2: Cannot overwrite a value at column"),
        ("a = " + "[" * 9999, "t.toml: is nested too deeply"),
        ("query = 3", "t.toml:1: query: must be a string, not 3"),
        ('query = "q"\nqeury = 2', "t.toml:2: qeury: unknown key: did you mean query?"),
        ("\n\n[scope]\nmax_dpeth = 3", "t.toml:4: scope.max_dpeth: unknown key: did you mean max_depth?"),
        ("max_depth = 3", "t.toml:1: max_depth: unknown key here: it belongs in [scope]"),
        ("[seeds]\nworkers = 3", "seeds.workers: unknown key here: it belongs at the top of the file, above the first"),
        ("[jugde]\nmethod = 1", "t.toml:1: jugde: unknown key: did you mean judge?"),
        ("[target]\nzzz = 1", "t.toml:2: target.zzz: unknown key: [target] knows relevant, value"),
        ("[target]\nvalue = 0", "t.toml:2: target.value: must be a number above 0, not 0"),
        ("[target]\nvalue = inf", "t.toml:2: target.value: must be a finite number above 0, not inf"),
        ("scope = 3", "t.toml:1: scope: must be a table, [scope], not 3"),
        ("[scope]\ntraps = 3", "t.toml:2: scope.traps: must be a table, [scope.traps], not 3"),
        ("[scope]\nmax_depth = -1", "t.toml:2: scope.max_depth: must be a whole number of at least 0, not -1"),
        ("[scope]\nallow_ports = 25", "t.toml:2: scope.allow_ports: must be a list of ports such as [8022], not 25"),
        ("[scope]\nallow_ports = [25, 0]", "scope.allow_ports: must be a whole number from 1 to 65535, not 0"),
        ("[scope]\nmax_depth = true", "must be a whole number of at least 0, not true"),
        ("[scope]\nmax_depth = 2024-01-01", "must be a whole number of at least 0, not a date"),
        ('[scope]\nreach = "hosts"', 't.toml:2: scope.reach: must be host, domain or any, not "hosts"'),
        ('[scope]\nhosts = "a"', 't.toml:2: scope.hosts: must be a list of strings, not "a"'),
        ('[scope]\nhosts = [\n"a",\n"http://b/",\n]', 't.toml:4: scope.hosts: "http://b/" is not a host name such as'),
        ('[scope]\nhosts = [\n"a",\n5,\n]', "t.toml:4: scope.hosts: must be a string, not 5"),
        ('[scope]\ninclude = ["papers"]', 'scope.include: "papers" is not a path pattern: it begins with / or *'),
        ('[scope]\nlanguages = ["English"]', '"English" is not a language code of two letters such as en'),
        ('[scope]\ncontent_types = ["html"]', '"html" is not a content type'),
        ("[scope.traps]\nmax_repeated_segments = 1", "must be 2 or more, or 0 to switch the rule off"),
        ('[seeds]\nurls = ["example.org"]', 'seeds.urls: "example.org" is not a web address: write it whole'),
        ('[seeds]\nfiles = ["lost.txt"]', 'seeds.files: there is no file "lost.txt"'),
        ('[examples]\npositive = ["lost/*.html"]', 'examples.positive: no file matches "lost/*.html"'),
        ("[judge]\nthreshold = 1.5", "judge.threshold: must be a number from 0 to 1, not 1.5"),
        ('[scope]\nlanguages = ["en", "eng"]', '"eng" is not a language code of two letters such as en (ISO 639-1)'),
        ('[scope]\nlanguages = ["en-GB"]', '"en-GB" is not a language code of two letters'),
        ("[judge]\nthreshold = nan", "must be a number from 0 to 1, not nan"),
        ('[judge]\nlanguage = "englsih"', "judge.language: must be none, arabic"),
        ('[judge]\nlanguage = "englsih"', 'yiddish, not "englsih": did you mean english?'),
        ("[strategy]\na = [1]", "strategy.a: must be a number, a string or a boolean, not a list"),
        ("strategy = 1", "strategy: must be a name or a table, not 1"),
        ('budget = "5x"', "t.toml:1: budget: '5x' has an unknown unit"),
        ("budget = 5", "budget: must be a table, [budget], not 5"),
        ("[budget]\npages = 0", "budget.pages: must be a whole number of at least 1, not 0"),
        ('[budget]\ntime = "soon"', "budget.time: 'soon' is not a length of time"),
        ('[budget]\nbytes = "5 pages"', "budget.bytes: '5 pages' is not a size"),
        ("[budget]\nbytes = -5", "budget.bytes: must be a size above 0, not -5"),
        ("[politeness]\ndelay = 100", "t.toml:2: politeness.delay: is longer than max_delay (60s)"),
        ("[politeness]\ndelay = inf", "politeness.delay: must be a time from 0s to"),
        ("[politeness]\nobey_robots = 1", "politeness.obey_robots: must be true or false, not 1"),
        ('[network]\nuser_agent = "a\\r\\nb: c"', r'"a\r\nb: c" is not one line of plain ASCII'),
        ('"a\\nb" = 1', r"t.toml:1: a\nb: unknown key"),
        ('[network]\nproxy = "proxy:80"', '"proxy:80" is not a proxy\'s URL'),
        (
            '[network.resolve]\na = "1.2.3.4"\nb = "localhost"',
            't.toml:3: network.resolve.b: "localhost" is not an addr',
        ),
        ('[network]\nallow_addresses = ["127.0.0.1", "home"]', '"home" is not an address'),
        ('[network.resolve]\nb = "1.2.3.4:99999"', '"1.2.3.4:99999" is not an address'),
        ('[keywords]\n"a" = 1\n"b" = 0', "t.toml:3: keywords.b: a keyword's weight must be a number above 0, not 0"),
        ('keywords = "a"', 'keywords: must be a list such as ["solar cell"] or a table'),
        ('keywords = [" "]', "keywords. : a keyword is empty"),
    ],
)
def test_a_mistake_is_one_line_that_says_where(text: str, message: str) -> None:
    with pytest.raises(TopicError) as caught:
        parse_topic(text, "t.toml")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("t.toml")


def test_the_first_mistake_by_line_is_told() -> None:
    text = '[judge]\nthreshold = 7\n[scope]\nmax_depth = "x"\n[seeds]\nurls = 3\n'
    with pytest.raises(TopicError, match=r"^t.toml:2: judge.threshold"):
        parse_topic(text, "t.toml")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    for content, message in [
        ('query = "q"\nname = "ä"'.encode("latin-1"), "t.toml:2: is not UTF-8 text: save it as UTF-8"),
        ('query = "q"'.encode("utf-16"), "t.toml:1: is not UTF-8 text"),
        (b"", "t.toml: is empty"),
        (b"#" * 1_000_001, "is too large for a topic file"),
    ]:
        path.write_bytes(content)
        with pytest.raises(TopicError, match=re.escape(message)):
            load_topic(path)
    path.write_bytes('query = "q"'.encode("utf-8-sig"))
    assert load_topic(str(path)).query == "q"
    with pytest.raises(TopicError, match=r"missing.toml: cannot read the topic file: No such file"):
        load_topic(tmp_path / "missing.toml")
    with pytest.raises(TopicError, match="cannot read the topic file: Is a directory"):
        load_topic(tmp_path)


def test_a_crawl_needs_a_subject_and_seeds_or_words_to_find_some() -> None:
    topic = parse_topic('query = "q"', "t.toml")
    check_ready(topic)  # search engines are asked
    with pytest.raises(TopicError, match="no seeds"):
        check_ready(replace(topic, query="", predicate="words > 3"))
    check_ready(replace(topic, query="", predicate="words > 3", find=Find(queries=("q",))))
    check_ready(replace(topic, query="", predicate="words > 3", seeds=Seeds(urls=("https://e.org/",))))
    with pytest.raises(TopicError, match="nothing to look for"):
        check_ready(Topic(seeds=Seeds(urls=("https://e.org/",))))


def test_the_languages_are_the_stemmers() -> None:
    assert set(LANGUAGES) - {"none"} <= set(Stemmer.algorithms())


def test_the_template_is_the_default_topic() -> None:
    assert parse_topic(FILLED, "t.toml") == Topic(name="my-topic", query="q")
    assert max(map(len, TEMPLATE.splitlines())) <= 120


def attributes(value: Any, prefix: str = "") -> dict[str, Any]:
    """Every setting below a dataclass, by dotted name."""
    found: dict[str, Any] = {}
    for field in fields(value):
        inner = getattr(value, field.name)
        name = prefix + field.name
        found |= attributes(inner, name + ".") if is_dataclass(inner) else {name: inner}
    return found


KEYS = {"budget.seconds": "budget.time", "examples": "examples.positive", "strategy.params": "strategy.name",
        "seeds.database": "seeds.from", "publish.url": "publish.to"}  # fmt: skip


def key_of(attribute: str) -> str:
    return KEYS.get(attribute, attribute.removesuffix("_s"))


def template_lines() -> dict[str, tuple[str, bool]]:
    """key -> (value, has a default) of every line of the template, commented out or not."""
    found, table = {}, ""
    for line in TEMPLATE.splitlines():
        if header := re.match(r"\[([\w.]+)\]", line):
            table = header[1] + "."
        elif pair := re.match(r"(?:# )?(\w+) = (.*?)(?:\s{2,}#.*|\s+# \(no default.*)?$", line):
            found[table + pair[1]] = (pair[2], "(no default" not in line)
    return found


def doc_rows() -> dict[str, tuple[str, bool]]:
    found, table = {}, ""
    for line in DOCS.splitlines():
        if line.startswith("## "):
            name = re.search(r"`\[(.*)\]`", line)
            table = name[1] + "." if name else ""
        elif row := re.match(r"\| `(\w+)` \| [^|]+ \| (?:`(.*?)`|none) \| .+ \|$", line):
            found[table + row[1]] = (row[2], row[2] is not None)
    return found


@pytest.mark.parametrize("source", [template_lines, doc_rows])
def test_every_setting_is_shown_with_its_default(source: Any) -> None:
    shown = source()
    defaults = attributes(Topic())
    assert {key_of(name) for name in defaults} | {"examples.negative"} == set(shown)
    for name, default in defaults.items():
        value, has_default = shown[key_of(name)]
        assert has_default == (default is not None and name != "keywords"), name
        if has_default and name not in ("name", "examples", "strategy.params"):
            topic = parse_topic(f'keywords = ["k"]\n{key_of(name)} = {value}', "t.toml")
            assert attributes(topic)[name] == default


def test_the_template_with_everything_uncommented_is_valid() -> None:
    text = re.sub(r"(?m)^# (?=\w+ = )", "", FILLED)
    topic = parse_topic(text, "t.toml")
    assert topic.scope.max_depth == 5
    assert topic.network.contact == "you@example.org"


def test_the_first_example_of_the_docs_is_valid() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", DOCS, re.DOTALL)
    topic = parse_topic(example, "t.toml")
    check_ready(topic)
    assert topic.budget == Budget(pages=2000, seconds=1800.0)


names = st.text(max_size=8)
many = st.lists(names, max_size=3).map(tuple)
counts = st.integers(0, 10**15)
words = names.map(lambda name: f"w{name}")
globs = st.sampled_from(["a.test", "*.b.test", "192.0.2.1"])
topics = st.builds(
    Topic,
    name=names,
    query=names,
    keywords=st.lists(st.builds(Keyword, words, st.floats(0.001, 9)), max_size=3).map(tuple),
    examples=st.lists(st.builds(Example, names, st.booleans(), st.none() | names), max_size=3).map(tuple),
    seeds=st.builds(Seeds, many, many, many, st.booleans()),
    scope=st.builds(
        Scope,
        hosts=st.lists(globs, max_size=3).map(tuple),
        max_depth=st.none() | counts,
        traps=st.builds(Traps, counts),
    ),
    strategy=st.builds(StrategyChoice, names, st.dictionaries(names, names | st.booleans() | st.floats(0, 1))),
    budget=st.builds(Budget, st.none() | st.integers(1, 10**15), seconds=st.none() | st.floats(0.001, 1e7)),
    network=st.builds(Network, resolve=st.dictionaries(globs, st.sampled_from(["192.0.2.1", "[::1]:80"]))),
    out=st.none() | names,
)


@settings(max_examples=60)
@given(topics)
def test_json_round_trips_exactly(topic: Topic) -> None:
    assert topic_from_json(json.loads(json.dumps(topic_to_json(topic)))) == topic


def test_json_of_other_versions() -> None:
    assert topic_from_json({"query": "q"}) == Topic(query="q")
    bad: Any
    for bad in (
        {"colour": 1}, {"scope": 3}, {"seeds": {"urls": "x"}}, [], None, {"query": 7}, {"workers": "2"},
        {"seeds": {"urls": [3]}}, {"limits": {"timeout_s": "5"}}, {"limits": {"timeout_s": float("nan")}},
        {"politeness": {"delay_s": -1}}, {"budget": {"pages": True}}, {"network": {"concurrency": 10**30}},
        {"network": {"resolve": {"a": 1}}}, {"predicate": 3}, {"predicate": {"text": 3}}, {"target": {"value": {}}},
    ):  # fmt: skip
        with pytest.raises(TopicError, match="not the settings of a crawl"):
            topic_from_json(bad)


@given(st.text("ab =[]{}\"'\n.#1,query", max_size=60) | st.text(max_size=30))
def test_any_text_is_a_topic_or_a_topic_error(text: str) -> None:
    message = "t.toml"
    try:
        parse_topic(text, "t.toml")
    except TopicError as error:
        message = str(error)
    assert message.startswith("t.toml")
    assert "\n" not in message


def test_a_database_that_is_a_file_is_relative_to_the_topic_file(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text('query = "q"\n[seeds]\nfrom = "sqlite:///sub/s.db"\n[publish]\nto = "sqlite:////whole/p.db"\n')
    topic = load_topic(file)
    assert (topic.seeds.database, topic.publish.url) == (f"sqlite:///{tmp_path}/sub/s.db", "sqlite:////whole/p.db")
