"""Topic files: TOML in, a checked :class:`~dowse.model.topic.Topic` out.

Every mistake is a :class:`~dowse.model.errors.TopicError` of one line that names the file, the line and the key. When
a file has several, the first by line is told. ``model.topic_keys`` lists the keys; the reference for users is
``docs/topic-file.md``.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from pathlib import Path
from typing import Any

from dowse.model import topic_fields as read
from dowse.model.budget import Budget
from dowse.model.errors import TopicError
from dowse.model.toml_lines import KeyPath, key_lines
from dowse.model.topic import (
    Cache,
    Cost,
    Example,
    Expression,
    Find,
    JudgeSettings,
    Limits,
    Network,
    Politeness,
    Publish,
    Scope,
    Seeds,
    StrategyChoice,
    Target,
    Topic,
    Traps,
)
from dowse.model.topic_check import at_odds
from dowse.model.topic_json import predicate_text, topic_from_json, topic_name, topic_to_json
from dowse.model.topic_keys import COST_FORMS, MAXIMISE, Keys, topic_keys
from dowse.model.topic_template import TEMPLATE

__all__ = [
    "COST_FORMS", "MAXIMISE", "TEMPLATE", "check_ready", "has_seeds", "load_topic", "parse_topic", "predicate_text",
    "topic_from_json", "topic_name", "topic_to_json",
]  # fmt: skip

_LARGEST_FILE = 1_000_000
_NOTHING_TO_FIND = (
    'says nothing to look for: add query = "...", keywords = ["..."], [examples] positive = ["..."] or a predicate'
)
_OPENS_BELOW = re.compile(r"""=\s*(?:'{3}|"{3})\s*$""")  # the text of the string begins on the next line


def load_topic(path: str | Path) -> Topic:
    """Read a topic file. Paths in it are relative to the file."""
    source = str(path)
    try:
        with Path(path).open("rb") as file:
            data = file.read(_LARGEST_FILE + 1)
    except OSError as error:
        raise TopicError(f"cannot read the topic file: {error.strerror}", source=source) from None
    if len(data) > _LARGEST_FILE:
        raise TopicError("is too large for a topic file", source=source)
    try:
        return parse_topic(data.decode("utf-8-sig"), source)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise TopicError("is not UTF-8 text: save it as UTF-8", source=source, line=line) from None


def parse_topic(text: str, source: str) -> Topic:
    """Check the text of a topic file; ``source`` names it in messages, and its folder is where its paths start."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise _syntax_error(error, text, source) from None
    if not data:
        raise TopicError(f"is empty; it {_NOTHING_TO_FIND}", source=source)
    reading = _Reading(source, key_lines(text), text)
    topic = reading.topic(data, Path(source).parent)
    if reading.faults:
        raise min(reading.faults, key=lambda fault: fault.line or 0)
    if not _has_subject(topic):
        raise TopicError(_NOTHING_TO_FIND, source=source)
    return topic


def check_ready(topic: Topic, *, by_judge: bool = False) -> None:
    """Raise a TopicError that says what is missing before a crawl can start. A judge from outside (``by_judge``) may
    know by itself what to look for."""
    if not (by_judge or _has_subject(topic)):
        raise TopicError(f"the topic {_NOTHING_TO_FIND}")
    if not has_seeds(topic) and not (topic.query.strip() or topic.keywords or topic.find.queries):
        raise TopicError(
            'there are no seeds: add [seeds] urls = ["https://..."] to the topic file, or give --seed URL;'
            " search engines, which could find some, need words"
        )


def has_seeds(topic: Topic) -> bool:
    """Does it say where to start?"""
    seeds = topic.seeds
    return bool(seeds.urls or seeds.files or seeds.sitemaps or seeds.database)


def _has_subject(topic: Topic) -> bool:
    positive = any(example.positive for example in topic.examples)
    return bool(topic.query.strip() or topic.keywords or positive or topic.predicate)


def _syntax_error(error: Exception, text: str, source: str) -> TopicError:
    if isinstance(error, RecursionError):
        return TopicError("is nested too deeply", source=source)
    match = re.search(r" \(at line (\d+), column (\d+)\)$", str(error))
    if match:
        message = str(error)[: match.start()]
        return TopicError(f"{message} at column {match[2]}", source=source, line=int(match[1]))
    message = str(error).replace(" (at end of document)", ", at the end of the file")
    return TopicError(message, source=source, line=text.count("\n") + 1)


class _Reading:
    """One pass over a file's data; faults are collected, so that the first by line can be told."""

    def __init__(self, source: str, lines: dict[KeyPath, int], text: str) -> None:
        self._source = source
        self._lines = lines
        self._text = text
        self.faults: list[TopicError] = []

    def topic(self, data: dict[str, Any], directory: Path) -> Topic:
        self._known = tables = topic_keys(directory)
        names = {name.partition(".")[0] for name in tables if name}
        top = {key: value for key, value in data.items() if key not in names}
        values = self._fill((), top, tables[""])
        if "predicate" in values:
            values["predicate"] = self._expression(values["predicate"])
        samples = self._table(data, "examples")
        scope = self._table(data, "scope")
        traps = Traps(**self._table(data, "scope.traps"))
        topic = Topic(
            **values,
            examples=(
                *(Example(source, True) for source in samples.get("positive", ())),
                *(Example(source, False) for source in samples.get("negative", ())),
            ),
            seeds=Seeds(**self._table(data, "seeds")),
            find=Find(**self._table(data, "find")),
            scope=Scope(**scope, traps=traps),
            judge=JudgeSettings(**self._table(data, "judge")),
            strategy=self._strategy(data),
            cost=Cost(**self._table(data, "cost")),
            budget=self._budget(data),
            target=Target(**self._table(data, "target")),
            politeness=Politeness(**self._table(data, "politeness")),
            limits=Limits(**self._table(data, "limits")),
            network=Network(**self._table(data, "network")),
            cache=Cache(**self._table(data, "cache")),
            publish=Publish(**self._table(data, "publish")),
        )
        for path, message in at_odds(topic):
            self._complain(path, message)
        return topic

    def _table(self, data: dict[str, Any], name: str) -> dict[str, Any]:
        path = tuple(name.split("."))
        found: Any = data
        for part in path:
            found = found.get(part, {}) if isinstance(found, dict) else {}
        if not isinstance(found, dict):
            self._complain(path, f"must be a table, [{name}], not {read.shown(found)}")
            return {}
        inner = {other.rpartition(".")[2] for other in self._known if other.startswith(name + ".")}
        return self._fill(path, {key: value for key, value in found.items() if key not in inner}, self._known[name])

    def _fill(self, path: tuple[str, ...], data: dict[str, Any], fields: Keys) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key, value in data.items():
            if key not in fields:
                self._complain((*path, key), self._unknown(path, key))
                continue
            attribute, reader = fields[key]
            try:
                values[attribute] = reader(value)
            except read.Fault as fault:
                self._complain((*path, key, *fault.within), fault.message)
        return values

    def _expression(self, text: str) -> Expression:
        """The predicate is read by the judge, which tells mistakes by line; here is where its lines begin."""
        line = self._lines.get(("predicate",), 1)
        below = _OPENS_BELOW.search(self._text.split("\n")[line - 1])
        return Expression(text, self._source, line + 1 if below else line)

    def _strategy(self, data: dict[str, Any]) -> StrategyChoice:
        table = data.get("strategy", {})
        if isinstance(table, str):
            return StrategyChoice(table)
        if not isinstance(table, dict):
            self._complain(("strategy",), f"must be a name or a table, not {read.shown(table)}")
            return StrategyChoice()
        own = self._known["strategy"]
        params = {key: value for key, value in table.items() if key not in own}
        for key, value in params.items():
            if not isinstance(value, (str, int, float)):
                self._complain(("strategy", key), f"must be a number, a string or a boolean, not {read.shown(value)}")
        named = {key: value for key, value in table.items() if key in own}
        return StrategyChoice(**self._fill(("strategy",), named, own), params=params)

    def _budget(self, data: dict[str, Any]) -> Budget:
        if not isinstance(data.get("budget"), str):
            return Budget(**self._table(data, "budget"))
        try:
            return read.budget_text(data["budget"])
        except read.Fault as fault:
            self._complain(("budget",), fault.message)
            return Budget()

    def _unknown(self, path: tuple[str, ...], key: str) -> str:
        here = ".".join(path)
        siblings = [*self._known[here], *(name for name in self._known if name and not here)]
        for table, fields in self._known.items():
            if key in fields and table != here:
                place = f"in [{table}]" if table else "at the top of the file, above the first [table]"
                return f"unknown key here: it belongs {place}"
        close = difflib.get_close_matches(key, siblings, 1, 0.6)
        if close:
            return f"unknown key: did you mean {close[0]}?"
        return f"unknown key: {f'[{here}]' if here else 'a topic'} knows {', '.join(siblings)}"

    def _complain(self, path: KeyPath, message: str) -> None:
        line = next((self._lines[path[:n]] for n in range(len(path), 0, -1) if path[:n] in self._lines), None)
        key = ".".join(read.one_line(part) for part in path if isinstance(part, str))
        self.faults.append(TopicError(message, source=self._source, line=line, key=key))
