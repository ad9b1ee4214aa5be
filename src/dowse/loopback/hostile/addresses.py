"""Ways into the operator's own network, and connections that cannot be trusted.

Nothing here leaves the machine: private addresses must be refused before a packet is sent, each trial has one of its
own, and only the server's address is allowed.
"""

from __future__ import annotations

from dowse.loopback.hostile.trial import DOMAIN, Answer, End, Trial
from dowse.loopback.hostile.wire import Visit, document

__all__ = ["PRIVATE_NAME", "PRIVATE_PLACE", "TRIALS"]

PRIVATE_NAME = f"dns-to-private.{DOMAIN}"
PRIVATE_PLACE = "10.0.0.4"  # what DNS says of that name
_METADATA = "http://169.254.169.254/latest/meta-data/"
_INSIDE = "http://10.0.0.3/admin"
_INSIDE_MAP = "http://10.0.0.5/sitemap.xml"


async def _metadata(visit: Visit) -> None:
    await visit.redirect(_METADATA)


async def _sitemap(visit: Visit) -> None:
    body = f"<urlset><url><loc>{_INSIDE}</loc></url><url><loc>http://{visit.host}/</loc></url></urlset>"
    if visit.target == "/sitemap.xml":
        await visit.reply(body.encode(), content_type="application/xml")
    else:
        await visit.reply(document("sitemap-points-inside"))


async def _sitemap_index(visit: Visit) -> None:
    body = f"<sitemapindex><sitemap><loc>{_INSIDE_MAP}</loc></sitemap></sitemapindex>"
    await visit.reply(body.encode(), content_type="application/xml")


async def _robots_inside(visit: Visit) -> None:
    if visit.target == "/robots.txt":
        await visit.redirect("http://10.0.0.6/robots.txt")
    else:
        await _page(visit)


async def _robots_shell(visit: Visit) -> None:
    if visit.target == "/robots.txt":
        await visit.redirect(f"http://{visit.host}:22/robots.txt")
    else:
        await _page(visit)


async def _sitemap_shell(visit: Visit) -> None:
    body = f"<sitemapindex><sitemap><loc>http://{visit.host}:25/map.xml</loc></sitemap></sitemapindex>"
    await visit.reply(body.encode(), content_type="application/xml")


async def _page(visit: Visit) -> None:
    await visit.reply(document(f"reached{visit.host}"))


def _literal(name: str, does: str, seed: str) -> Trial:
    trial = Trial(name, "addresses", does, _page, seed=seed)
    return Trial(name, "addresses", does, _page, (End(trial.url, "refused", "address: *"),), seed=seed)


def _tls(name: str, does: str, reason: str, door: str) -> Trial:
    seed = f"https://{name}.{DOMAIN}/"
    most = None if door == "reset" else 1  # a reset may pass, a bad certificate does not
    return Trial(name, "addresses", does, _page, (End(seed, "refused", reason),), seed=seed, door=door,
                 most_requests=most)  # fmt: skip


def _named(name: str, does: str, answer: Answer, *ends: End, names: tuple[str, ...] = ()) -> Trial:
    return Trial(name, "addresses", does, answer, ends, names=names)


TRIALS = (
    _named("redirect-to-metadata", "A redirect to 169.254.169.254, where clouds keep secrets.", _metadata,
           End(f"http://redirect-to-metadata.{DOMAIN}/", "redirected", "redirect"),
           End(_METADATA, "refused", "address: *")),
    _named("dns-to-private", "A name that DNS places in a private network.", _page,
           End(f"http://{PRIVATE_NAME}/", "refused", "address: *")),
    _named("dns-rebinding", "A name that is allowed when checked and private ever after; nobody answers at the checked "
           "address.", _page, End(f"http://dns-rebinding.{DOMAIN}/", "refused", "robots.txt unreachable: connect: *"),
           names=("127.0.0.1", "127.0.0.3")),
    _literal("decimal-address", "192.168.1.1 as one number.", "http://3232235777/"),
    _literal("octal-address", "10.0.0.1 in octal.", "http://012.0.0.01/"),
    _literal("hex-address", "172.16.0.1 in hexadecimal.", "http://0xAC.0x10.0.1/"),
    _literal("mapped-address", "127.0.0.1 as an IPv6 address.", "http://[::ffff:127.0.0.1]/"),
    _literal("loopback-neighbour", "127.0.0.2, a neighbour of the one address that is allowed.", "http://127.0.0.2/"),
    _literal("multicast-address", "224.0.0.1, a multicast address.", "http://224.0.0.1/"),
    Trial("sitemap-points-inside", "addresses", "A sitemap that lists an address in a private network.", _sitemap,
          (End(_INSIDE, "refused", "address: *"), End(f"http://sitemap-points-inside.{DOMAIN}/", "fetched")),
          seed=f"http://sitemap-points-inside.{DOMAIN}/sitemap.xml", sitemap=True),
    Trial("sitemap-index-points-inside", "addresses", "A sitemap index that names a sitemap in a private network.",
          _sitemap_index, seed=f"http://sitemap-index-points-inside.{DOMAIN}/sitemap.xml", sitemap=True,
          events=(("sitemap problem", f"{_INSIDE_MAP}: address: 10.0.0.5 is not a public address"),)),
    Trial("robots-redirect-inside", "addresses", "robots.txt redirects into a private network.", _robots_inside,
          (End(f"http://robots-redirect-inside.{DOMAIN}/", "refused", "robots.txt unreachable: address: *"),),
          robots=True),
    Trial("robots-redirect-to-shell", "addresses", "robots.txt redirects to port 22.", _robots_shell,
          (End(f"http://robots-redirect-to-shell.{DOMAIN}/", "refused", "robots.txt unreachable: address: *"),),
          robots=True, most_requests=1),
    Trial("sitemap-index-to-mail", "addresses", "A sitemap index that names a sitemap at port 25.", _sitemap_shell,
          seed=f"http://sitemap-index-to-mail.{DOMAIN}/sitemap.xml", sitemap=True, most_requests=2,
          events=(("sitemap problem", "address: web servers do not answer at port 25"),)),
    _tls("self-signed", "A self-signed certificate.", "robots.txt unreachable: tls: *", "self-signed"),
    _tls("expired", "A certificate that ended long ago.", "robots.txt unreachable: tls: *", "expired"),
    _tls("other-host", "A certificate for another host.", "robots.txt unreachable: tls: *", "other-host"),
    _tls("handshake-reset", "The connection is reset in the TLS handshake.", "robots.txt unreachable: reset: *",
         "reset"),
)  # fmt: skip
