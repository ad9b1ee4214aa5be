"""Seeds from search engines: what they are asked for, and what comes of it.

Engines are asked side by side, each by itself in turn: its queries, page by page, until it has given enough, has no
more, repeats itself, or gets into trouble. What they found is merged, one row a URL, and set against the topic: a seed
whose title and snippet are nearer to it goes first.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from dowse.engine.exchange.exchange import Exchange
from dowse.engine.exchange.search import SearchRequests
from dowse.judge import build_judge
from dowse.judge.stopwords import STOP_WORDS
from dowse.model.clock import Clock
from dowse.model.errors import TopicError, UserError
from dowse.model.found import Find, FoundRow
from dowse.model.search import Ask, Query, Results, SearchEngine, SearchResult, Term, Trouble, TroubleKind
from dowse.model.topic import JudgeSettings, Topic
from dowse.model.url import canonical, path_words
from dowse.seeds.merge import Ranking, merge
from dowse.seeds.query import is_empty, on_site, read_query

__all__ = ["FoundSeeds", "find_seeds", "nearest_first", "queries_of"]

_MOST_PAGES = 100  # of results, for one query
_MOST_FRUITLESS = 5  # pages in a row that have nothing of what is wanted
_MOST_FAILURES = 3  # queries in a row
_FINAL = (TroubleKind.KEY, TroubleKind.QUOTA, TroubleKind.BUDGET)  # of an engine, whatever it is asked
_KEYWORDS = 5  # that stand for a topic without a query
_NEARER = 2  # decimals of a similarity that count for the order: what is as near stays in the engines' order


@dataclass(slots=True)
class FoundSeeds:
    """What came of asking: the seeds, best first, and what the user should know of it."""

    rows: list[FoundRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what could not be said, and troubles
    troubles: list[str] = field(default_factory=list)  # the troubles alone
    requests: int = 0

    @property
    def why_none(self) -> str:
        """What kept the engines from finding anything, in one line; empty where they know nothing of it."""
        is_offline = bool(self.troubles) and all(": dns: " in trouble for trouble in self.troubles)
        return "; ".join(self.troubles) + (" (is this machine online?)" if is_offline else "")


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


async def find_seeds(
    topic: Topic, engines: dict[str, SearchEngine], exchange: Exchange, clock: Clock, *,
    until: asyncio.Event | None = None, tell: Callable[[int, int], None] | None = None,
) -> FoundSeeds:  # fmt: skip
    """Ask the engines for the topic's queries. All that was found comes back, not only what a crawl would take; with
    ``until``, what was found before that was set. ``tell`` is told, after each page of results, how many requests were
    made and how many results there are."""
    queries = queries_of(topic)
    requests = SearchRequests(topic, exchange, clock)

    def came() -> None:
        if tell is not None:
            tell(requests.made, sum(len(ranking.finds) for search in searches for ranking in search.rankings))

    most = topic.find.per_query
    searches = [_Search(engine, requests.of(engine), most, clock, came) for engine in engines.values()]
    await _all_of((search.run(queries) for search in searches), until)
    found = FoundSeeds(requests=requests.made)
    found.notes += [f"query {query.text!r}: {note}" for query in queries for note in query.notes]
    whose: dict[str, dict[str, None]] = {}  # a trouble that several have is told once
    for search in searches:
        found.notes += [f"{search.name}: {note}" for note in search.notes]
        for trouble in search.troubles:
            whose.setdefault(trouble, {})[search.name] = None
    found.troubles = [f"{', '.join(names)}: {trouble}" for trouble, names in whose.items()]
    found.notes += found.troubles
    found.rows = nearest_first(topic, merge(ranking for search in searches for ranking in search.rankings))
    return found


async def _all_of(works: Iterable[Coroutine[Any, Any, None]], until: asyncio.Event | None) -> None:
    """Do all of it side by side; what is not done when ``until`` is set is left."""
    doing = asyncio.gather(*works)
    stop = asyncio.ensure_future((until or asyncio.Event()).wait())
    try:
        await asyncio.wait((doing, stop), return_when=asyncio.FIRST_COMPLETED)
    finally:
        stop.cancel()
        doing.cancel()  # nothing, where it is done
        with suppress(asyncio.CancelledError):
            await doing


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

    def __init__(self, engine: SearchEngine, ask: Ask, most: int, clock: Clock, came: Callable[[], None]) -> None:
        self.name = engine.name
        self._engine = engine
        self._ask = ask
        self._most = most
        self._clock = clock
        self._came = came
        self._has_answered = False
        self._failures = 0  # in a row
        self.rankings: list[Ranking] = []
        self.notes: dict[str, None] = {}
        self.troubles: list[str] = []

    async def run(self, queries: Sequence[Query]) -> None:
        for left, query in zip(reversed(range(len(queries))), queries, strict=True):
            self.notes.update(dict.fromkeys(self._engine.say(query).unsaid))
            trouble = await self._all_pages(query)
            if trouble is None:
                self._has_answered, self._failures = True, 0
                continue
            which = f"{query.text!r}: " if len(queries) > 1 and not trouble.lasts else ""
            is_over = self._is_over(trouble)
            rest = f"; {left} more {'query is' if left == 1 else 'queries are'} not asked" if is_over and left else ""
            self.troubles.append(f"{which}{trouble}{rest}")
            if is_over:
                break

    def _is_over(self, trouble: Trouble) -> bool:
        """Is it of no use to ask this engine for anything else? Of many queries one may be refused or go astray."""
        self._failures += 1
        return (
            trouble.kind in _FINAL
            or self._failures == _MOST_FAILURES
            or (trouble.lasts and not self._has_answered)
        )  # fmt: skip

    async def _all_pages(self, query: Query) -> Trouble | None:
        finds: dict[str, Find] = {}
        self.rankings.append(Ranking(finds))
        seen: set[str] = set()
        fruitless = 0  # pages in a row with nothing that is wanted
        for page in range(_MOST_PAGES):
            results = await self._one_page(query, page)
            if isinstance(results, Trouble):
                return results
            known, before = len(seen), len(finds)
            for url, result in _by_url(results):
                if url not in seen and len(finds) < self._most and _is_wanted(query, url, result):
                    finds[url] = self._find(query, len(finds) + 1, result)
                seen.add(url)
            self._came()
            repeats = bool(results.items) and len(seen) == known
            fruitless = 0 if len(finds) > before else fruitless + 1
            if len(finds) >= self._most or not results.more or repeats or fruitless == _MOST_FRUITLESS:
                break
        if seen and not finds:
            self.notes[f"all {len(seen)} results for {query.text!r} were left out here, by its sites or minus"] = None
        return None

    def _find(self, query: Query, rank: int, result: SearchResult) -> Find:
        at = datetime.fromtimestamp(self._clock.wall(), UTC).isoformat(timespec="seconds")
        return Find(self.name, query.text, rank, result.title, result.snippet, at)

    async def _one_page(self, query: Query, page: int) -> Results | Trouble:
        try:
            return await self._engine.search(query, page, self._ask)
        except UserError:
            raise
        except Exception as error:  # somebody else's code, or an answer that nobody foresaw: other engines go on
            return Trouble(TroubleKind.FORMAT, f"the engine failed: {type(error).__name__}: {error}"[:200])


def _by_url(results: Results) -> Iterator[tuple[str, SearchResult]]:
    for result in results.items:
        url = canonical(result.url)
        if url is not None:
            yield url, result


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
