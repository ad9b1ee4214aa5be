"""Wrappers: how to read objects from pages that state none, written by the user in a TOML file.

::

    kind = "Event"
    url = "/events/*"              # pages whose path is like this; without it, all
    items = "li.event"             # one object each; without it, one a page
    [fields]
    name = "h2"                    # CSS
    startDate = { css = "time", attribute = "datetime", as = "date" }
    price = { regex = 'Price: (.+)', as = "price" }

What a wrapper may say is told in ``docs/objects.md``; what it finds on a page is for
:mod:`~dowse.parse.objects.wrapped`.
"""

from __future__ import annotations

import json
import re
import tomllib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dowse.model.errors import TopicError
from dowse.model.files import read_limited
from dowse.model.normal.texts import one_line
from dowse.model.toml_lines import KeyPath, key_lines
from dowse.parse.html import check_css
from dowse.parse.objects.xpath import check_xpath

__all__ = ["NORMALISERS", "Rule", "Wrapper", "load_wrapper", "wrapper_toml"]

NORMALISERS = ("text", "date", "date-us", "place", "price", "number", "url")
_LANGUAGES = ("css", "xpath")
_RULE = (*_LANGUAGES, "regex", "attribute", "as", "all")
_WRAPPER = ("kind", "url", "items", "required", "fields")
_MOST_BYTES = 1_000_000
_MOST_FIELDS = 60
_LONGEST = 1_000  # characters of a selector or a pattern
_NAME = re.compile(r"[A-Za-z_][\w.-]{0,99}").fullmatch


@dataclass(frozen=True, slots=True)
class Rule:
    """Where a field stands. Empty: not asked for. Without a selector, it is in the object's own element."""

    css: str = ""
    xpath: str = ""
    attribute: str = ""  # of the element, in place of its text
    regex: str = ""  # of what is there: its first group, or all that it matches
    as_: str = "text"  # one of NORMALISERS
    all: bool = False  # every place, not the first alone


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A wrapper that was found right. ``name`` is its file's, and the source of its objects."""

    name: str
    kind: str
    fields: Mapping[str, Rule]
    url: str = ""  # a pattern of paths, as in url.glob of predicates
    items: Rule | None = None
    required: tuple[str, ...] = ()

    @property
    def asks_xpath(self) -> bool:
        return any(rule.xpath for rule in (*self.fields.values(), self.items) if rule is not None)


def load_wrapper(path: Path) -> Wrapper:
    """Read a wrapper's file. TopicError names the line of a mistake."""
    data = read_limited(path, _MOST_BYTES, "wrapper")
    try:
        text = data.decode("utf-8-sig")
        told = tomllib.loads(text)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise TopicError(f"is no TOML: {one_line(str(error))}", source=str(path)) from None
    return _Reader(path, text).wrapper(told)


def wrapper_toml(wrapper: Wrapper) -> str:
    """The text of a file that :func:`load_wrapper` reads as this wrapper."""
    lines = [f"kind = {_quoted(wrapper.kind)}"]
    if wrapper.url:
        lines.append(f"url = {_quoted(wrapper.url)}")
    if wrapper.items is not None:
        lines.append(f"items = {_told(wrapper.items)}")
    if wrapper.required != (("name",) if "name" in wrapper.fields else ()):
        lines.append(f"required = [{', '.join(map(_quoted, wrapper.required))}]")
    lines += ["", "[fields]"]
    for name, rule in wrapper.fields.items():
        key = name if re.fullmatch(r"[\w-]+", name, re.ASCII) else _quoted(name)
        lines.append(f"{key} = {_told(rule)}")
    return "\n".join(lines) + "\n"


def _told(rule: Rule) -> str:
    if rule == Rule(css=rule.css):
        return _quoted(rule.css)
    texts = {"css": rule.css, "xpath": rule.xpath, "attribute": rule.attribute, "regex": rule.regex}
    parts = [f"{name} = {_quoted(text)}" for name, text in texts.items() if text]
    parts += [f"as = {_quoted(rule.as_)}"] * (rule.as_ != "text") + ["all = true"] * rule.all
    return f"{{ {', '.join(parts)} }}"


def _quoted(text: str) -> str:
    """A string of TOML: in single quotes, where a backslash is one, if it holds what needs that."""
    if "'" not in text and text.isprintable() and ("\\" in text or '"' in text):
        return f"'{text}'"
    return json.dumps(text, ensure_ascii=not text.isprintable())


