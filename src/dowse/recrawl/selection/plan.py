"""A plan: where to begin, which links to follow, and what that should bring. A person may read and edit its file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dowse.model.errors import UserError
from dowse.model.files import read_limited, write_whole
from dowse.recrawl.patterns.matcher import Matcher
from dowse.recrawl.patterns.pattern import parse_pattern
from dowse.recrawl.selection.atlas import Atlas
from dowse.recrawl.selection.choose import Choice

__all__ = ["Follower", "Plan", "SitePlan", "plan_of", "read_plan", "write_plan"]

_LARGEST = 50_000_000
_HEAD = """\
# A plan for `dowse recrawl run`. Edit it as you like: wildcards are {int}, {date}, {id}, {slug}, and {*} at an end.
# A link is followed where its page's pattern and its own stand side by side under `follow`.
# `others` are told apart from them and not fetched; a URL belongs to the pattern that spells out most of it.
"""


@dataclass(frozen=True, slots=True)
class SitePlan:
    """What is done on one site."""

    entries: tuple[str, ...]
    objects: tuple[str, ...]  # patterns of pages that state objects
    follow: tuple[tuple[str, str], ...]
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What a recrawl does, and what its pages brought when it was learned."""

    method: str
    objects: int
    wire_bytes: int
    sites: tuple[SitePlan, ...]

    @property
    def entries(self) -> tuple[str, ...]:
        return tuple(url for site in self.sites for url in site.entries)


class Follower:
    """Says which links a plan follows."""

    def __init__(self, plan: Plan) -> None:
        texts: dict[str, None] = {}
        for site in plan.sites:
            texts.update(dict.fromkeys((*site.objects, *(text for pair in site.follow for text in pair), *site.others)))
        numbers = {text: number for number, text in enumerate(texts)}
        self._matcher = Matcher(list(map(parse_pattern, texts)))
        self._pairs = {(numbers[source], numbers[target]) for site in plan.sites for source, target in site.follow}
        self._sources = {source for source, _ in self._pairs}
        self._objects = {numbers[text] for site in plan.sites for text in site.objects}

    def follows(self, page: str, links: Sequence[str]) -> list[bool]:
        """Whether each link of a page is followed."""
        source = self._matcher.match(page)
        if source not in self._sources:
            return [False] * len(links)
        return [(source, self._matcher.match(link)) in self._pairs for link in links]

    def states_objects(self, url: str) -> bool:
        """Is it a page for the sake of which the plan was made?"""
        return self._matcher.match(url) in self._objects


def plan_of(atlas: Atlas, choice: Choice) -> Plan:
    """The plan of a choice."""
    sites = []
    for origin, edges in sorted(choice.edges.items()):
        site = atlas.sites[origin]
        text = {number: atlas.patterns[number].text for number in site.of_pattern}
        known = choice.patterns | {number for edge in edges for number in edge}
        entries = [page.url for page in site.pages if page.is_entry]
        sites.append(
            SitePlan(
                tuple(entries),
                tuple(sorted(text[number] for number in text if number in choice.patterns)),
                tuple(sorted((text[source], text[target]) for source, target in edges)),
                tuple(sorted(text[number] for number in text if number not in known)),
            )
        )
    return Plan(choice.method, choice.objects, choice.wire_bytes, tuple(sites))


def write_plan(path: Path, plan: Plan) -> None:
    """Write it whole, or not at all."""
    lines = [_HEAD, "[expected]", f"method = {_quoted(plan.method)}", f"objects = {plan.objects}"]
    lines += [f"bytes = {plan.wire_bytes}", ""]
    for site in plan.sites:
        lines.append("[[site]]")
        lines += _list("entries", map(_quoted, site.entries))
        lines += _list("objects", map(_quoted, site.objects))
        lines += _list("follow", (f"[{_quoted(source)}, {_quoted(target)}]" for source, target in site.follow))
        lines += _list("others", map(_quoted, site.others))
        lines.append("")
    write_whole(path, lambda partial: partial.write_text("\n".join(lines), encoding="utf-8"))


def _list(name: str, values: Iterable[str]) -> list[str]:
    found = [f"    {value}," for value in values]
    return [f"{name} = [", *found, "]"] if found else [f"{name} = []"]


def _quoted(text: str) -> str:
    """A literal string of TOML where it can be one, since that is easier to edit."""
    if "'" not in text and text.isprintable():
        return f"'{text}'"
    letters = (letter if letter.isprintable() and letter not in '"\\' else f"\\U{ord(letter):08x}" for letter in text)
    return f'"{"".join(letters)}"'


def read_plan(path: Path) -> Plan:
    """Read a plan that a person may have edited. Raises UserError."""
    try:
        told = tomllib.loads(read_limited(path, _LARGEST, "plan").decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{path}: is no TOML: {error}") from None
    expected, sites = told.get("expected", {}), told.get("site", [])
    if not isinstance(sites, list) or not sites or not isinstance(expected, dict):
        raise UserError(f"{path}: there is no [[site]] in it: is it a plan, as `dowse recrawl plan` writes them?")
    try:
        found = Plan(
            str(expected.get("method", "")), int(expected.get("objects", 0)), int(expected.get("bytes", 0)),
            tuple(_site(site) for site in sites),
        )  # fmt: skip
        for text in {text for site in found.sites for text in _texts(site)}:
            parse_pattern(text)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    except (TypeError, ValueError, AttributeError) as error:
        raise UserError(f"{path}: {error}") from None
    return found


def _site(told: Any) -> SitePlan:
    if not isinstance(told, dict):
        raise UserError("a [[site]] is a table")
    follow = told.get("follow", [])
    if not isinstance(follow, list) or any(not isinstance(pair, list) or len(pair) != 2 for pair in follow):
        raise UserError("follow has pairs of patterns: [[FROM, TO], ...]")
    pairs = tuple((_text(source), _text(target)) for source, target in follow)
    entries, objects, others = (_text_list(told, name) for name in ("entries", "objects", "others"))
    if not entries:
        raise UserError("a [[site]] needs entries, the pages where it begins")
    return SitePlan(entries, objects, pairs, others)


def _text_list(told: dict[str, Any], name: str) -> tuple[str, ...]:
    found = told.get(name, [])
    if not isinstance(found, list):
        raise UserError(f"{name} is a list")
    return tuple(map(_text, found))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise UserError(f"{value!r} is no text in quotes")
    return value


def _texts(site: SitePlan) -> Iterable[str]:
    yield from (*site.objects, *site.others, *(text for pair in site.follow for text in pair))
