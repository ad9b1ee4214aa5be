"""The keys of a topic file, listed once: which attribute of :class:`~dowse.model.topic.Topic` each one fills, and what
reads its value. Topic files and the flags of ``dowse crawl`` both go by this list."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dowse.model import path_fields as paths
from dowse.model import topic_fields as read
from dowse.model.secret_fields import cookies, headers

__all__ = ["COST_FORMS", "LANGUAGES", "MAXIMISE", "Keys", "topic_keys"]

Keys = dict[str, tuple[str, read.Read]]
"""Key -> the attribute it fills, and what reads it (raising :class:`~dowse.model.topic_fields.Fault`)."""

MAXIMISE = ("value", "efficiency")
COST_FORMS = ("robust", "paper")
LANGUAGES = (
    "none", "arabic", "armenian", "basque", "catalan", "danish", "dutch", "english", "finnish", "french", "german",
    "greek", "hindi", "hungarian", "indonesian", "irish", "italian", "lithuanian", "nepali", "norwegian", "portuguese",
    "romanian", "russian", "serbian", "spanish", "swedish", "tamil", "turkish", "yiddish",
)  # fmt: skip


def topic_keys(directory: Path | None) -> dict[str, Keys]:
    """The keys of each table; the table "" is the top of the file. ``directory`` is where relative paths start; None:
    paths and seeds are taken as they are, whether or not there is such a file."""
    file = read.text if directory is None else paths.existing(directory)
    file_or_url = read.text if directory is None else paths.existing(directory, urls=True)
    samples = read.each(read.text if directory is None else paths.existing(directory, urls=True, globs=True))
    path = read.text if directory is None else paths.path(directory)
    seed = read.text if directory is None else read.web_url
    categories = paths.names_and_files if directory is None else paths.categories(directory)
    engine = read.engine if directory is None else paths.engines(directory)
    database = read.database if directory is None else paths.database(directory)
    hosts, globs = read.each(read.host_glob), read.each(read.path_glob)
    count = read.whole(0)
    return {
        "": {
            "name": ("name", read.text),
            "query": ("query", read.text),
            "keywords": ("keywords", read.keywords),
            "predicate": ("predicate", read.text),
            "categories": ("categories", categories),
            "out": ("out", path),
            "workers": ("workers", read.whole(0, 256)),
            "seed_number": ("seed_number", count),
        },
        "examples": {"positive": ("positive", samples), "negative": ("negative", samples)},
        "seeds": {
            "urls": ("urls", read.each(seed)),
            "files": ("files", read.each(file)),
            "sitemaps": ("sitemaps", read.each(file_or_url)),
            "robots_sitemaps": ("robots_sitemaps", read.boolean),
            "on_topic": ("on_topic", read.boolean),
            "from": ("database", database),
            "collection": ("collection", read.text),
        },
        "publish": {"to": ("url", database)},
        "find": {
            "engines": ("engines", read.each(engine)),
            "queries": ("queries", read.each(read.filled)),
            "wanted": ("wanted", read.boolean),
            "seeds": ("seeds", read.whole(1, 100_000)),
            "per_query": ("per_query", read.whole(1, 10_000)),
            "requests": ("requests", read.whole(1, 100_000)),
        },
        "scope": {
            "reach": ("reach", read.one_of("host", "domain", "any")),
            "hosts": ("hosts", hosts),
            "domains": ("domains", hosts),
            "exclude_hosts": ("exclude_hosts", hosts),
            "include": ("include", globs),
            "exclude": ("exclude", globs),
            "allow_ports": ("allow_ports", read.ports),
            "max_depth": ("max_depth", count),
            "documents": ("documents", read.boolean),
            "content_types": ("content_types", read.each(read.content_type)),
            "languages": ("languages", read.each(read.language_code)),
        },
        "scope.traps": {
            "max_url_length": ("max_url_length", count),
            "max_per_host": ("max_per_host", count),
            "max_hosts_per_domain": ("max_hosts_per_domain", count),
            "max_repeated_segments": ("max_repeated_segments", _zero_or_repeats),
            "max_per_pattern": ("max_per_pattern", count),
            "max_pattern_run": ("max_pattern_run", count),
            "session_ids": ("session_ids", read.boolean),
        },
        "judge": {
            "method": ("method", read.text),
            "threshold": ("threshold", read.number(0, 1)),
            "precision": ("precision", read.number(0, 1)),
            "language": ("language", read.one_of(*LANGUAGES)),
            "weighting": ("weighting", read.one_of("tf", "log", "tf-idf", "log-idf")),
            "form": ("form", read.one_of("robust", "paper")),
        },
        "strategy": {
            "name": ("name", read.text),
            "maximise": ("maximise", read.one_of(*MAXIMISE)),
            "learn_from": ("learn_from", read.each(file)),
            "traces": ("traces", lambda value: "" if value == "" else file(value)),
            "min_priority": ("min_priority", read.number(-1e9, 1e9)),
        },
        "cost": {
            "form": ("form", read.one_of(*COST_FORMS)),
            "min": ("min_s", read.duration(0.001)),
            "max": ("max_s", read.duration(0.001)),
            "head": ("head", read.boolean),
        },
        "budget": {
            "pages": ("pages", read.BUDGET["pages"]),
            "bytes": ("bytes", read.BUDGET["bytes"]),
            "time": ("seconds", read.BUDGET["seconds"]),
            "requests": ("requests", read.BUDGET["requests"]),
        },
        "target": {"relevant": ("relevant", read.whole(1)), "value": ("value", read.above(0))},
        "politeness": {
            "delay": ("delay_s", read.duration()),
            "max_delay": ("max_delay_s", read.duration()),
            "connections_per_host": ("connections_per_host", read.whole(1, 64)),
            "obey_robots": ("obey_robots", read.boolean),
        },
        "limits": {
            "max_wire_bytes": ("max_wire_bytes", read.size),
            "max_body_bytes": ("max_body_bytes", read.size),
            "timeout": ("timeout_s", read.duration(0.001)),
            "connect_timeout": ("connect_timeout_s", read.duration(0.001)),
            "max_redirects": ("max_redirects", read.whole(0, 50)),
            "max_retries": ("max_retries", read.whole(0, 20)),
            "retry_wait": ("retry_wait_s", read.duration()),
            "page_time": ("page_time_s", read.duration(0.001)),
            "max_links": ("max_links", read.whole(1)),
        },
        "network": {
            "concurrency": ("concurrency", read.whole(1, 4096)),
            "contact": ("contact", read.contact),
            "user_agent": ("user_agent", read.header_text),
            "proxy": ("proxy", read.proxy),
            "allow_private": ("allow_private", read.boolean),
            "allow_addresses": ("allow_addresses", read.each(read.address_or_network)),
            "verify_tls": ("verify_tls", read.boolean),
            "resolve": ("resolve", read.resolve),
            "headers": ("headers", headers),
            "cookies": ("cookies", cookies),
        },
        "cache": {
            "folders": ("folders", read.each(path)),
            "max_age": ("max_age_s", read.duration(high=36_600 * 86400.0)),
        },
    }


def _zero_or_repeats(value: Any) -> int:
    if value == 1:
        raise read.Fault("must be 2 or more, or 0 to switch the rule off")
    count: int = read.whole(0)(value)
    return count
