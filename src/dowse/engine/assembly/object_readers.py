"""What reads objects from pages: structured data, wrappers, and functions and extractors from outside."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from dowse.engine.page.judged import facts_of
from dowse.judge.guarded import told_fault
from dowse.model.errors import UserError
from dowse.model.facts import PageFacts
from dowse.model.http import Response
from dowse.model.normal.texts import storable
from dowse.model.objects import FoundObject, Value
from dowse.model.page import PageContent
from dowse.model.plugin_ports import Extractor
from dowse.model.plugins import find_plugin, find_plugins, missing_members
from dowse.parse import decode, detect_language, gather_links, parse_page
from dowse.parse.objects.stated import read_stated
from dowse.parse.objects.wrapped import read_wrapped
from dowse.parse.objects.wrapper import Wrapper, load_wrapper

__all__ = ["ObjectReaders", "object_readers"]

_MOST = 2_000  # objects that an extractor may give of a page
_LONGEST = 20_000  # characters of a value it gives
_Function = Callable[[PageFacts, str], Iterable[FoundObject]]


@dataclass(frozen=True, slots=True)
class ObjectReaders:
    """All that is to read a page. Picklable: functions and extractors travel by their names."""

    wrappers: tuple[Wrapper, ...] = ()
    functions: tuple[str, ...] = ()  # "module:name"
    extractors: tuple[str, ...] = ()  # names of entry points
    path: tuple[str, ...] = ()  # where modules are looked for

    def read(self, response: Response, url: str, told: Callable[[str], None]) -> Iterator[FoundObject]:
        """What a page states, in the order of those who read it. What a reader from outside raises is ``told``."""
        kind = response.header("Content-Type") or ""
        yield from read_stated(response.body, kind, url).objects
        for wrapper in self.wrappers:
            yield from read_wrapped(wrapper, response.body, kind, url)
        if self.functions or self.extractors:
            page, html = _facts(response, url, kind)
            for name, function in self.outside():
                try:
                    for one in islice(function(page, html), _MOST):
                        yield _checked(one, url, name)
                except Exception as error:  # somebody else's code
                    told(told_fault(name, error))

    def outside(self) -> list[tuple[str, _Function]]:
        """Functions and extractors, imported. UserError when one cannot be had."""
        sys.path += [place for place in self.path if place not in sys.path]
        known = _made.setdefault(self.functions + self.extractors, [])
        if not known:
            known += [(name, _function(name)) for name in self.functions]
            known += [(name, _extractor(name)) for name in self.extractors]
        return known


_made: dict[tuple[str, ...], list[tuple[str, _Function]]] = {}
"""Made once in a process."""


def object_readers(wrappers: Sequence[Path], functions: Sequence[str], extractors: Sequence[str]) -> ObjectReaders:
    """Readers that were found right. UserError names what is wrong with one."""
    loaded = tuple(load_wrapper(path) for path in wrappers)
    names = [one.name for one in loaded]
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"two wrappers are called {name}: objects could not be told apart by their source")
    readers = ObjectReaders(loaded, tuple(functions), tuple(extractors), (*sys.path, str(Path.cwd())))
    readers.outside()
    return readers


def _facts(response: Response, url: str, kind: str) -> tuple[PageFacts, str]:
    document = parse_page(response.body, url=url, content_type=kind)
    content = PageContent(
        title=document.title, language=detect_language(document.raw_text, document.lang),
        words=len(document.words()), n_links=gather_links(document).n_links, kind=document.kind,
    )  # fmt: skip
    stated = read_stated(response.body, kind, url, parts=True)
    html = decode(response.body, kind)[0] if document.kind == "html" else ""
    return facts_of(url, content, stated=stated, text=document.text), html


def _checked(one: Any, url: str, name: str) -> FoundObject:
    if not isinstance(one, FoundObject) or not isinstance(one.kind, str) or not isinstance(one.fields, dict):
        raise TypeError(f"it gave {one!r:.80}, not a dowse.FoundObject")
    if not one.kind.strip():
        raise TypeError("it gave an object without a kind")
    fields = {storable(str(field)): _value(field, value) for field, value in one.fields.items() if value is not None}
    return FoundObject(storable(one.kind), fields, storable(str(one.url or url)), storable(str(one.source or name)))


def _value(field: Any, value: Any) -> Value:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return storable(value[:_LONGEST])
    if isinstance(value, (int, float)) and math.isfinite(value):
        return float(value)
    raise TypeError(f"its {field!s:.40} is {value!r:.40}: a value is a text, a number, or True or False")


def _function(name: str) -> _Function:
    module, colon, inner = name.partition(":")
    if not (module and colon and inner):
        raise UserError(f"--function: {name!r} is no function: write MODULE:NAME, as in my_objects:events")
    try:
        found = import_module(module)
        for part in inner.split("."):
            found = getattr(found, part)
    except (Exception, SystemExit) as error:  # somebody else's code
        raise UserError(f"--function: cannot use {told_fault(name, error)}") from None
    if not callable(found):
        raise UserError(f"--function: {name} is no function")
    return found


def _extractor(name: str) -> _Function:
    plugin = find_plugin("extractor", name)
    if plugin is None:
        known = ", ".join(find_plugins("extractor")) or "none"
        raise UserError(f"--extractor: no installed package has {name!r}; there is {known} (see: dowse plugins)")
    made: Extractor = plugin.make()
    missing = missing_members(made, Extractor)
    if missing:
        raise plugin.fault(TypeError(f"it has no {', '.join(missing)}"))
    return made.extract
