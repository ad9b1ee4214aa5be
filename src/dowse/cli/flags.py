"""The flags that change a topic, each declared once: what the user types, what the help says, which key of the topic
file it sets. The options of the commands, the checks, the messages and ``docs/cli.md`` follow from the declaration.

A flag reads its value as the topic file reads that key, so both accept the same and complain alike. A new flag is a new
row of :data:`FLAGS`.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from os.path import isdir, isfile  # which take any text: what cannot be a name is no file
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from dowse.judge import category_files
from dowse.model.budget import Budget
from dowse.model.database_url import DATABASE
from dowse.model.errors import UserError
from dowse.model.proxy_login import PROXY
from dowse.model.secret_fields import join_cookies
from dowse.model.topic import Expression, StrategyChoice, Topic
from dowse.model.topic_fields import Fault, budget_text
from dowse.model.topic_keys import topic_keys
from dowse.model.topicfile import load_topic
from dowse.model.url import canonical
from dowse.predict import parameter_value, split_strategy

__all__ = [
    "FLAGS", "GROUPS", "NETWORK", "OUTPUT", "START", "AsJson", "Flag", "Folder", "Force", "budget_of", "flagged",
    "given_of", "read_topic", "with_flags",
]  # fmt: skip

Command = TypeVar("Command", bound=Callable[..., None])

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The crawl's folder.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite what exists.")]

START, STOP, ORDER, SCOPE, RELEVANCE, ASKING, SAVING, OUTPUT = GROUPS = (
    "Where to start", "When to stop", "Which pages come first", "How far to go", "What counts as relevant",
    "Politeness and network", "Saving downloads", "Output",
)  # fmt: skip
"""The headings of ``dowse crawl --help``."""

_KEYS = topic_keys(Path())
_DAY_S = 86400.0
_LISTS = (".txt", ".csv", ".tsv")  # no host name ends so: a seed that does is a file


@dataclass(frozen=True, slots=True)
class Flag:
    """One flag. It replaces what the topic says; one that may be given several times adds to it."""

    name: str  # as the user types it
    metavar: str  # what stands for the value in the help; empty for a switch
    sets: str  # the key of the topic file
    group: str
    help: str
    kind: type = str
    many: bool = False
    short: str = ""
    secret: bool = False  # its values are shown to nobody
    fixed: bool = False  # settled when a crawl begins: --resume does not take it
    lay: Callable[[Flag, Topic, Any], Topic] | None = None  # for a flag that does more than set its key

    @property
    def parameter(self) -> str:
        """The name of a command's parameter for it."""
        return self.name[2:].replace("-", "_")

    @property
    def default(self) -> str:
        """What holds without it, as the user would write it; empty where that is nothing, or follows from the rest."""
        table, _, key = self.sets.rpartition(".")
        if self.kind is bool or key not in _KEYS.get(table, {}):
            return ""
        attribute = _KEYS[table][key][0]
        value = getattr(getattr(Topic(), table) if table else Topic(), attribute)
        if attribute.endswith("_s"):
            return f"{value / _DAY_S:g}d" if value and value % _DAY_S == 0 else f"{value:g}s"
        return "" if value is None or value in ("", (), {}) else str(value)

    def option(self) -> inspect.Parameter:
        """The parameter that makes typer offer this flag."""
        names = [self.name, self.short] if self.short else [self.name]
        told = f"{self.help} [default: {self.default}]" if self.default else self.help
        info = typer.Option(*names, metavar=self.metavar or None, help=told, rich_help_panel=self.group)
        if self.kind is bool:
            hint, default = Annotated[bool, info], False
        else:  # numbers come as text: the key's reader complains of "two" as it does of "-2"
            hint, default = Annotated[(list[str] if self.many else str) | None, info], None
        return inspect.Parameter(self.parameter, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)

    def over(self, topic: Topic, value: Any) -> Topic:
        """The topic with what this flag says laid over it; a UserError names the flag."""
        value = [self._converted(each) for each in value] if self.many else self._converted(value)
        try:
            return (self.lay or Flag.set_key)(self, topic, value)
        except Fault as fault:
            within = (str(part) for part in fault.within if isinstance(part, str))
            raise UserError(": ".join((self.name, *within, fault.message))) from None

    def _converted(self, value: Any) -> Any:
        try:
            return self.kind(value)
        except ValueError:
            return value

    def set_key(self, topic: Topic, value: Any) -> Topic:
        """Set the key, or add to what it holds."""
        table, _, key = self.sets.rpartition(".")
        attribute, read = _KEYS[table][key]
        before = getattr(getattr(topic, table) if table else topic, attribute)
        if isinstance(before, dict):
            value = {**before, **read(self.pairs(value))}
        else:
            value = (*before, *read(value)) if self.many else read(value)
        return _with(topic, table, {attribute: value})

    def pairs(self, entries: list[str]) -> dict[str, str]:
        """Entries of the form ``KEY=VALUE``."""
        found = {}
        for entry in entries:
            key, separator, value = entry.partition("=")
            if not (separator and key and value):
                raise Fault(f"write {self.metavar}" + ("" if self.secret else f", not {entry!r}"))
            found[key] = value
        return found


