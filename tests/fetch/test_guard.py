from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.fetch import Guard, allowed
from dowse.fetch.guard import networks
from dowse.model.errors import TopicError


@pytest.mark.parametrize(
    "address",
    ["93.184.215.14", "8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.0", "172.32.0.1", "192.0.1.1",
     "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::1", "[2606:4700::1111]", "::ffff:8.8.8.8",
     "64:ff9b::8.8.8.8", "2002:808:808::1"],
)  # fmt: skip
def test_public_addresses_pass(address: str) -> None:
    assert allowed(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
        "169.254.169.254", "100.64.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.192", "192.0.2.1", "192.88.99.1",
        "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
        "::", "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:0:127.0.0.1",
        "fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1", "100::1", "2001:db8::1",
        "3fff::1", "5f00::1", "2001:2::1", "2001:10::1", "4000::1",
        "2002:7f00:1::", "2002:a00:1::1", "2002:a9fe:a9fe::",  # 6to4
        "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::8.8.8.8",  # NAT64, and its local-use prefix
        "2001:0:7f00:1::", "2001:0:808:808::80ff:fffe",  # Teredo: inside server; client 127.0.0.1 (obfuscated)
        "2606:4700::5efe:10.0.0.1", "2606:4700::200:5efe:127.0.0.1",  # ISATAP
        "", "localhost", "example.org", "127.1", "2130706433", "0x7f000001", "1.2.3.4.5", "[::1", "::1]",
    ],
)  # fmt: skip
def test_everything_else_is_refused(address: str) -> None:
    assert not allowed(address)


def test_allow_private_lets_addresses_through_but_no_names() -> None:
    guard = Guard(allow_private=True)
    assert all(map(guard.allows, ("127.0.0.1", "::1", "[::1]", "10.0.0.1", "8.8.8.8")))
    assert not any(map(guard.allows, ("localhost", "", "127.1")))
    assert not Guard().allows("127.0.0.1")


def test_named_networks_pass_and_nothing_else_private_does() -> None:
    guard = Guard(also=networks(("127.0.0.1", "10.1.0.0/16", "fd00::/8")))
    assert all(map(guard.allows, ("127.0.0.1", "10.1.2.3", "fd00::1", "[fd00::1]", "8.8.8.8")))
    refused = (
        "127.0.0.2",
        "10.2.0.1",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:10.1.2.3",
        "169.254.169.254",
        "localhost",
        "",
    )
    assert not any(map(guard.allows, refused))


@pytest.mark.parametrize("text", ["", "localhost", "10.0.0.0/99", "127.0.0.1:80"])
def test_what_is_no_network_is_told(text: str) -> None:
    with pytest.raises(TopicError, match="is no address"):
        networks((text,))


@given(st.integers(0, 2**32 - 1))
def test_nothing_python_calls_special_passes(number: int) -> None:
    address = IPv4Address(number)
    if not address.is_global or address.is_multicast or address.is_reserved:
        assert not allowed(str(address))
    assert allowed(f"::ffff:{address}") == allowed(str(address))
    assert not allowed(f"::{address}")


@given(st.integers(0, 2**128 - 1))
def test_nothing_python_calls_special_passes_v6(number: int) -> None:
    address = IPv6Address(number)
    if address.is_multicast or address.is_link_local or address.is_site_local or address.is_loopback:
        assert not allowed(str(address))
