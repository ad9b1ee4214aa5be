"""The frontier's rules, written down naively: every question is answered by looking at everything."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class NaiveUrl:
    id: int
    site: str
    priority: float
    state: str = "waiting"  # waiting, leased, done
    not_before: float = 0.0


@dataclass
class NaiveSite:
    errand: int = 0  # 0 address, 1 robots, 2 page
    in_flight: int = 0
    ready_at: float = 0.0
    address: str | None = None
    back_until: float = 0.0


@dataclass
class NaiveAddress:
    in_flight: int = 0
    ready_at: float = 0.0


class NaiveFrontier:
    def __init__(self, delay_s: float, connections: int) -> None:
        self.delay_s = delay_s
        self.connections = connections
        self.urls: list[NaiveUrl] = []
        self.sites: dict[str, NaiveSite] = {}
        self.addresses: dict[str, NaiveAddress] = {}

    def add(self, site: str, priority: float) -> int:
        self.sites.setdefault(site, NaiveSite())
        self.urls.append(NaiveUrl(len(self.urls), site, priority))
        return len(self.urls) - 1

    def _free(self, name: str, now: float) -> bool:
        site = self.sites[name]
        if site.in_flight >= (self.connections if site.errand == 2 else 1) or site.ready_at > now:
            return False
        if site.address is not None and self.delay_s > 0:
            address = self.addresses[site.address]
            return address.in_flight < self.connections and address.ready_at <= now
        return True

    def next(self, now: float) -> tuple[str, int, int] | None:
        """(site, errand, candidate or -1) of the best URL among the sites that may be asked."""
        choice = [
            url for url in self.urls
            if url.state == "waiting" and url.not_before <= now and self._free(url.site, now)
        ]  # fmt: skip
        if not choice:
            return None
        best = min(choice, key=lambda url: (self.sites[url.site].back_until > now, -url.priority, url.id))
        site = self.sites[best.site]
        errand = site.errand
        site.in_flight += 1
        if errand == 0:
            return best.site, 0, -1
        site.ready_at = now + self.delay_s
        if site.address is not None:
            self.addresses[site.address].in_flight += 1
            self.addresses[site.address].ready_at = now + self.delay_s
        if errand == 1:
            return best.site, 1, -1
        best.state = "leased"
        return best.site, 2, best.id

    def release(self, name: str, errand: int, now: float, address: str | None) -> None:
        site = self.sites[name]
        site.in_flight -= 1
        if errand != 0:
            site.ready_at = max(site.ready_at, now + self.delay_s)
        if address is not None:
            self.addresses[address].in_flight -= 1
            self.addresses[address].ready_at = max(self.addresses[address].ready_at, now + self.delay_s)


class NaiveQueues:
    """What waits at each site, best first, in order of discovery where ranks are equal."""

    def __init__(self) -> None:
        self.urls: list[NaiveUrl] = []

    def add(self, site: int, rank: float) -> None:
        self.urls.append(NaiveUrl(len(self.urls), str(site), rank))

    def rerank(self, ranks: dict[int, float]) -> None:
        for id_, rank in ranks.items():
            self.urls[id_].priority = rank

    def back(self, id_: int) -> None:
        self.urls[id_].state = "waiting"

    def all_waiting(self) -> list[int]:
        return [url.id for url in self.urls if url.state == "waiting"]

    def waiting(self, site: int) -> list[int]:
        return [id_ for id_ in self.all_waiting() if self.urls[id_].site == str(site)]

    def take(self, site: int) -> int:
        """The best that waits there, -1 when there is none."""
        best = min(self.waiting(site), key=lambda id_: (-self.urls[id_].priority, id_), default=-1)
        if best >= 0:
            self.urls[best].state = "leased"
        return best
