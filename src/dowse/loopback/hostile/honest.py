"""The neighbour: a site that does nothing wrong, to see that it is not held up by the others."""

from __future__ import annotations

from dowse.loopback.hostile.lies import QUERY
from dowse.loopback.hostile.trial import End, Trial
from dowse.loopback.hostile.wire import Visit, document

__all__ = ["HONEST", "PAGES", "TRIALS"]

PAGES = 25
HONEST = "honest.test"  # of its own: what keeps a domain's pages long keeps those of its neighbours at it as well
_TEXT = (
    f"<p>Research on {QUERY}: a perovskite layer absorbs light well, and solar cells made of it reach a high "
    "efficiency while the modules can be printed on glass or foil.</p>"
)


async def _chain(visit: Visit) -> None:
    number = int(visit.target.rpartition("/")[2] or 0)
    links = [f"/page/{number + 1}"] if number < PAGES - 1 else []
    await visit.reply(document(f"honest{number}x", *links, body=_TEXT))


_FIRST, _LAST = f"http://{HONEST}/", f"http://{HONEST}/page/{PAGES - 1}"
TRIALS = (
    Trial("honest", "honest", f"{PAGES} pages in a row, all of them sound.", _chain,
          (End(_FIRST, "fetched", facts={"relevant": True}), End(_LAST, "fetched", facts={"relevant": True})),
          seed=_FIRST, most_requests=PAGES + 1),
)  # fmt: skip
