"""Flags win over the topic file: what the command line says, laid over a topic."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dowse.judge import Terms, category_files
from dowse.model.budget import parse_budget, parse_duration
from dowse.model.errors import TopicError, UserError
from dowse.model.proxy import PROXY
from dowse.model.topic import Expression, JudgeSettings, Scope, StrategyChoice, Target, Topic
from dowse.model.topicfile import MAXIMISE, load_topic
from dowse.predict import parameter_value, split_strategy

__all__ = ["Flags", "read_topic", "with_flags"]

_REACHES = ("host", "domain", "any")
_LISTS = (".txt", ".csv", ".tsv")  # no host name ends so: a seed that does is a file


@dataclass(slots=True)
class Flags:
    """The flags of ``dowse crawl`` that change a topic; None or empty: not given."""

    seeds: list[str] = field(default_factory=list)
    budget: str | None = None
    target: int | None = None
    target_value: float | None = None
    strategy: str | None = None
    params: list[str] = field(default_factory=list)
    maximise: str | None = None
    learn_from: list[str] = field(default_factory=list)
    delay: str | None = None
    concurrency: int | None = None
    workers: int | None = None
    scope: str | None = None
    max_depth: int | None = None
    allow_ports: list[int] = field(default_factory=list)
    threshold: float | None = None
    predicate: str | None = None
    categories: list[str] = field(default_factory=list)  # NAME=FILE
    language: str | None = None
    contact: str | None = None
    proxy: str | None = None
    resolve: list[str] = field(default_factory=list)
    allow_private: bool = False
    allow_addresses: list[str] = field(default_factory=list)
    seed_number: int | None = None
    sitemaps: list[str] = field(default_factory=list)
    caches: list[str] = field(default_factory=list)
    cache_age: str | None = None
    head: bool = False


def read_topic(text: str) -> Topic:
    """A topic from the command line: the path of a topic file, or the words of a topic."""
    if text.endswith(".toml") or Path(text).is_file():
        return load_topic(text)
    if not text.strip():
        raise UserError("the topic is empty: give words, or the path of a topic file")
    return Topic(name=text, query=text)


def with_flags(topic: Topic, flags: Flags) -> Topic:
    """The topic with every given flag in place of its own word."""
    for seed in flags.seeds:
        if "://" not in seed and seed.lower().endswith(_LISTS) and not Path(seed).is_file():
            raise UserError(f"--seed: there is no file {seed!r}")
    seeds = replace(
        topic.seeds,
        urls=(*topic.seeds.urls, *(seed for seed in flags.seeds if not Path(seed).is_file())),
        files=(*topic.seeds.files, *(seed for seed in flags.seeds if Path(seed).is_file())),
        sitemaps=(*topic.seeds.sitemaps, *flags.sitemaps),
    )
    changes: dict[str, Any] = {"seeds": seeds}
    if flags.budget is not None:
        changes["budget"] = _named("--budget", parse_budget, flags.budget).over(topic.budget)
    if flags.target is not None or flags.target_value is not None:
        changes["target"] = _target(topic.target, flags)
    if flags.strategy is not None or flags.params or flags.maximise is not None or flags.learn_from:
        changes["strategy"] = _strategy(topic.strategy, flags)
    if flags.delay is not None:
        delay = _named("--delay", parse_duration, flags.delay)
        changes["politeness"] = replace(topic.politeness, delay_s=delay)
    changes["scope"] = _scope(topic.scope, flags)
    if flags.predicate is not None:
        changes["predicate"] = Expression(flags.predicate, "--predicate")
    if flags.categories:
        changes["categories"] = {**topic.categories, **_categories(flags.categories)}
    changes["judge"] = _judge(topic.judge, flags)
    if flags.workers is not None:
        changes["workers"] = _at_least(flags.workers, 0, "--workers")
    if flags.seed_number is not None:
        changes["seed_number"] = flags.seed_number
    if flags.caches or flags.cache_age is not None:
        age = (
            topic.cache.max_age_s if flags.cache_age is None else _named("--cache-age", parse_duration, flags.cache_age)
        )
        changes["cache"] = replace(topic.cache, folders=(*topic.cache.folders, *flags.caches), max_age_s=age)
    if flags.head:
        changes["cost"] = replace(topic.cost, head=True)
    changes["network"] = _network(topic, flags)
    changed = replace(topic, **changes)
    _check_asked_for(flags.categories, changed)
    return changed


def _check_asked_for(entries: list[str], topic: Topic) -> None:
    """A name with a mistake in it must not pass: a file in the current folder might serve in its place."""
    for name in _categories(entries):
        if name not in category_files(topic):
            raise UserError(f"--category: no predicate asks for {name!r}")


def _judge(settings: JudgeSettings, flags: Flags) -> JudgeSettings:
    if flags.predicate is not None:  # it decides in place of the file's threshold, too
        settings = replace(settings, threshold=None)
    if flags.language is not None:
        settings = replace(settings, language=_named("--language", Terms, flags.language).language)
    if flags.threshold is not None:
        if not 0 <= flags.threshold <= 1:
            raise UserError(f"--threshold is {flags.threshold:g}: scores go from 0 to 1")
        settings = replace(settings, threshold=flags.threshold)
    return settings


def _scope(scope: Scope, flags: Flags) -> Scope:
    if flags.scope is not None and flags.scope not in _REACHES:
        raise UserError(f"--scope is {flags.scope!r}: write host, domain or any")
    for port in flags.allow_ports:
        if not 0 < port < 65536:
            raise UserError(f"--allow-port is {port}: ports go from 1 to 65535")
    return replace(
        scope,
        reach=flags.scope or scope.reach,
        max_depth=scope.max_depth if flags.max_depth is None else _at_least(flags.max_depth, 0, "--max-depth"),
        allow_ports=(*scope.allow_ports, *flags.allow_ports),
    )


def _categories(entries: list[str]) -> dict[str, str]:
    found = {}
    for entry in entries:
        name, separator, file = entry.partition("=")
        if not separator or not name or not file:
            raise UserError(f"--category is {entry!r}: write NAME=FILE")
        if not Path(file).is_file():
            raise UserError(f"--category: there is no file {file!r}")
        found[name] = file
    return found


def _target(target: Target, flags: Flags) -> Target:
    if flags.target is not None:
        target = replace(target, relevant=_at_least(flags.target, 1, "--target"))
    if flags.target_value is not None:
        if not 0 < flags.target_value < math.inf:
            raise UserError(f"--target-value is {flags.target_value:g}: it must be a number above 0")
        target = replace(target, value=flags.target_value)
    return target


def _network(topic: Topic, flags: Flags) -> Any:
    network = topic.network
    if flags.contact is not None and not (flags.contact.isascii() and flags.contact.isprintable()):
        raise UserError(f"--contact is {flags.contact!r}: write a mail address or URL in plain ASCII")
    overrides = dict(network.resolve)
    for entry in flags.resolve:
        host, separator, address = entry.partition("=")
        if not separator or not host or not address:
            raise UserError(f"--resolve is {entry!r}: write HOST=ADDRESS or HOST=ADDRESS:PORT")
        overrides[host] = address
    return replace(
        network,
        concurrency=network.concurrency
        if flags.concurrency is None
        else _at_least(flags.concurrency, 1, "--concurrency"),
        contact=flags.contact or network.contact,
        proxy=flags.proxy or os.environ.get(PROXY) or network.proxy,
        allow_private=flags.allow_private or network.allow_private,
        allow_addresses=(*network.allow_addresses, *flags.allow_addresses),
        resolve=overrides,
    )


def _strategy(choice: StrategyChoice, flags: Flags) -> StrategyChoice:
    name, given = split_strategy(flags.strategy) if flags.strategy is not None else (choice.name, {})
    same = name == choice.name
    params = {**(choice.params if same else {}), **given}
    for entry in flags.params:
        key, separator, value = entry.partition("=")
        if not separator or not key:
            raise UserError(f"--param is {entry!r}: write KEY=VALUE")
        params[key] = parameter_value(value)
    if flags.maximise is not None and flags.maximise not in MAXIMISE:
        raise UserError(f"--maximise is {flags.maximise!r}: write {' or '.join(MAXIMISE)}")
    for place in flags.learn_from:
        if not Path(place).exists():
            raise UserError(f"--learn-from: there is no folder or file {place!r}")
    sources = (*choice.learn_from, *flags.learn_from) if same else tuple(flags.learn_from)
    return StrategyChoice(name, params, flags.maximise or choice.maximise, sources)


def _named(flag: str, parse: Any, text: str) -> Any:
    try:
        return parse(text)
    except TopicError as error:
        raise UserError(f"{flag}: {error.message}") from None


def _at_least(value: int, least: int, flag: str) -> int:
    if value < least:
        raise UserError(f"{flag} is {value}: it must be at least {least}")
    return value
