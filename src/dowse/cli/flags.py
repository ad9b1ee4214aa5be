"""The flags that change a topic, each declared once: what the user types, what the help says, which key of the topic
file it sets. The options of the commands, the checks, the messages and ``docs/cli.md`` follow from the declaration.

A new flag is a new row of :data:`FLAGS`.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from os.path import isdir, isfile  # which take any text: what cannot be a name is no file
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from dowse.cli.flag import (
    Flag,
    lay_budget,
    lay_cookies,
    lay_headers,
    lay_no_documents,
    lay_off_topic,
    lay_params,
    lay_predicate,
    lay_seeds,
    lay_strategy,
    lay_threshold,
)
from dowse.judge import category_files
from dowse.model.budget import Budget
from dowse.model.database_url import DATABASE
from dowse.model.errors import UserError
from dowse.model.proxy_login import PROXY
from dowse.model.topic import Topic
from dowse.model.topic_fields import Fault, budget_text
from dowse.model.topicfile import load_topic

__all__ = [
    "ASKING", "FLAGS", "GROUPS", "NETWORK", "OUTPUT", "START", "AsJson", "Folder", "Force", "budget_of", "flagged",
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

# In the order in which they are laid over the topic: a strategy before its parameters, a predicate before a threshold.
FLAGS = (
    Flag("--seed", "URL|FILE", "seeds.urls", START,
         "Start from this URL, or from the URLs in this file (one per line).", many=True, short="-s", lay=lay_seeds),
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
         "The seeds are only where to start, and no weak examples of the topic.", bool, lay=lay_off_topic),
    Flag("--budget", "LIMITS", "budget", STOP,
         "Spend at most this: 2000p (pages), 500MB, 30m or 3000r (requests), or several, joined by commas.",
         short="-b", lay=lay_budget),
    Flag("--target", "N", "target.relevant", STOP, "Stop after this many relevant pages.", int),
    Flag("--target-value", "SUM", "target.value", STOP, "Stop when the scores of all pages add up to this.", float),
    Flag("--strategy", "NAME[:KEY=VALUE,...]", "strategy.name", ORDER,
         "Order the crawl by this strategy ('dowse strategies' lists them).", lay=lay_strategy),
    Flag("--param", "KEY=VALUE", "strategy", ORDER, "Set a parameter of the strategy.", many=True, lay=lay_params),
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
         "Read web pages and plain text only: no PDF, feeds, office files or EPUB.", bool, lay=lay_no_documents),
    Flag("--allow-port", "PORT", "scope.allow_ports", SCOPE,
         "Also fetch from this port, which browsers refuse (e.g. 6667).", int, many=True),
    Flag("--predicate", "EXPR", "predicate", RELEVANCE,
         "Call a page relevant if it satisfies this expression.", fixed=True, lay=lay_predicate),
    Flag("--category", "NAME=FILE", "categories", RELEVANCE,
         "Read a category that the predicate names from this file.", many=True, fixed=True),
    Flag("--threshold", "SCORE", "judge.threshold", RELEVANCE,
         "Call a page relevant if its similarity is at least this (0 to 1), in place of what the crawl learns.", float,
         lay=lay_threshold),
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
         secret=True, lay=lay_headers),
    Flag("--cookie", "HOST=NAME=VALUE", "network.cookies", ASKING,
         "Send this cookie to hosts of this name, which may have wildcards. It is recorded nowhere.", many=True,
         secret=True, lay=lay_cookies),
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
