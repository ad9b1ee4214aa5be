"""Seeds from search engines: who is asked, what for, and what comes of it.

Engines are asked side by side, each by itself in turn: its queries, page by page, until it has given enough, has no
more, repeats itself, or gets into trouble. What they found is merged, one row a URL, and set against the topic: a seed
whose title and snippet are nearer to it goes first.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Any

from dowse.engine.assembly.folder_texts import open_folder
from dowse.engine.exchange.exchange import Exchange
from dowse.engine.exchange.search import SearchRequests
from dowse.judge import build_judge
from dowse.judge.stopwords import STOP_WORDS
from dowse.model.clock import Clock
from dowse.model.errors import TopicError, UserError
from dowse.model.found import Find, FoundRow
from dowse.model.http import Response
from dowse.model.plugins import find_plugin, find_plugins, missing_members
from dowse.model.search import Ask, Query, Results, SearchEngine, SearchResult, Term, Trouble, TroubleKind
from dowse.model.topic import JudgeSettings, Topic
from dowse.model.topicfile import has_seeds
from dowse.model.url import canonical, path_words
from dowse.parse import base_of, parse_page
from dowse.seeds.engines import ENGINES, GROUPS
from dowse.seeds.keys import Keys
from dowse.seeds.merge import Ranking, merge
from dowse.seeds.query import is_empty, on_site, read_query

__all__ = ["FoundSeeds", "build_engines", "find_seeds", "nearest_first", "queries_of", "wants_engines"]

_MOST_PAGES = 100  # of results, for one query
_MOST_LINKS = 5_000  # of a page of results
_KEYWORDS = 5  # that stand for a topic without a query
_NEARER = 2  # decimals of a similarity that count for the order: what is as near stays in the engines' order


@dataclass(slots=True)
class FoundSeeds:
    """What came of asking: the seeds, best first, and what the user should know of it."""

    rows: list[FoundRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what could not be said, and troubles
    troubles: list[str] = field(default_factory=list)  # the troubles alone
    requests: int = 0


def wants_engines(topic: Topic) -> bool:
    """Are search engines to be asked before a crawl for this topic begins?"""
    return bool(topic.find.wanted or topic.find.engines or not has_seeds(topic))


# -- who is asked ------------------------------------------------------------------------------------------------------


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
        known["key"] = keys.of(name)
        if known["key"] is None and parameters["key"].default is inspect.Parameter.empty:
            raise UserError(f"{name} needs a key: {keys.how(name)}")
    if base and "base" not in parameters:
        raise UserError(f"--engine {spec}: {name} takes no address")
    given = {key: value for key, value in known.items() if key in parameters}
    engine = factory(**given) if plugin is None else plugin.make(**given)
    missing = missing_members(engine, SearchEngine)
    if missing:
        raise UserError(f"{name} is no search engine: it has no {', '.join(missing)}")
    made: SearchEngine = engine
    return made


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


# -- what for ----------------------------------------------------------------------------------------------------------


def queries_of(topic: Topic) -> list[Query]:
    """The topic's queries, else its words: a sentence without its stop words, or its weightiest keywords. TopicError
    where there are none."""
    queries = [read_query(text) for text in topic.find.queries] or [_words_of(topic)]
    for query in queries:
        if is_empty(query):
            raise TopicError(f"there is nothing to ask search engines for in {query.text!r}: give words, or --query")
    return list(dict.fromkeys(queries))


def _words_of(topic: Topic) -> Query:
    if not topic.query.strip():
        best = sorted(topic.keywords, key=lambda keyword: -keyword.weight)[:_KEYWORDS]
        return read_query(" OR ".join(f'"{keyword.text}"' for keyword in best))
    query, stops = read_query(topic.query), STOP_WORDS.get(topic.judge.language, frozenset())
    kept = [choice for choice in query.wanted if len(choice) > 1 or choice[0].text.lower() not in stops]
    return replace(query, wanted=tuple(kept)) if kept else query


# -- asking ------------------------------------------------------------------------------------------------------------


async def find_seeds(topic: Topic, engines: dict[str, SearchEngine], exchange: Exchange, clock: Clock) -> FoundSeeds:
    """Ask the engines for the topic's queries. All that was found comes back, not only what a crawl would take."""
    queries = queries_of(topic)
    requests = SearchRequests(topic, exchange, clock)
    found = FoundSeeds()
    searches = [_Search(engine, requests.of(engine), topic.find.per_query, clock) for engine in engines.values()]
    await asyncio.gather(*(search.run(queries) for search in searches))
    found.notes += [f"query {query.text!r}: {note}" for query in queries for note in query.notes]
    for search in searches:
        found.notes += search.notes
        found.troubles += search.troubles
    found.rows = nearest_first(topic, merge(ranking for search in searches for ranking in search.rankings))
    found.requests = requests.made
    return found


