"""A flag that changes a topic: its option, and how what the user gave is laid over the topic.

It reads its value as the topic file reads its key, so both accept the same and complain alike.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from os.path import isdir, isfile  # which take any text: what cannot be a name is no file
from pathlib import Path
from typing import Annotated, Any

import typer

from dowse.model.errors import UserError
from dowse.model.secret_fields import join_cookies
from dowse.model.topic import Expression, StrategyChoice, Topic
from dowse.model.topic_fields import Fault, budget_text
from dowse.model.topic_keys import topic_keys
from dowse.model.url import canonical
from dowse.predict import parameter_value, split_strategy

__all__ = [
    "Flag",
    "lay_budget",
    "lay_cookies",
    "lay_headers",
    "lay_no_documents",
    "lay_off_topic",
    "lay_params",
    "lay_predicate",
    "lay_seeds",
    "lay_strategy",
    "lay_threshold",
]

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


def lay_off_topic(flag: Flag, topic: Topic, value: bool) -> Topic:
    return _with(topic, "seeds", {"on_topic": not value})


def lay_no_documents(flag: Flag, topic: Topic, value: bool) -> Topic:
    return _with(topic, "scope", {"documents": not value})


def lay_seeds(flag: Flag, topic: Topic, seeds: list[str]) -> Topic:
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


def lay_threshold(flag: Flag, topic: Topic, value: float) -> Topic:
    """It takes the place of the judge that learns, and so of what was asked of that."""
    return flag.set_key(_with(topic, "judge", {"precision": None}), value)


def lay_budget(flag: Flag, topic: Topic, value: str) -> Topic:
    return replace(topic, budget=budget_text(value).over(topic.budget))


def lay_strategy(flag: Flag, topic: Topic, text: str) -> Topic:
    """Parameters and statistics belong to a strategy: another one starts without them."""
    name, given = split_strategy(text)
    choice = topic.strategy
    other = choice if name == choice.name else StrategyChoice(name, maximise=choice.maximise)
    return replace(topic, strategy=replace(other, params={**other.params, **given}))


def lay_params(flag: Flag, topic: Topic, entries: list[str]) -> Topic:
    params = {key: parameter_value(value) for key, value in flag.pairs(entries).items()}
    return _with(topic, "strategy", {"params": {**topic.strategy.params, **params}})


def lay_headers(flag: Flag, topic: Topic, entries: list[str]) -> Topic:
    found = {host: dict(own) for host, own in topic.network.headers.items()}
    for entry in entries:
        [(host, header)] = flag.pairs([entry]).items()
        name, colon, value = header.partition(":")
        if not colon:
            raise Fault(f"write {flag.metavar}")
        found.setdefault(host, {})[name.strip()] = value.strip()
    _, read = _KEYS["network"]["headers"]
    return _with(topic, "network", {"headers": read(found)})


def lay_cookies(flag: Flag, topic: Topic, entries: list[str]) -> Topic:
    """All that are given for a host are sent; of the topic's, those of other names."""
    given: dict[str, list[str]] = {}
    for entry in entries:
        [(host, cookie)] = flag.pairs([entry]).items()
        given.setdefault(host, []).append(cookie)
    before = topic.network.cookies
    found = {host: join_cookies("; ".join(own), before.get(host, "")) for host, own in given.items()}
    _, read = _KEYS["network"]["cookies"]
    return _with(topic, "network", {"cookies": read({**before, **found})})


def lay_predicate(flag: Flag, topic: Topic, text: str) -> Topic:
    """A predicate decides in place of the file's threshold and precision, too."""
    wanted = replace(topic, predicate=Expression(text, flag.name))
    return _with(wanted, "judge", {"threshold": None, "precision": None})