def _with(topic: Topic, table: str, values: dict[str, Any]) -> Topic:
    return replace(topic, **({table: replace(getattr(topic, table), **values)} if table else values))


def _lay_off_topic(flag: Flag, topic: Topic, value: bool) -> Topic:
    return _with(topic, "seeds", {"on_topic": not value})


def _lay_no_documents(flag: Flag, topic: Topic, value: bool) -> Topic:
    return _with(topic, "scope", {"documents": not value})


def _lay_seeds(flag: Flag, topic: Topic, seeds: list[str]) -> Topic:
    """A seed is a file where there is such a file, else a web address."""
    for seed in seeds:
        if not seed.strip():
            raise Fault("is empty: name a web page, or a file with one URL per line")
        if "://" not in seed and seed.lower().endswith(_LISTS) and not isfile(seed):
            raise Fault(f"there is no file {seed!r}")
        if isdir(seed):
            raise Fault(f"{seed!r} is a folder: name a web page, or a file with one URL per line")
        whole = seed if "://" in seed else f"https://{seed}"
        if not isfile(seed) and (canonical(whole) is None or "@" in seed.partition("/")[0]):
            raise Fault(f"{seed!r} is not a web address")
    files = [seed for seed in seeds if isfile(seed)]
    urls = [seed for seed in seeds if seed not in files]
    values = {"urls": (*topic.seeds.urls, *urls), "files": (*topic.seeds.files, *files)}
    return _with(topic, "seeds", values)


def _lay_threshold(flag: Flag, topic: Topic, value: float) -> Topic:
    """It takes the place of the judge that learns, and so of what was asked of that."""
    return flag.set_key(_with(topic, "judge", {"precision": None}), value)


def _lay_budget(flag: Flag, topic: Topic, value: str) -> Topic:
    return replace(topic, budget=budget_text(value).over(topic.budget))


def _lay_strategy(flag: Flag, topic: Topic, text: str) -> Topic:
    """Parameters and statistics belong to a strategy: another one starts without them."""
    name, given = split_strategy(text)
    choice = topic.strategy
    other = choice if name == choice.name else StrategyChoice(name, maximise=choice.maximise)
    return replace(topic, strategy=replace(other, params={**other.params, **given}))


def _lay_params(flag: Flag, topic: Topic, entries: list[str]) -> Topic:
    params = {key: parameter_value(value) for key, value in flag.pairs(entries).items()}
    return _with(topic, "strategy", {"params": {**topic.strategy.params, **params}})


def _lay_headers(flag: Flag, topic: Topic, entries: list[str]) -> Topic:
    found = {host: dict(own) for host, own in topic.network.headers.items()}
    for entry in entries:
        [(host, header)] = flag.pairs([entry]).items()
        name, colon, value = header.partition(":")
        if not colon:
            raise Fault(f"write {flag.metavar}")
        found.setdefault(host, {})[name.strip()] = value.strip()
    _, read = _KEYS["network"]["headers"]
    return _with(topic, "network", {"headers": read(found)})


def _lay_cookies(flag: Flag, topic: Topic, entries: list[str]) -> Topic:
    """All that are given for a host are sent; of the topic's, those of other names."""
    given: dict[str, list[str]] = {}
    for entry in entries:
        [(host, cookie)] = flag.pairs([entry]).items()
        given.setdefault(host, []).append(cookie)
    before = topic.network.cookies
    found = {host: join_cookies("; ".join(own), before.get(host, "")) for host, own in given.items()}
    _, read = _KEYS["network"]["cookies"]
    return _with(topic, "network", {"cookies": read({**before, **found})})


def _lay_predicate(flag: Flag, topic: Topic, text: str) -> Topic:
    """A predicate decides in place of the file's threshold and precision, too."""
    wanted = replace(topic, predicate=Expression(text, flag.name))
    return _with(wanted, "judge", {"threshold": None, "precision": None})


