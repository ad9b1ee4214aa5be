"""A topic: what to look for, where to start, how far to go and what to spend.

Values only, with the defaults a careful user would choose; ``model.topicfile`` reads them from TOML.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from dowse.model.budget import Budget
from dowse.model.facts import PageFacts

__all__ = [
    "Cache", "Cost", "Example", "Expression", "Find", "FunctionName", "JudgeSettings", "Keyword", "Limits", "Network",
    "PageFunction", "Politeness", "Publish", "Scope", "Seeds", "StrategyChoice", "Target", "Topic", "Traps",
]  # fmt: skip

PageFunction = Callable[[PageFacts], bool | float]
"""A predicate in Python: True, or a number from 0.5 to 1, for a page that satisfies it."""


@dataclass(frozen=True, slots=True)
class Keyword:
    """A word or phrase of the topic's pool, with its ERID weight. With a ``language`` (ISO 639-1) it is for pages in
    that language, else for all that have no keywords of their own."""

    text: str
    weight: float = 1.0
    language: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """A page known to be on the topic (or, as counter-example, off it): a file or a URL."""

    source: str
    positive: bool = True
    text: str | None = None  # filled in once read


@dataclass(frozen=True, slots=True)
class Seeds:
    """Where to start: URLs, files with a URL a line, sitemaps (URLs or files)."""

    urls: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    robots_sitemaps: bool = False  # also take the sitemaps that robots.txt of the seed hosts name
    on_topic: bool = True  # pages that have the query's words are weak examples, where there are no others
    database: str | None = field(default=None, repr=False)  # the URL of a shared one, with resources to start from
    collection: str = ""  # which of its resources; empty: those of the topic's name


@dataclass(frozen=True, slots=True)
class Find:
    """Seeds from search engines: asked where engines are named, where that is ``wanted``, and where there are no other
    seeds."""

    engines: tuple[str, ...] = ()  # names, such as mediawiki or searxng:https://...; empty: those that need no key
    queries: tuple[str, ...] = ()  # expressions; empty: the topic's words
    wanted: bool = False  # also where there are seeds
    seeds: int = 50  # that are taken, over all engines
    per_query: int = 50  # results that an engine is asked for with one query
    requests: int = 60  # to all engines together


@dataclass(frozen=True, slots=True)
class Traps:
    """Limits that end the endless parts of a site. 0 switches a rule off."""

    max_url_length: int = 2000
    max_per_host: int = 50_000  # URLs taken up per host
    max_hosts_per_domain: int = 2_000  # hosts taken up per registered domain
    max_repeated_segments: int = 3  # /a/b/a/b/a/b: the same path segment this many times
    max_per_pattern: int = 5_000  # URLs per host that differ only in numbers or parameter values
    max_pattern_run: int = 32  # links in a row from a page to one of the same pattern without a relevant page
    session_ids: bool = True  # refuse paths that carry a session id


@dataclass(frozen=True, slots=True)
class Scope:
    """Which URLs may be fetched at all. ``reach`` is relative to the seeds: their hosts, their domains, or any."""

    reach: str = "any"  # "host" | "domain" | "any"
    hosts: tuple[str, ...] = ()  # besides the reach; globs such as *.example.org
    domains: tuple[str, ...] = ()  # a domain and everything below it
    exclude_hosts: tuple[str, ...] = ()
    include: tuple[str, ...] = ()  # path globs; empty: every path
    exclude: tuple[str, ...] = ()
    allow_ports: tuple[int, ...] = ()  # of those that browsers refuse, as no web server answers there
    max_depth: int | None = None  # links from a seed
    documents: bool = True  # PDF, feeds, office files and the like are read like pages
    content_types: tuple[str, ...] | None = None  # the types that are read; None: pages, and documents where wanted
    languages: tuple[str, ...] = ()  # ISO 639-1; empty: any. Pages of other languages are kept but not followed
    traps: Traps = field(default_factory=Traps)


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """How a page's relevance is measured: ``learned`` (from examples and the crawl), ``similarity`` (cosine) or
    ``erid`` (weighted keywords)."""

    method: str = "learned"  # a threshold without a method is one of similarity
    threshold: float | None = None  # None: calibrated from examples, else the method's default
    precision: float | None = None  # of a judge that learns: so many of the pages it calls relevant shall be
    language: str = "english"  # stemming and stop words of the topic's terms; "none" switches both off
    weighting: str = "log"  # "tf" | "log" | "tf-idf" | "log-idf"
    form: str = "robust"  # "robust": text that a site repeats counts less | "paper": every word counts alike


@dataclass(frozen=True, slots=True)
class StrategyChoice:
    """A strategy's name and its parameters (numbers, strings or booleans), what to make the most of, and what to start
    from."""

    name: str = "learning"
    params: dict[str, Any] = field(default_factory=dict)
    maximise: str = "value"  # "value" | "efficiency": value over cost
    learn_from: tuple[str, ...] = ()  # folders of earlier crawls, or files of statistics
    traces: str = ""  # a folder of traces, for a strategy that is led by people
    min_priority: float | None = None  # links of a lower priority are not taken up


@dataclass(frozen=True, slots=True)
class Politeness:
    """Delays are seconds between two requests to one host (and to one address)."""

    delay_s: float = 1.0
    max_delay_s: float = 60.0  # a longer Crawl-delay or Retry-After is clipped to this, and said so
    connections_per_host: int = 1
    obey_robots: bool = True


@dataclass(frozen=True, slots=True)
class Limits:
    """Caps on one exchange and one page."""

    max_wire_bytes: int = 10_000_000
    max_body_bytes: int = 20_000_000
    timeout_s: float = 30.0  # for a whole exchange
    connect_timeout_s: float = 10.0
    max_redirects: int = 10
    max_retries: int = 2
    page_time_s: float = 10.0  # for parsing and judging one page
    max_links: int = 5_000  # links taken up from one page
    retry_wait_s: float = 5.0  # before the first retry of a page or a robots.txt; doubles each time


@dataclass(frozen=True, slots=True)
class Network:
    """The way out."""

    concurrency: int = 64
    contact: str | None = None  # mail address or URL for the User-Agent, so that site owners can ask
    user_agent: str | None = None  # replaces the whole User-Agent
    proxy: str | None = None
    allow_private: bool = False
    allow_addresses: tuple[str, ...] = ()  # allowed besides the public ones: addresses, or networks such as 10.0.0.0/8
    verify_tls: bool = True
    resolve: dict[str, str] = field(default_factory=dict)  # host glob -> address or address:port
    headers: dict[str, dict[str, str]] = field(default_factory=dict, repr=False)  # host glob -> what it is sent besides
    cookies: dict[str, str] = field(default_factory=dict, repr=False)  # host glob -> a=b; c=d. Neither is ever recorded


@dataclass(frozen=True, slots=True)
class Cost:
    """What a page costs before it is fetched, in seconds. ``form``: "robust" (latency + size / speed + politeness wait)
    or "paper" (size / speed, TH-Gatherer's)."""

    form: str = "robust"
    min_s: float = 0.05
    max_s: float = 60.0

    head: bool = False  # ask with HEAD before each GET


@dataclass(frozen=True, slots=True)
class Cache:
    """Folders of earlier crawls: a page they hold is not downloaded again while it is fresh."""

    folders: tuple[str, ...] = ()
    max_age_s: float = 7 * 86400.0  # 0: never use them


@dataclass(frozen=True, slots=True)
class Publish:
    """The shared database that a crawl's records are brought to while it runs. Its password is never recorded."""

    url: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Target:
    """When the need is satisfied: at the first of these that is reached."""

    relevant: int | None = None  # stop after this many relevant pages
    value: float | None = None  # stop when the scores of the judged pages add up to this


@dataclass(frozen=True, slots=True)
class Expression:
    """A predicate as a topic file or a flag has it, and where its text begins, for messages."""

    text: str
    source: str | None = None  # the file, or the flag
    line: int | None = None


@dataclass(frozen=True, slots=True)
class FunctionName:
    """A predicate that was a function of Python, of which a crawl's folder knows the name only."""

    name: str


@dataclass(frozen=True, slots=True)
class Topic:
    """Everything one crawl is told. Build one in Python, or read it with ``dowse.load_topic``."""

    name: str = ""
    query: str = ""
    keywords: tuple[Keyword, ...] = ()
    examples: tuple[Example, ...] = ()
    predicate: str | Expression | FunctionName | PageFunction | None = None  # what a page must satisfy
    categories: dict[str, str] = field(default_factory=dict)  # of the predicate: name -> file
    seeds: Seeds = field(default_factory=Seeds)
    find: Find = field(default_factory=Find)
    scope: Scope = field(default_factory=Scope)
    judge: JudgeSettings = field(default_factory=JudgeSettings)
    strategy: StrategyChoice = field(default_factory=StrategyChoice)
    budget: Budget = field(default_factory=Budget)
    target: Target = field(default_factory=Target)
    politeness: Politeness = field(default_factory=Politeness)
    limits: Limits = field(default_factory=Limits)
    network: Network = field(default_factory=Network)
    cost: Cost = field(default_factory=Cost)
    cache: Cache = field(default_factory=Cache)
    publish: Publish = field(default_factory=Publish)
    out: str | None = None  # the crawl's folder
    workers: int | None = None  # parse and judge processes; None: one a core, 0: in the engine's process
    seed_number: int = 0  # for everything that rolls dice
