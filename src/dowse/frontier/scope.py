"""Which URLs may be fetched at all, decided from the URL alone.

A :class:`StaticScope` is built once from the topic and the seeds, sent to the worker processes and asked about every
link of every page, so what holds for a whole folder is remembered and the common answer costs one lookup. What
depends on the crawl so far (growth of a host or of a URL pattern) is in :mod:`dowse.frontier.traps`.

A seed is what the user asked for: the reach and the ``include`` patterns do not apply to it, every other rule does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache

from publicsuffixlist import PublicSuffixList  # imported here only

from dowse.model.extensions import refused_extensions
from dowse.model.network_ports import is_refused_port, port_of
from dowse.model.topic import Scope
from dowse.model.url import canonical, spelled_host, split
from dowse.model.wanted_types import wanted_types

__all__ = ["StaticScope", "registered_domain"]

_MEMO = 32_768  # hosts and folders remembered before a memo starts afresh
_LONGEST_KEY = 1_000
_LABELS = 12
_LAST_SEGMENTS = 64  # a path that grows without end grows at its end, and to look for cycles takes time with its square
_DEPENDS = "?"  # the rule of a folder where the last segment decides,
_AGAIN = "again"  # and of one where it does so only if the folder has such a segment already
_WEB = ("http://", "https://")
_PORT = re.compile(r":[0-9]+$")
_STATE = ("scope", "_limited", "_seed_hosts", "_seed_domains", "_exempt", "_extensions")
_JSON_FEED = "feed.json"

# The classic places of a session id in a path. Ids are told from words and from plain numbers: hexadecimal with a
# digit and a letter, or long and rich in digits.
_ID = r"(?:(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{12,}|(?=(?:[a-z]*\d){4})[0-9a-z]{20,}|[0-9a-f]{8}(?:-[0-9a-f]{4,12}){4})"
_KEY = r"(?:sid|sess(?:ion)?(?:[-_]?id)?|phpsessid|jsessionid|oscsid|zenid)"
_HASH = r"(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})"
_SESSION = re.compile(
    r"(?:/\((?:[a-z]\([0-9a-z_-]{1,200}\))+\)"  # ASP.NET: /(S(3wy2qr45fdh0t4554d5ct345))/
    rf"|/{_KEY}/{_ID}|/s/{_HASH}"
    rf"|;{_KEY}={_ID}|;s={_HASH})(?=[/;]|$)"
)
_SESSION_KEY = re.compile(rf"/(?:s|{_KEY})/$")  # a folder whose entries may be session ids
_SENTENCES = {
    "scheme": "it is not an http or https address",
    "host": "its host {host} is outside the reach of this crawl ({reach})",
    "port": "web servers do not answer at port {port}, where a request may do harm (scope.allow_ports)",
    "excluded-host": "its host {host} is excluded by scope.exclude_hosts",
    "path": "its path is not wanted: scope.include and scope.exclude decide",
    "length": "it is {length} characters long, and scope.traps.max_url_length is {max_length}",
    "repeated-segments": "its path repeats a segment, as links that grow without end do"
    " (scope.traps.max_repeated_segments is {max_repeated})",
    "session-id": "its path carries a session id, so the same page would come back under endless addresses"
    " (scope.traps.session_ids)",
    "extension": "files named .{extension} cannot be of a wanted type (scope.documents, scope.content_types)",
}


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


def registered_domain(host: str) -> str:
    """The domain a name was registered under; an address, a bare name or a public suffix stands for itself.

    >>> registered_domain("www.example.co.uk"), registered_domain("127.0.0.1"), registered_domain("localhost")
    ('example.co.uk', '127.0.0.1', 'localhost')
    """
    # WHATWG hosts: an address is in brackets (IPv6), or its last label is a number (IPv4)
    if host.endswith("]") or host.rsplit(".", 1)[-1].isdigit():
        return host
    if host.count(".") > _LABELS:  # no suffix has half as many; the list takes time with each
        host = ".".join(host.split(".")[-_LABELS:])
    return _suffixes().privatesuffix(host) or host


class StaticScope:
    """The rules of a :class:`~dowse.model.topic.Scope` that need nothing but the URL. Picklable. ``takes_feeds``: are
    feeds read?

    >>> scope = StaticScope(Scope(reach="host", exclude=("/private/*",)), ["https://example.org/"])
    >>> scope.refuse("https://www.example.org/a"), scope.refuse("https://example.com/a")
    (None, 'host')
    >>> scope.refuse("https://example.org/private/x")
    'path'
    """

    def __init__(self, scope: Scope, seeds: Iterable[str] = ()) -> None:
        self.scope = scope
        seeds = [url for url in map(canonical, seeds) if url is not None]
        hosts = {_without_www(split(url).host) for url in seeds}
        self._limited = scope.reach != "any" or bool(scope.hosts or scope.domains)
        self._seed_hosts = frozenset(hosts if scope.reach == "host" else ())
        self._seed_domains = frozenset(map(registered_domain, hosts) if scope.reach == "domain" else ())
        self._extensions = refused_extensions(wanted_types(scope).types)
        self._prepare()
        self._exempt: frozenset[str] = frozenset()
        self._exempt = frozenset(url for url in seeds if self.refuse(url) in ("host", "path"))

    def _prepare(self) -> None:
        scope, traps = self.scope, self.scope.traps
        self._domains = frozenset(spelled_host(name.lstrip("*.")) for name in scope.domains)
        self._hosts = _host_globs(scope.hosts)
        self._excluded_hosts = _host_globs(scope.exclude_hosts)
        self._include = _path_globs(scope.include)
        self._exclude = _path_globs(scope.exclude)
        self._max_length = traps.max_url_length or 1 << 62
        self._repeats = traps.max_repeated_segments or 1 << 62
        self._session_ids = traps.session_ids
        self.takes_feeds = "rss" not in self._extensions
        self._globs = self._include is not None or self._exclude is not None
        self._folders: dict[str, str | None] = {}
        self._hosts_judged: dict[str, str | None] = {}

    def __getstate__(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in _STATE)

    def __setstate__(self, state: tuple[object, ...]) -> None:
        for name, value in zip(_STATE, state, strict=True):
            setattr(self, name, value)
        self._prepare()

    def refuse(self, url: str) -> str | None:
        """The rule that forbids a canonical URL, or None. Never raises, whatever the string."""
        if len(url) > self._max_length:
            return "length"
        mark = url.find("?")
        end = mark if mark >= 0 else len(url)
        name = url.rfind("/", 0, end) + 1
        folder = url[:name]
        try:
            rule = self._folders[folder]
        except KeyError:
            rule = self._judge_folder(folder)
        if rule is not None or ";" in url or "(" in url:
            rule = self._look_closer(url, name, end, rule)
            if rule is not None:
                return rule
        dot = url.rfind(".", name, end)
        if dot >= 0 and url[dot + 1 : end].lower() in self._extensions and not self._is_known(url, name, end):
            return "extension"
        if self._globs and not self._wanted(url):
            return "path"
        return None

    def _is_known(self, url: str, name: int, end: int) -> bool:
        """Is it a page in spite of its extension, or a feed?"""
        return _is_page_title(url[8:end]) or (self.takes_feeds and url[name:end].lower() == _JSON_FEED)

    def _judge_folder(self, folder: str) -> str | None:
        """What holds for every URL of a folder (an origin and a path up to its last slash): links come in families,
        so this is nearly always remembered."""
        slash = folder.find("/", 8)
        if slash < 0 or not folder.startswith(_WEB):
            return "scheme"
        rule = self._judge_host(folder[:slash]) or self._judge_path(folder[slash:].lower(), is_folder=True)
        if len(folder) <= _LONGEST_KEY:
            if len(self._folders) >= _MEMO:
                self._folders.clear()
            self._folders[folder] = rule
        return rule

    def _judge_path(self, path: str, *, is_folder: bool = False) -> str | None:
        segments = [segment for segment in path.split("/") if segment]
        repeats = len(segments) - len(set(segments)) + 1  # the most that one segment can occur
        if repeats >= self._repeats and _repeat(segments, self._repeats):
            return "repeated-segments"
        if self._session_ids and _SESSION.search(path) is not None:
            return "session-id"
        if is_folder and (self._repeats < 2 or _SESSION_KEY.search(path) is not None):
            return _DEPENDS
        return _AGAIN if is_folder and repeats >= self._repeats - 1 else None

    def _look_closer(self, url: str, name: int, end: int, rule: str | None) -> str | None:
        """The rule for a URL whose folder, which ends before ``name``, does not settle the matter."""
        if rule == _AGAIN:
            if ";" not in url and "(" not in url and f"/{url[name:end].lower()}/" not in url[:name].lower():
                return None
            rule = _DEPENDS
        if rule is None or rule == _DEPENDS or (rule == "host" and url in self._exempt):
            return self._judge_path(url[url.find("/", 8) : end].lower())
        return rule

    def _wanted(self, url: str) -> bool:
        slash = url.find("/", 8)
        if self._include is not None and not self._include.match(url, slash) and url not in self._exempt:
            return False
        return self._exclude is None or not self._exclude.match(url, slash)

    def explain(self, url: str) -> str:
        """One sentence: which rule refuses a URL and why, or that none does."""
        rule = self.refuse(url)
        if rule is None:
            return "The scope allows it."
        try:
            parts = split(url)
            host, port = parts.host, parts.port
        except (ValueError, TypeError):
            host, port = "?", 0
        sentence = _SENTENCES[rule].format(
            host=host,
            port=port,
            reach=self._reach(),
            length=len(url),
            max_length=self._max_length,
            max_repeated=self._repeats,
            extension=url.partition("?")[0].rpartition(".")[2].lower(),
        )
        return f"Refused by the rule {rule}: {sentence}."

    def _reach(self) -> str:
        names = [f'reach = "{self.scope.reach}"']
        names += sorted(self._seed_hosts | self._seed_domains)[:3]
        names += [*self.scope.hosts, *self.scope.domains][:3]
        return ", ".join(names)

    def _judge_host(self, origin: str) -> str | None:
        try:
            return self._hosts_judged[origin]
        except KeyError:
            pass
        host = _PORT.sub("", origin[origin.index("//") + 2 :])
        rule = None
        if is_refused_port(port_of(origin), self.scope.allow_ports):
            rule = "port"
        elif self._excluded_hosts is not None and self._excluded_hosts.fullmatch(host):
            rule = "excluded-host"
        elif self._limited and not self._within(host):
            rule = "host"
        if len(self._hosts_judged) >= _MEMO:
            self._hosts_judged.clear()
        self._hosts_judged[origin] = rule
        return rule

    def _within(self, host: str) -> bool:
        if self._seed_hosts and _without_www(host) in self._seed_hosts:
            return True
        if self._seed_domains and registered_domain(host) in self._seed_domains:
            return True
        if self._hosts is not None and self._hosts.fullmatch(host):
            return True
        labels = host.split(".")
        return any(".".join(labels[i:]) in self._domains for i in range(len(labels)))


def _repeat(segments: list[str], times: int) -> bool:
    """Does a segment that is no number come ``times`` times, or a cycle of two or more segments that many times in
    a row? (Numbers alone repeat on honest sites: /2011/11/11/, /1/1/1/.)"""
    repeated = [segment for segment, count in Counter(segments).items() if count >= times]
    if all(segment.isdigit() for segment in repeated):
        return len(repeated) >= 2 and _cycles(segments[-_LAST_SEGMENTS:], times)
    return True


def _cycles(segments: list[str], times: int) -> bool:
    """Is there a run of two or more segments, not all equal, that comes ``times`` times in a row?"""
    for period in range(2, len(segments) // times + 1):
        streak = 0
        for i in range(period, len(segments)):
            streak = streak + 1 if segments[i] == segments[i - period] else 0
            if streak >= period * (times - 1) and len(set(segments[i - period + 1 : i + 1])) > 1:
                return True
    return False


def _is_page_title(path: str) -> bool:
    """Wikis and code browsers show pages under names that look like files: /wiki/Node.js, /wiki/File:Sun.jpg."""
    name = path[path.rfind("/") + 1 :]
    return ":" in name or "%3a" in name or "/wiki/" in path or "/blob/" in path or "/package/" in path


def _without_www(host: str) -> str:
    return host[4:] if host.startswith("www.") and host.count(".") > 1 else host


def _host_globs(globs: Iterable[str]) -> re.Pattern[str] | None:
    """``*`` is anything; ``*.example.org`` is example.org too."""
    alternatives = []
    for glob in map(spelled_host, globs):
        if glob.startswith("*."):
            alternatives.append(r"(?:.*\.)?" + _glob(glob[2:]))
        else:
            alternatives.append(_glob(glob))
    return re.compile("|".join(alternatives)) if alternatives else None


def _path_globs(globs: Iterable[str]) -> re.Pattern[str] | None:
    """Globs on path and query; only ``*`` is special, and it crosses ``/``."""
    alternatives = []
    for glob in globs:
        escaped = "".join(c if c.isascii() and c > " " else _percent(c) for c in glob)
        alternatives.append(_glob(escaped) + r"\Z")
    return re.compile("|".join(alternatives)) if alternatives else None


def _percent(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "replace"))


def _glob(glob: str) -> str:
    """A glob as a regular expression (to be matched to the end) that goes back over the last ``*`` only, so that a
    hostile URL costs linear time."""
    first, *rest = (re.escape(part) for part in glob.split("*"))
    if not rest:
        return first
    middle = "".join(f"(?>.*?{part})" for part in rest[:-1] if part)
    return f"(?s:{first}{middle}.*{rest[-1]})"