# In the order in which they are laid over the topic: a strategy before its parameters, a predicate before a threshold.
FLAGS = (
    Flag("--seed", "URL|FILE", "seeds.urls", START,
         "Start from this URL, or from the URLs in this file (one per line).", many=True, short="-s", lay=_lay_seeds),
    Flag("--sitemap", "URL|FILE", "seeds.sitemaps", START, "Start from the pages that this sitemap lists.", many=True),
    Flag("--find", "", "find.wanted", START, "Ask search engines for seeds, too. Without seeds they are always asked.",
         bool, fixed=True),
    Flag("--engine", "NAME[:ADDRESS]", "find.engines", START,
         "Ask this search engine for seeds: mediawiki, searxng:https://..., local:DIR, ... (see docs/find.md).",
         many=True, fixed=True),
    Flag("--query", "EXPR", "find.queries", START,
         "Ask search engines this, in place of the topic: words, \"phrases\", OR, -word, site:example.org.",
         many=True, fixed=True),
    Flag("--most-seeds", "N", "find.seeds", START, "Take at most this many seeds from search engines.", int,
         fixed=True),
    Flag("--per-query", "N", "find.per_query", START,
         "Want at most this many results from one engine for one query.", int, fixed=True),
    Flag("--find-requests", "N", "find.requests", START, "Make at most this many requests to search engines.", int,
         fixed=True),
    Flag("--seeds-from", "URL", "seeds.from", START,
         "Start from what 'dowse seeds' put into this shared database (postgresql://..., mysql://..., sqlite:///...).",
         secret=True, fixed=True),
    Flag("--collection", "NAME", "seeds.collection", START,
         "The name of the set of seeds in a shared database, in place of the topic's name.", fixed=True),
    Flag("--seeds-off-topic", "", "seeds.on_topic", START,
         "The seeds are only where to start, and no weak examples of the topic.", bool, lay=_lay_off_topic),
    Flag("--budget", "LIMITS", "budget", STOP,
         "Spend at most this: 2000p (pages), 500MB, 30m or 3000r (requests), or several, joined by commas.",
         short="-b", lay=_lay_budget),
    Flag("--target", "N", "target.relevant", STOP, "Stop after this many relevant pages.", int),
    Flag("--target-value", "SUM", "target.value", STOP, "Stop when the scores of all pages add up to this.", float),
    Flag("--strategy", "NAME[:KEY=VALUE,...]", "strategy.name", ORDER,
         "Order the crawl by this strategy ('dowse strategies' lists them).", lay=_lay_strategy),
    Flag("--param", "KEY=VALUE", "strategy", ORDER, "Set a parameter of the strategy.", many=True, lay=_lay_params),
    Flag("--maximise", "value|efficiency", "strategy.maximise", ORDER,
         "Get the most value from each page, or from each second."),
    Flag("--min-priority", "X", "strategy.min_priority", ORDER,
         "Take up no link with a lower priority than this, whatever the strategy's priorities are.", float),
    Flag("--learn-from", "DIR|FILE", "strategy.learn_from", ORDER,
         "Start with what an earlier crawl by the strategy 'learning' has learned.", many=True, fixed=True),
    Flag("--traces", "TRACES", "strategy.traces", ORDER,
         "Go by these access logs as well (see dowse traces import).", fixed=True),
    Flag("--seed-number", "N", "seed_number", ORDER, "Seed the random choices: the same number repeats them.", int),
    Flag("--scope", "host|domain|any", "scope.reach", SCOPE,
         "Stay on the seeds' hosts (at any port), stay on their domains, or go anywhere."),
    Flag("--include", "PATTERN", "scope.include", SCOPE,
         "Fetch only paths like this, seeds aside: /papers/*, *.html.", many=True),
    Flag("--exclude", "PATTERN", "scope.exclude", SCOPE, "Never fetch paths like this: *action=edit*.", many=True),
    Flag("--max-depth", "N", "scope.max_depth", SCOPE, "Go at most this many links away from a seed.", int),
    Flag("--no-documents", "", "scope.documents", SCOPE,
         "Read web pages and plain text only: no PDF, feeds, office files or EPUB.", bool, lay=_lay_no_documents),
    Flag("--allow-port", "PORT", "scope.allow_ports", SCOPE,
         "Also fetch from this port, which browsers refuse (e.g. 6667).", int, many=True),
    Flag("--predicate", "EXPR", "predicate", RELEVANCE,
         "Call a page relevant if it satisfies this expression.", fixed=True, lay=_lay_predicate),
    Flag("--category", "NAME=FILE", "categories", RELEVANCE,
         "Read a category that the predicate names from this file.", many=True, fixed=True),
    Flag("--threshold", "SCORE", "judge.threshold", RELEVANCE,
         "Call a page relevant if its similarity is at least this (0 to 1), in place of what the crawl learns.", float,
         lay=_lay_threshold),
    Flag("--precision", "SHARE", "judge.precision", RELEVANCE,
         "Call pages relevant only as far as this share of them shall be (e.g. 0.9).", float),
    Flag("--language", "NAME", "judge.language", RELEVANCE,
         "Stem words in this language and skip its stop words; 'none' does neither.",
         fixed=True),
    Flag("--delay", "TIME", "politeness.delay", ASKING,
         "Wait this long between two requests to one host: 1s, 0.5, 0."),
    Flag("--concurrency", "N", "network.concurrency", ASKING,
         "Have at most this many requests open at once; 1 makes a crawl repeatable.", int),
    Flag("--workers", "N", "workers", ASKING,
         "Parse and judge in this many processes of their own, or in none (0). The default is one per core.", int),
    Flag("--contact", "WHO", "network.contact", ASKING,
         "Tell the sites you crawl how to reach you: a mail address or a URL."),
    Flag("--proxy", "URL", "network.proxy", ASKING,
         f"Go through this HTTP proxy, http://host:port. {PROXY} in the environment does the same."),
    Flag("--resolve", "HOST=ADDRESS[:PORT]", "network.resolve", ASKING,
         "Connect to this address for hosts of this name, which may have wildcards (*.example.org).", many=True),
    Flag("--header", "HOST=NAME:VALUE", "network.headers", ASKING,
         "Send this header to hosts of this name, which may have wildcards. It is recorded nowhere.", many=True,
         secret=True, lay=_lay_headers),
    Flag("--cookie", "HOST=NAME=VALUE", "network.cookies", ASKING,
         "Send this cookie to hosts of this name, which may have wildcards. It is recorded nowhere.", many=True,
         secret=True, lay=_lay_cookies),
    Flag("--allow-private", "", "network.allow_private", ASKING,
         "Also fetch from private and loopback addresses.", bool),
    Flag("--allow-address", "ADDRESS", "network.allow_addresses", ASKING,
         "Also fetch from this private address or network (e.g. 10.0.0.0/8).", many=True),
    Flag("--cache", "DIR", "cache.folders", SAVING,
         "Take pages from this earlier crawl while they are fresh, instead of downloading them again.", many=True),
    Flag("--cache-age", "TIME", "cache.max_age", SAVING,
         "Count a cached page as fresh for this long: 7d, 12h; 0 turns the cache off."),
    Flag("--publish", "URL", "publish.to", OUTPUT,
         "Bring all pages and verdicts into this shared database while the crawl runs. The password may stand in"
         f" {DATABASE}.", secret=True),
    Flag("--head", "", "cost.head", SAVING, "Ask for a page's type and size (HEAD) before downloading it (GET).", bool),
)  # fmt: skip
"""Every flag that changes a topic. ``dowse crawl`` takes all of them."""

