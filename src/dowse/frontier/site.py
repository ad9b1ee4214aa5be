"""Sites and addresses: the queues, and who may be asked when."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from enum import IntEnum

from dowse.model.network_ports import port_of

__all__ = ["NO_BOUND", "Address", "Errand", "Lease", "Site"]

NO_BOUND = 1 << 96  # above all keys


class Errand(IntEnum):
    """What a lease on a site is for, in the order a new site needs them."""

    ADDRESS = 0
    ROBOTS = 1
    PAGE = 2


@dataclass(slots=True, eq=False)
class Address:
    """A network address that one or more sites live at."""

    key: str
    ready_at: float = 0.0
    in_flight: int = 0
    parked: list[int] = field(default_factory=list)  # heap of keys: sites waiting for this address
    alarm: float | None = None  # when a wake-up is already booked
    kept_off: bool = False  # another shard asks there


@dataclass(slots=True, eq=False)
class Site:
    """An origin, and its queue of waiting URLs (see ``queues``)."""

    id: int
    origin: str
    delay_s: float
    front: list[int] = field(default_factory=list)  # heap of keys below the bound
    rear: array[int] | None = None  # ids of the others, in no order; None: there was never one
    bound: int = NO_BOUND
    front_most: int = 8  # longer, and it is shortened
    waiting: int = 0
    errand: Errand = Errand.ADDRESS
    address: Address | None = None
    in_flight: int = 0
    away: int = 0  # of these, leases of errands whose requests take turns of their own
    ready_at: float = 0.0
    offer: int = -1  # the key under which the site stands in the ready heap; -1: it does not
    parked: int = -1  # the key under which it waits for its address; -1: it does not
    alarm: float | None = None  # when a wake-up is already booked
    back_until: float = 0.0  # until then it is asked only when no other site can be
    spare: bool = False  # its offer stands among those of the sites that stand back
    closed: str = ""  # why the site takes no more URLs
    leased: int = 0  # URLs whose lease has not ended: under way, being parsed or judged
    held: bool = False  # its slot is another shard's, or is to be: nothing is leased here

    @property
    def port(self) -> int:
        """The port asked, the scheme's own where the origin names none."""
        return port_of(self.origin)

    @property
    def address_key(self) -> str:
        """The address whose delay it shares; "": none is known."""
        return "" if self.address is None else self.address.key

    @property
    def host(self) -> str:
        """The host name or address literal, without the port."""
        authority = self.origin.rpartition("//")[2].rpartition("@")[2]  # old records may have credentials
        return authority[: authority.index("]") + 1] if authority.startswith("[") else authority.partition(":")[0]


@dataclass(frozen=True, slots=True)
class Lease:
    """Leave to ask a site once: for its address, its robots.txt or a page (``candidate``, ``url`` and ``depth``)."""

    site: Site
    errand: Errand
    candidate: int = -1
    url: str = ""
    depth: int = 0
    address: Address | None = None
    away: bool = False  # its requests take turns of their own (Frontier.hold_errand)
