"""Which search engines are asked: those that a topic names, made with what each wants to know."""

from __future__ import annotations

import inspect
import os
from difflib import get_close_matches
from typing import Any

from dowse.engine.assembly.folder_texts import open_folder
from dowse.model.errors import UserError
from dowse.model.http import Response
from dowse.model.plugins import find_plugin, find_plugins, missing_members
from dowse.model.search import SearchEngine
from dowse.model.topic import Topic
from dowse.model.topicfile import has_seeds
from dowse.model.url import canonical, split
from dowse.parse import base_of, parse_page
from dowse.seeds.engines import ENGINES, GROUPS
from dowse.seeds.keys import Keys

__all__ = ["build_engines", "wants_engines"]

_MOST_LINKS = 5_000  # of a page of results


def wants_engines(topic: Topic) -> bool:
    """Are search engines to be asked before a crawl for this topic begins?"""
    return bool(topic.find.wanted or topic.find.engines or not has_seeds(topic))


def build_engines(topic: Topic, keys: Keys | None = None) -> dict[str, SearchEngine]:
    """The engines that a topic names, else those of the group ``web``, by what they were named. Raises UserError."""
    keys = keys or Keys(os.environ)
    named = [name for spec in topic.find.engines or ("web",) for name in GROUPS.get(spec, (spec,))]
    return {spec: _engine(spec, topic, keys) for spec in dict.fromkeys(named)}


def _engine(spec: str, topic: Topic, keys: Keys) -> SearchEngine:
    name, _, base = spec.partition(":")
    factory, plugin = ENGINES.get(name), None
    if factory is None:
        plugin = find_plugin("search engine", name)
        if plugin is None:
            raise _unknown(name)
        factory = plugin.load()
    parameters = inspect.signature(factory).parameters
    known: dict[str, Any] = {
        "base": base, "contact": topic.network.contact, "language": _language(topic), "open_folder": open_folder,
        "links_of": _links_of,
    }  # fmt: skip
    if "key" in parameters:
        known["key"] = keys.of(owner := _key_owner(name, base))
        if known["key"] is None and parameters["key"].default is inspect.Parameter.empty:
            raise UserError(f"{owner} needs a key: {keys.how(owner)}")
    if base and "base" not in parameters:
        raise UserError(f"--engine {spec}: {name} takes no address")
    given = {key: value for key, value in known.items() if key in parameters}
    engine = factory(**given) if plugin is None else plugin.make(**given)
    missing = missing_members(engine, SearchEngine)
    if missing:
        raise UserError(f"{name} is no search engine: it has no {', '.join(missing)}")
    made: SearchEngine = engine
    return made


def _key_owner(name: str, base: str) -> str:
    """Whose key is sent to an address: the engine's own goes to its own address only. Another one, which may stand in a
    topic file from anybody, gets a key that was given for its host."""
    url = canonical(base) if "://" in base else None
    return f"{name}:{split(url).host}" if url is not None else name


def _unknown(name: str) -> UserError:
    names = [*ENGINES, *GROUPS, *find_plugins("search engine")]
    close = get_close_matches(name, names, 1, 0.6)
    hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(names)}"
    return UserError(f"there is no search engine {name!r}: {hint}")


_ISO = {
    "arabic": "ar", "armenian": "hy", "basque": "eu", "catalan": "ca", "danish": "da", "dutch": "nl", "finnish": "fi",
    "french": "fr", "german": "de", "greek": "el", "hindi": "hi", "hungarian": "hu", "indonesian": "id", "irish": "ga",
    "italian": "it", "lithuanian": "lt", "nepali": "ne", "norwegian": "no", "portuguese": "pt", "romanian": "ro",
    "russian": "ru", "serbian": "sr", "spanish": "es", "swedish": "sv", "tamil": "ta", "turkish": "tr", "yiddish": "yi",
}  # fmt: skip


def _language(topic: Topic) -> str:
    """The topic's language, ISO 639-1: that of the pages it wants, else that of its words."""
    return topic.scope.languages[0] if topic.scope.languages else _ISO.get(topic.judge.language, "en")


def _links_of(response: Response) -> list[tuple[str, str]]:
    """The links of a page, for engines whose results are one."""
    page = parse_page(response.body, url=response.url, content_type=response.header("Content-Type") or "")
    base = base_of(page)
    # nofollow, which most such pages say, asks a crawler not to wander there: this one page was asked for
    joined = ((base.join(link.href), link.anchor) for link in page.links[:_MOST_LINKS])
    return list(dict.fromkeys((url, anchor) for url, anchor in joined if url is not None))
