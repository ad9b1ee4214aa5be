"""Redirects that lead nowhere, round in circles, on without end, or where a crawler must not go."""

from __future__ import annotations

from dowse.loopback.hostile.trial import DOMAIN, Answer, End, Trial
from dowse.loopback.hostile.wire import Visit, document

__all__ = ["TRIALS"]

_HOPS = 10  # limits.max_redirects


def _to(place: str) -> Answer:
    async def answer(visit: Visit) -> None:
        await visit.redirect(place)

    return answer


async def _in_turn(visit: Visit) -> None:
    await visit.redirect("/a" if visit.target != "/a" else "/b")


async def _onward(visit: Visit) -> None:
    number = visit.target[1:]
    await visit.redirect(f"/{int(number) + 1 if number.isdigit() else 1}")


async def _refresh_in_turn(visit: Visit) -> None:
    other = "/" if visit.target == "/b" else "/b"
    await visit.reply(document(f"refresh{visit.target}", in_head=_refresh(other)))


async def _refresh_onward(visit: Visit) -> None:
    number = int(visit.target.rpartition("=")[2]) if "=" in visit.target else 0
    await visit.reply(document(f"onward{number}", in_head=_refresh(f"/?step={number + 1}")))


def _refresh(to: str) -> str:
    return f'<meta http-equiv="refresh" content="0; url={to}">'


async def _cookie_wall(visit: Visit) -> None:
    """The way in is open to those who bring the cookie; all others are sent for it again."""
    await visit.redirect("/" if visit.target == "/check" else "/check", "Set-Cookie: seen=1")


async def _into_the_forbidden(visit: Visit) -> None:
    if visit.target == "/robots.txt":
        await visit.reply(b"User-agent: *\nDisallow: /private/\n", content_type="text/plain")
    elif visit.target == "/":
        await visit.redirect("/private/page")
    else:
        await visit.reply(document("forbidden"))


def _trial(name: str, does: str, answer: Answer, *ends: tuple[str, str, str], most: int | None = None,
           rule: str = "", robots: bool = False) -> Trial:  # fmt: skip
    """``ends``: path, outcome, reason."""
    made = tuple(End(f"http://{name}.{DOMAIN}{path}", outcome, reason) for path, outcome, reason in ends)
    refusals = ((rule, 1),) if rule else ()
    return Trial(name, "redirects", does, answer, made, most_requests=most, refusals=refusals, robots=robots)


_NOWHERE = "redirect: not a web address"
TRIALS = (
    _trial("redirect-to-itself", "A redirect to itself.", _to("/"), ("/", "failed", "redirect: to itself")),
    _trial("redirect-in-turn", "Two addresses that redirect to each other.", _in_turn,
           ("/", "redirected", "redirect"), ("/a", "redirected", "redirect"), ("/b", "failed", "redirect: loop")),
    _trial("redirects-without-end", "Each redirect leads to a new address.", _onward,
           ("/", "redirected", "redirect"), (f"/{_HOPS}", "failed", "redirect: too many"),
           (f"/{_HOPS + 1}", "absent", "")),
    _trial("refresh-in-turn", "Two pages that refresh to each other.", _refresh_in_turn, ("/", "fetched", ""),
           ("/b", "fetched", ""), most=3),
    _trial("refresh-without-end", "Each page refreshes to a new one.", _refresh_onward, ("/", "fetched", ""),
           rule="pattern-run", most=40),
    _trial("redirect-to-file", "A redirect to file:///etc/passwd.", _to("file:///etc/passwd"),
           ("/", "refused", _NOWHERE)),
    _trial("redirect-to-javascript", "A redirect to javascript:alert(1).", _to("javascript:alert(1)"),
           ("/", "refused", _NOWHERE)),
    _trial("redirect-to-data", "A redirect to data:text/html,hello.", _to("data:text/html,hello"),
           ("/", "refused", _NOWHERE)),
    _trial("cookie-wall", "A redirect for every visitor without a cookie.", _cookie_wall,
           ("/", "redirected", "redirect"), ("/check", "failed", "redirect: loop")),
    _trial("redirect-into-robots", "A redirect into a path that robots.txt forbids.", _into_the_forbidden,
           ("/", "redirected", "redirect"), ("/private/page", "refused", "robots"), robots=True),
)  # fmt: skip