class _Reader:
    """Knows where the keys stand."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._text = text

    def _wrong(self, message: str, *key: str) -> TopicError:
        lines: dict[KeyPath, int] = key_lines(self._text)
        line = next((lines[key[:size]] for size in range(len(key), 0, -1) if key[:size] in lines), None)
        return TopicError(message, source=str(self._path), line=line, key=".".join(key) or None)

    def wrapper(self, told: dict[str, Any]) -> Wrapper:
        self._known(told, _WRAPPER)
        kind = self._text_of(told, "kind")
        if not kind:
            raise self._wrong('a wrapper needs the kind of its objects, as in kind = "Event"')
        fields = told.get("fields")
        if not isinstance(fields, dict) or not fields:
            raise self._wrong('a wrapper needs a table [fields], with a line such as name = "h1"')
        if len(fields) > _MOST_FIELDS:
            raise self._wrong(f"a wrapper has at most {_MOST_FIELDS} fields", "fields")
        rules = {name: self._rule(rule, "fields", name) for name, rule in fields.items()}
        items = self._rule(told["items"], "items") if "items" in told else None
        self._check_languages(rules, items)
        return Wrapper(
            self._path.stem, kind, rules, self._pattern(told), items, self._required(told, rules)
        )  # fmt: skip

    def _rule(self, told: Any, *key: str) -> Rule:
        if len(key) > 1 and _NAME(key[-1]) is None:
            raise self._wrong("the name of a field has letters, digits and . - _", *key)
        if isinstance(told, str):
            told = {"css": told}
        if not isinstance(told, dict):
            raise self._wrong('must be a CSS selector, or a table such as { css = "time", as = "date" }', *key)
        self._known(told, _RULE, *key)
        texts = {name: self._text_of(told, name, *key) for name in _RULE if name != "all"}
        if not any(texts[name] for name in ("css", "xpath", "regex", "attribute", "as")):
            raise self._wrong("says nowhere to look: give css, xpath, regex or attribute", *key)
        if texts["css"] and texts["xpath"]:
            raise self._wrong("css or xpath, not both", *key)
        if key == ("items",) and not (texts["css"] or texts["xpath"]):
            raise self._wrong("must be css or xpath: each place is an object", *key)
        every = told.get("all", False)
        if not isinstance(every, bool):
            raise self._wrong("must be true or false", *key, "all")
        as_ = texts["as"] or "text"
        if as_ not in NORMALISERS:
            raise self._wrong(f"must be one of {', '.join(NORMALISERS)}, not {as_[:40]!r}", *key, "as")
        for name, check in (("css", check_css), ("xpath", check_xpath), ("regex", _check_regex)):
            if texts[name] and (fault := check(texts[name])):
                raise self._wrong(fault, *key, name)
        return Rule(texts["css"], texts["xpath"], texts["attribute"], texts["regex"], as_, every)

    def _check_languages(self, rules: Mapping[str, Rule], items: Rule | None) -> None:
        """Within an item, one tree is at hand."""
        if items is None:
            return
        own = "css" if items.css else "xpath"
        [other] = [name for name in _LANGUAGES if name != own]
        for name, rule in rules.items():
            if getattr(rule, other):
                raise self._wrong(f"must be {own} or regex, since items are {own}", "fields", name)

    def _pattern(self, told: dict[str, Any]) -> str:
        pattern = self._text_of(told, "url")
        if pattern and pattern[0] not in "/*":
            raise self._wrong("a path pattern begins with / or *, as in /events/*", "url")
        return pattern

    def _required(self, told: dict[str, Any], rules: Mapping[str, Rule]) -> tuple[str, ...]:
        required = told.get("required", ["name"] if "name" in rules else [])
        if not isinstance(required, list) or any(name not in rules for name in required):
            raise self._wrong('must be a list of fields, such as ["name"]', "required")
        return tuple(required)

    def _text_of(self, told: dict[str, Any], name: str, *key: str) -> str:
        value = told.get(name, "")
        if not isinstance(value, str) or len(value) > _LONGEST:
            raise self._wrong(f"must be a text of at most {_LONGEST:,} characters", *key, name)
        return value.strip() if name != "regex" else value

    def _known(self, told: dict[str, Any], names: tuple[str, ...], *key: str) -> None:
        for name in told:
            if name not in names:
                raise self._wrong(f"unknown: there are {', '.join(names)}", *key, name)


def _check_regex(pattern: str) -> str:
    """What is wrong with it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        return f"this is no regular expression: {one_line(str(error))}"
    return ""
