"""What a page costs, written out over the lines of a site log (TH-Gatherer, sections 2.3 and 4.1; METHODS, section 1:
cost). Nothing here is shared with the code under test; nothing is fast."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

ALIKE = 3  # exchanges such as all sites have, added to a site's own; and pages such as a site has, to a directory's
FULL = 64  # exchanges of one site, or of one kind of page there: beyond, what is older counts half
MOST_FAILING = 0.9


@dataclass(frozen=True, slots=True)
class Line:
    """A request and what came of it. A HEAD has a latency only; what failed has nothing."""

    site: int
    kind: str  # "page", "head" or "failed"
    directory: str = ""  # where the page lies at its site, and what kind of file it is
    latency_s: float = 0.0
    download_s: float = 0.0
    size: int = 0


FIRST = Line(-1, "page", "", 0.3, 0.1, 20_000)
"""What is thought before anything was asked."""


@dataclass(slots=True)
class Weighed:
    line: Line
    weight: float = 1.0


def weighed(lines: Iterable[Line], counts: Callable[[Line], bool]) -> list[Weighed]:
    """Lines of one site (or directory). Where those that count are many already, older ones count half."""
    found: list[Weighed] = []
    for line in lines:
        if math.fsum(one.weight for one in found if counts(one.line)) >= FULL:
            for one in found:
                one.weight /= 2
        found.append(Weighed(line))
    return found


def request(line: Line) -> bool:
    return line.kind != "head"


def answer(line: Line) -> bool:
    return line.kind == "page"


def heard(line: Line) -> bool:
    return line.kind != "failed"


def shrunk(
    own: list[Weighed], every: list[Line], value: Callable[[Line], float], among: Callable[[Line], bool]
) -> float:  # fmt: skip
    """The mean over a site's own lines and a few more such as are usual everywhere."""
    usual = math.fsum(value(line) for line in every if among(line)) / sum(map(among, every))
    total = math.fsum(one.weight * value(one.line) for one in own if among(one.line))
    return (total + ALIKE * usual) / (math.fsum(one.weight for one in own if among(one.line)) + ALIKE)


@dataclass(frozen=True, slots=True)
class Log:
    lines: list[Line]

    def of(
        self, site: int, value: Callable[[Line], float], among: Callable[[Line], bool] = answer
    ) -> float:  # fmt: skip
        own = weighed((line for line in self.lines if line.site == site), request)
        return shrunk(own, [FIRST, *self.lines], value, among)

    def latency_s(self, site: int) -> float:
        """Every answer tells it, that to a HEAD as well."""
        return self.of(site, lambda line: line.latency_s, heard)

    def speed(self, site: int) -> float:
        """Speed(h): bytes over the seconds that they took from the first to the last."""
        return self.of(site, lambda line: line.size) / self.of(site, lambda line: line.download_s)

    def failing(self, site: int) -> float:
        return self.of(site, lambda line: line.kind == "failed", request)

    def size(self, site: int, directory: str) -> float:
        """Size(h), where no HEAD tells it: that of pages like it, shrunk to the site's."""
        here = weighed(
            (line for line in self.lines if (line.site, line.directory, line.kind) == (site, directory, "page")), answer
        )
        usual = self.of(site, lambda line: line.size)
        total = math.fsum(one.weight * one.line.size for one in here)
        return (total + ALIKE * usual) / (math.fsum(one.weight for one in here) + ALIKE)


def clipped(cost: float, minc: float, maxc: float) -> float:
    if cost < minc:
        return minc
    return maxc if cost > maxc else cost


def paper(log: Log, site: int, size: float, wait_s: float) -> float:
    """Size(h) / Speed(h)."""
    return size / log.speed(site)


def robust(log: Log, site: int, size: float, wait_s: float) -> float:
    """Latency, download and the politeness wait, as often as a page must be asked for until it comes."""
    once = log.latency_s(site) + size / log.speed(site) + wait_s
    return once / (1 - min(log.failing(site), MOST_FAILING))


FORMS = {"paper": paper, "robust": robust}
