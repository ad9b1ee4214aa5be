"""Sites without end, and links that no parser should trip over."""

from __future__ import annotations

import itertools
import random
from urllib.parse import parse_qsl

from dowse.loopback.hostile.trial import DOMAIN, Answer, End, Trial
from dowse.loopback.hostile.wire import Visit, document

__all__ = ["DOMAINS", "TRIALS", "WILDCARD"]

WILDCARD = "wildcard.test"  # a domain of its own: its hosts are counted
_CROWD = "crowd.test"  # and another
DOMAINS = (WILDCARD, _CROWD)
_FACETS = ("colour", "size")


async def _calendar(visit: Visit) -> None:
    month = int(visit.target.rpartition("=")[2]) if "=" in visit.target else 0
    await visit.reply(document(f"month{month}", f"/?month={month + 1}", f"/?month={month - 1}"))


async def _facets(visit: Visit) -> None:
    """Every choice leads to every other, in whatever order it was made."""
    chosen = parse_qsl(visit.target.partition("?")[2])
    queries = []
    for facet, value in itertools.product(_FACETS, range(15)):
        if facet not in dict(chosen):
            queries.append("/?" + "&".join(f"{key}={val}" for key, val in [*chosen, (facet, str(value))]))
    shown = "".join(f"{key}{value}" for key, value in sorted(chosen))
    await visit.reply(document(f"facets{shown}x", *queries))


async def _sessions(visit: Visit) -> None:
    """A new session id in the path of every link."""
    dice = random.Random(visit.target)
    links = [f"/session/{dice.getrandbits(128):032x}/page{number}" for number in range(20)]
    await visit.reply(document("sessions" + visit.target, *links, "/about"))


async def _growing_path(visit: Visit) -> None:
    """A relative link on a page that is shown under every path."""
    await visit.reply(document("path" + visit.target, "news/archive/"))


def _link(link: str) -> Answer:
    """A page with one link that is broken and one that is sound."""

    async def answer(visit: Visit) -> None:
        links = (link, "/sound") if visit.target == "/" else ()
        await visit.reply(document(f"{visit.host}{visit.target}", *links))

    return answer


async def _subdomains(visit: Visit) -> None:
    """Every name below the domain is a host, and links to twenty more."""
    dice = random.Random(visit.host)
    links = [f"http://{dice.getrandbits(40):010x}.{WILDCARD}/" for _ in range(20)]
    await visit.reply(document("host" + visit.host, *links))


async def _crowd(visit: Visit) -> None:
    """Two pages with 5,000 subdomains each, in one go."""
    if visit.host != _CROWD:
        await visit.reply(document("one of a crowd " + visit.host))
    elif visit.target == "/":
        await visit.reply(document("crowd", "/a", "/b"))
    else:
        names = (f"{visit.target[1:]}{number}.{_CROWD}" for number in range(5_000))
        await visit.reply(document("crowd" + visit.target, *(f"http://{name}/" for name in names)))


async def _credentials(visit: Visit) -> None:
    """Its own pages under spellings of its address that would each be a site of its own."""
    host, links = visit.host, [""]
    if visit.target == "/":
        links = [f"http://;jsessionid={number}//h{number}.{DOMAIN}:x@{host}/" for number in range(50)]
        links += [f"http://user{number}:word@{host}/a" for number in range(50)]
        links += [f"http://{host}./b", f"http://h1.{DOMAIN}:x@{host}../c"]
    await visit.reply(document("credentials" + visit.target, *links))


async def _ports(visit: Visit) -> None:
    if visit.target == "/moved":
        await visit.redirect(f"http://{visit.host}:22/")
    else:
        links = [f"http://{visit.host}:{port}/HELO" for port in (0, 25, 6667)]
        await visit.reply(document("ports" + visit.target, *links, "/moved"))


async def _million_links(visit: Visit) -> None:
    if visit.target != "/":
        await visit.reply(document("one of a million " + visit.target))
        return
    starts = range(0, 1_000_000, 10_000)
    links = ("".join(f"<a href=/{number}>" for number in range(start, start + 10_000)) for start in starts)
    await visit.pour(itertools.chain(["<title>links</title>"], links))


def _endless(name: str, does: str, answer: Answer, most: int, *rules: str, seed: str = "") -> Trial:
    url = seed or f"http://{name}.{DOMAIN}/"
    refusals = tuple((rule, 1) for rule in rules)
    return Trial(name, "traps", does, answer, (End(url, "fetched"),), seed, refusals=refusals, most_requests=most)


def _broken(name: str, does: str, link: str, rule: str) -> Trial:
    url = f"http://{name}.{DOMAIN}/"
    ends = (End(url, "fetched"), End(url + "sound", "fetched"))
    return Trial(name, "traps", does, _link(link), ends, refusals=((rule, 1),) if rule else ())


TRIALS = (
    _endless("calendar", "A calendar: each month links to the next and the one before.", _calendar, 70,
             "pattern-run"),
    _endless("facets", "A shop: two facets of 15 values, chosen in any order.", _facets, 140, "pattern-cap"),
    _endless("session-ids", "A new session id in the path of each link.", _sessions, 5, "session-id"),
    _endless("repeated-segments", "A relative link that makes the path longer each time.", _growing_path, 5,
             "repeated-segments"),
    _broken("link-bracket", "A link to http://[ and a sound one.", "http://[", "bad-url"),
    _broken("link-bad-idn", "A link to a host name that cannot be one, and a sound one.", "http://xn--a-ecp.ru/",
            "bad-url"),
    _broken("link-64-kb", "A link of 64 KB, and a sound one.", "/" + "x" * 65_536, "long-url"),
    Trial("link-underscore-host", "traps", "A link to a host name with an underscore, and a sound one.",
          _link(f"http://under_score.link-underscore-host.{DOMAIN}/sound"),
          (End(f"http://link-underscore-host.{DOMAIN}/", "fetched"),
           End(f"http://link-underscore-host.{DOMAIN}/sound", "fetched"),
           End(f"http://under_score.link-underscore-host.{DOMAIN}/sound", "fetched"))),
    _endless("wildcard-subdomains", "Every subdomain exists and links to twenty others, all on one address.",
             _subdomains, 330, "domain-cap", seed=f"http://{WILDCARD}/"),
    _endless("crowd-of-subdomains", "10,000 subdomains linked from two pages, all on one address.", _crowd, 330,
             "domain-cap", seed=f"http://{_CROWD}/"),
    Trial("credentials-in-links", "traps",
          "Links to one host with credentials, with session ids in place of a host, and with dots after the host.",
          _credentials,
          tuple(End(f"http://credentials-in-links.{DOMAIN}/{path}", "fetched") for path in ("", "a", "b", "c")),
          refusals=(("bad-url", 50),), most_requests=5),
    Trial("ports-of-others", "traps", "Links to the ports of mail and chat, and a redirect to the port of a shell.",
          _ports, (End(f"http://ports-of-others.{DOMAIN}/", "fetched"),
           End(f"http://ports-of-others.{DOMAIN}/moved", "refused", "redirect: port")),
          refusals=(("port", 4),), most_requests=3),
    _endless("million-links", "A page with a million links.", _million_links, 110, "max-links"),
)  # fmt: skip
