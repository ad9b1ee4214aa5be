"""``dowse cluster shard``: one shard of a crawl on this machine, in the foreground."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dowse.cli.display import PlainDisplay
from dowse.cli.signals import Signals, run_loop
from dowse.cluster.child import Child
from dowse.cluster.errand import Errand, opened, with_login, with_publish_login
from dowse.cluster.kept import kept_in
from dowse.cluster.progress import progress_from
from dowse.cluster.shared_folder import place_of, shard_folder
from dowse.engine.loop.engine import Stop
from dowse.model.errors import UserError

__all__ = ["run_one"]

_SHOWN_EVERY = 20  # of the figures that the shard tells twice a second


def run_one(number: int, folder: Path) -> Stop:
    """Until the crawl is over, or Ctrl-C stops this shard: the others go on."""
    place = place_of(folder)
    with opened(place) as ground:
        kept = kept_in(ground)
    if not 0 <= number < kept.shards:
        raise UserError(f"the crawl has the shards 0 to {kept.shards - 1}, and no {number}")
    errand = Errand(
        with_publish_login(kept.sharing(1)), with_login(place), number, shard_folder(folder, number).resolve(), kept.by,
        kept.share_of(number),
    )  # fmt: skip
    return run_loop(_run(errand, folder))


async def _run(errand: Errand, folder: Path) -> Stop:
    display = PlainDisplay()
    heard = 0

    def told(kind: str, fields: dict[str, Any]) -> None:
        nonlocal heard
        if kind == "progress":
            heard += 1
            if heard % _SHOWN_EVERY == 0:
                display.show(progress_from(fields["figures"]))
        elif kind in ("note", "restarted", "failed"):
            display.say(f"{'started again: ' if kind == 'restarted' else ''}{fields['detail']}")

    signals = Signals(folder, display)
    display.open(f"Dowse: shard {errand.shard} of {errand.topic.name or errand.topic.query}  ->  {errand.folder}")
    signals.crawl = _One(child := Child(errand, told))
    return await child.run()


class _One:
    """A shard as something that can be asked for an end."""

    is_over = False

    def __init__(self, child: Child) -> None:
        self._child = child

    def interrupt(self, detail: str) -> None:
        self._child.interrupt()

    def abort(self) -> None:
        self._child.abort()
