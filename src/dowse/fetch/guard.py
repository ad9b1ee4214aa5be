"""The address guard: which addresses a crawler may connect to.

A page can name any address, so a link, a redirect or a DNS answer must never lead into the operator's own network.
The guard judges the address a connection really uses, never a name, so it holds whatever DNS says next time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from dowse.model.errors import TopicError

__all__ = ["Guard", "allowed", "is_literal", "networks", "strip_literal"]

_REFUSED_V4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network; 0.0.0.0 reaches the local host
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # carrier-grade NAT (RFC 6598); some clouds keep their metadata service here
            "127.0.0.0/8",  # loopback
            "168.63.129.16/32",  # a public address that one cloud routes to the machine's own host
            "169.254.0.0/16",  # link-local, metadata services
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocol assignments
            "192.0.2.0/24",  # documentation
            "192.88.99.0/24",  # 6to4 relays, withdrawn
            "192.168.0.0/16",  # private
            "198.18.0.0/15",  # benchmarking
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, broadcast
        ),
    )
)
_UNICAST_V6 = IPv6Network("2000::/3")  # the only part of the IPv6 space given out to hosts on the internet
_REFUSED_V6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments (Teredo is judged by what it embeds, before this)
            "2001:db8::/32",  # documentation
            "3fff::/20",  # documentation
        ),
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")
_ISATAP = (0x00005EFE, 0x02005EFE)


def strip_literal(host: str) -> str:
    """A host without the brackets and the zone an IPv6 literal may carry."""
    if host[:1] == "[" and host[-1:] == "]":
        host = host[1:-1]
    return host.partition("%")[0] if ":" in host else host


def is_literal(host: str) -> bool:
    """Is this host an IP address, not a name?"""
    try:
        ip_address(strip_literal(host))
    except ValueError:
        return False
    return True


def _embedded(address: IPv6Address) -> tuple[IPv4Address, ...]:
    """The IPv4 addresses that traffic to this address would end at."""
    if address.ipv4_mapped is not None:
        return (address.ipv4_mapped,)
    if address.sixtofour is not None:
        return (address.sixtofour,)
    if address.teredo is not None:
        return address.teredo
    low = int(address) & 0xFFFF_FFFF_FFFF_FFFF
    if address in _NAT64 or (low >> 32) in _ISATAP:
        return (IPv4Address(low & 0xFFFF_FFFF),)
    return ()


def _allowed_v4(address: IPv4Address) -> bool:
    return not any(address in network for network in _REFUSED_V4)


def _allowed_v6(address: IPv6Address) -> bool:
    embedded = _embedded(address)
    if not all(map(_allowed_v4, embedded)):
        return False
    if embedded and (address.ipv4_mapped is not None or address.teredo is not None or address in _NAT64):
        return True
    return address in _UNICAST_V6 and not any(address in network for network in _REFUSED_V6)


@lru_cache(maxsize=4096)
def allowed(address: str) -> bool:
    """May a crawler connect to this address? Only public unicast addresses; what is no address is refused.

    >>> allowed("93.184.215.14"), allowed("127.0.0.1"), allowed("::ffff:10.0.0.1")
    (True, False, False)
    """
    try:
        parsed = ip_address(strip_literal(address))
    except ValueError:
        return False
    return _allowed_v4(parsed) if isinstance(parsed, IPv4Address) else _allowed_v6(parsed)


def networks(texts: tuple[str, ...]) -> tuple[IPv4Network | IPv6Network, ...]:
    """Addresses and networks (``127.0.0.1``, ``10.0.0.0/8``, ``fd00::/8``) as the guard wants them."""
    found = []
    for text in texts:
        try:
            found.append(ip_network(text.strip(), strict=False))
        except ValueError:
            raise TopicError(
                f"{text!r} is no address: write 127.0.0.1, or a network as in 10.0.0.0/8", key="network.allow_addresses"
            ) from None
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Guard:
    """The guard as one crawl applies it. ``also`` are networks allowed besides the public addresses, taken literally:
    another spelling of an address (IPv4 in IPv6) is not in them. ``allow_private`` lets every address through.
    """

    allow_private: bool = False
    also: tuple[IPv4Network | IPv6Network, ...] = ()

    def allows(self, address: str) -> bool:
        if self.allow_private:
            return is_literal(address)
        return allowed(address) or (bool(self.also) and self._named(address))

    def _named(self, address: str) -> bool:
        if not is_literal(address):
            return False
        parsed = ip_address(strip_literal(address))
        return any(parsed in network for network in self.also)