NETWORK = ("--allow-private", "--allow-address", "--resolve")
"""The flags of every command that may fetch a page."""


def flagged(*names: str) -> Callable[[Command], Command]:
    """Offer these flags, or all of them, as options of a command. They take the place of its ``**given``, which it
    passes on to :func:`with_flags`."""

    def offer(command: Command) -> Command:
        own = inspect.signature(command, eval_str=True)
        kept = [each for each in own.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
        options = [flag.option() for flag in FLAGS if not names or flag.name in names]
        command.__signature__ = own.replace(parameters=[*kept, *options])  # type: ignore[attr-defined]
        return command

    return offer


def given_of(given: Mapping[str, Any]) -> list[tuple[Flag, Any]]:
    """The flags that the user gave, with their values."""
    values = [(flag, given.get(flag.parameter)) for flag in FLAGS]
    return [(flag, value) for flag, value in values if value is not None and value is not False and value != []]


def with_flags(topic: Topic, given: Mapping[str, Any]) -> Topic:
    """The topic with every flag that was given laid over it."""
    if given.get("proxy") is None and os.environ.get(PROXY):
        given = {**given, "proxy": os.environ[PROXY]}
    for flag, value in given_of(given):
        topic = flag.over(topic, value)
    # a misspelt name must not pass: a file of the current folder might serve in its place
    for entry in given.get("category") or ():
        name = entry.partition("=")[0]
        if name not in category_files(topic):
            raise UserError(f"--category: the predicate names no category {name!r}")
    return topic


def budget_of(text: str | None) -> Budget:
    """What ``--budget`` says by itself, and not over that of a topic; None: nothing."""
    try:
        return Budget() if text is None else budget_text(text)
    except Fault as fault:
        raise UserError(f"--budget: {fault.message}") from None


def read_topic(text: str | None) -> Topic:
    """A topic from the command line: the path of a topic file, or the words of a topic; None gives an empty one."""
    if text is None:
        return Topic()
    if text.endswith(".toml") or isfile(text):
        return load_topic(text)
    if isdir(text) and "/" in text:  # words may be the name of a folder that happens to be here
        raise UserError(f"{text} is a folder: give words, or the path of a topic file")
    if not text.strip():
        raise UserError("the topic is empty: give words, or the path of a topic file")
    return Topic(name=text, query=text)
