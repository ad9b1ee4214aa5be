"""What of a log is somebody looking at a page. All else is left out, and counted by the rule that left it out.

A rule applies where the log tells what it asks for: CSV with time, user and URL alone has no methods to go by.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import StrEnum
from typing import TypeAlias

from dowse.model.extensions import refused_extensions
from dowse.model.url import canonical, fingerprint
from dowse.traces.access import Access, Bad
from dowse.traces.remembered import Remembered

__all__ = ["LeftOut", "Pages", "Verdict"]


class LeftOut(StrEnum):
    """Why an access does not count."""

    METHOD = "not a GET"
    STATUS = "no page came back, by its status"
    KIND = "not a page, by its content type"
    ENDING = "not a page, by the ending of its URL"
    ROBOT = "asked by a robot, by its user agent"
    ROBOTS_TXT = "robots.txt"
    HOST = "a host you left out"
    REPEAT = "the same page again within the half hour"
    DAY = "beyond a user's limit for a day"
    USER = "beyond a user's limit for all days"


Verdict: TypeAlias = "int | LeftOut | Bad"

_GET = (b"GET", b"")
_CAME = (b"200", b"203", b"304", b"")  # 304: it was in the reader's own cache, and was read
_KINDS = (
    "text/html", "application/xhtml+xml", "text/plain", "application/pdf", "application/postscript",
    "application/msword", "application/vnd.openxmlformats-officedocument", "application/vnd.oasis.opendocument",
    "application/vnd.ms-excel", "application/vnd.ms-powerpoint", "application/rtf", "application/epub+zip",
)  # fmt: skip
"""Content types that people read."""
_ENDINGS = refused_extensions(_KINDS)
_ENDING = re.compile(r"\.([a-z0-9]{1,11})$", re.IGNORECASE).search
# the names that robots give themselves, and the programs that are robots by what they are
_is_robot = re.compile(
    rb"(?i)(?<!cu)bot(?:\b|_)|crawl|spider|slurp|archive|fetch|scrap|monitor|validator|preview|check|scan|feed|wget|curl"
    rb"|libwww|python|java/|go-http|okhttp|httpclient|axios|headless|phantomjs|lighthouse|^-?$|facebookexternalhit"
    rb"|mediapartners|dowse"
).search
_LONGEST_URL = 2_000
_LONGEST_AGENT = 1_000  # bytes that are looked at: robots say who they are at once


class Pages:
    """Says of accesses which are of pages. What was said of URLs lately is remembered: most are asked for again.

    ``drop_queries``: an address ends before its ``?``. ``without`` are hosts that do not count, and their subdomains.
    ``fresh`` holds the URLs that were met since it was last emptied, by their fingerprints; ``fresh_length`` is about
    how many characters they have.
    """

    def __init__(self, *, drop_queries: bool = False, without: Collection[str] = ()) -> None:
        self._drop_queries = drop_queries
        self._without = frozenset(without)
        self._urls: Remembered[Verdict] = Remembered()
        self._kinds: Remembered[bool] = Remembered({b"": True, b"-": True})
        self._robots: Remembered[bool] = Remembered({b"": False})
        self.fresh: dict[int, str] = {}
        self.fresh_length = 0

    def forget_fresh(self) -> None:
        """They were written."""
        self.fresh.clear()
        self.fresh_length = 0

    @property
    def keeps_queries(self) -> bool:
        return not self._drop_queries

    def judge(self, access: Access) -> Verdict:
        """The fingerprint of the page that was looked at, or why there is none."""
        _, _, url, method, status, kind, agent = access
        if method not in _GET:
            return LeftOut.METHOD
        if status not in _CAME:
            return LeftOut.STATUS
        if agent and self._is_robot(agent):
            return LeftOut.ROBOT
        if kind and not self._is_read(kind):
            return LeftOut.KIND
        found = self._urls.get(url)
        return self._address(url) if found is None else found

    def _is_robot(self, agent: bytes) -> bool:
        found = self._robots.get(agent)
        if found is None:
            found = self._robots.keep(agent, _is_robot(agent[:_LONGEST_AGENT]) is not None)
        return found

    def _is_read(self, kind: bytes) -> bool:
        found = self._kinds.get(kind)
        if found is None:
            found = self._kinds.keep(kind, kind.decode("latin-1").lower().startswith(_KINDS))
        return found

    def _address(self, raw: bytes) -> Verdict:
        url = None if len(raw) > _LONGEST_URL else canonical(raw.decode("utf-8", "replace"))
        if url is None:
            return Bad.URL
        path, mark, _ = url.partition("?")
        found = self._urls.keep(raw, self._judge_url(url, path))
        if type(found) is int:
            self.fresh[found] = path if self._drop_queries and mark else url
            self.fresh_length += len(url)
        return found

    def _judge_url(self, url: str, path: str) -> Verdict:
        start = path.index("/", 8)
        if path[start:] == "/robots.txt":
            return LeftOut.ROBOTS_TXT
        ending = _ENDING(path, start)
        if ending is not None and ending[1].lower() in _ENDINGS:
            return LeftOut.ENDING
        if self._without and self._is_without(path[path.index("//") + 2 : start]):
            return LeftOut.HOST
        return fingerprint(path if self._drop_queries else url)

    def _is_without(self, host: str) -> bool:
        name = host.partition(":")[0]
        while name not in self._without:
            _, dot, name = name.partition(".")
            if not dot:
                return False
        return True