def nearest_first(topic: Topic, rows: list[FoundRow]) -> list[FoundRow]:
    """By how near title and snippet are to the topic; what is as near, by the engines' ranks."""
    words = Topic(
        query=topic.query or " ".join(topic.find.queries), keywords=topic.keywords,
        examples=tuple(example for example in topic.examples if example.text is not None),
        judge=JudgeSettings(method="similarity", language=topic.judge.language),
    )  # fmt: skip
    nearness = build_judge(words).nearness
    for row in rows:
        row.nearness = nearness.similarity(f"{row.title}\n{row.snippet}".strip() or path_words(row.url))
    rows.sort(key=lambda row: (-round(row.nearness, _NEARER), -row.score))
    for place, row in enumerate(rows):
        row.id = place
    return rows


class _Search:
    """One engine, asked one query after the other."""

    def __init__(self, engine: SearchEngine, ask: Ask, most: int, clock: Clock) -> None:
        self._engine = engine
        self._ask = ask
        self._most = most
        self._clock = clock
        self.rankings: list[Ranking] = []
        self.notes: list[str] = []
        self.troubles: list[str] = []

    async def run(self, queries: Sequence[Query]) -> None:
        for query in queries:
            said = self._engine.say(query)
            self.notes += [f"{self._engine.name}: {unsaid}" for unsaid in said.unsaid]
            trouble = await self._all_pages(query)
            if trouble is not None:
                self.troubles.append(f"{self._engine.name}: {trouble}")
                if trouble.lasts:
                    break
        self.notes = list(dict.fromkeys(self.notes)) + self.troubles

    async def _all_pages(self, query: Query) -> Trouble | None:
        finds: dict[str, Find] = {}
        self.rankings.append(Ranking(finds))
        for page in range(_MOST_PAGES):
            results = await self._one_page(query, page)
            if isinstance(results, Trouble):
                return results
            before = len(finds)
            for result in results.items:
                url = canonical(result.url)
                if url is not None and url not in finds and _is_wanted(query, url, result):
                    at = datetime.fromtimestamp(self._clock.wall(), UTC).isoformat(timespec="seconds")
                    finds[url] = Find(
                        self._engine.name, query.text, len(finds) + 1, result.title, result.snippet, at
                    )  # fmt: skip
                    if len(finds) >= self._most:
                        return None
            if not results.more or (len(finds) == before and page):
                return None  # it has no more, or repeats itself
        return None

    async def _one_page(self, query: Query, page: int) -> Results | Trouble:
        try:
            return await self._engine.search(query, page, self._ask)
        except UserError:
            raise
        except Exception as error:  # somebody else's code, or an answer that nobody foresaw: other engines go on
            return Trouble(TroubleKind.FORMAT, f"the engine failed: {type(error).__name__}: {error}"[:200])


def _is_wanted(query: Query, url: str, result: SearchResult) -> bool:
    """Is a result on the query's sites, and free of what it does not want? Engines may have no words for either."""
    if query.sites and not any(on_site(url, site) for site in query.sites):
        return False
    if any(on_site(url, site) for site in query.unwanted_sites):
        return False
    if not query.unwanted:
        return True
    shown = f"{result.title}\n{result.snippet}"
    return not any(_shows(shown, term) for term in query.unwanted)


def _shows(text: str, term: Term) -> bool:
    words = r"\W+".join(map(re.escape, term.text.split()))
    return re.search(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE) is not None
