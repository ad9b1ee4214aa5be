"""The delay of an address holds whatever DNS says: it is the one of the address that is asked."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from pathlib import Path

from dowse.engine.assembly.assemble import assemble
from dowse.fetch.http import HttpTransport
from dowse.loopback import LoopbackServer, Site, Web
from dowse.model.budget import Budget
from dowse.model.clock import SystemClock
from dowse.model.topic import Limits, Network, Politeness
from tests.engine.servers import page, topic_for

VICTIM, DELAY_S, NAMES = "127.6.0.200", 0.2, 8


class Names:
    """Each name is at an address of its own, where nobody answers, and at the victim's."""

    async def addresses(self, host: str) -> Sequence[str]:
        return f"127.6.0.{int(host[1])}", VICTIM


def test_names_at_one_address_share_its_delay_whatever_else_they_name(tmp_path: Path) -> None:
    async def main() -> list[float]:
        sites = [Site(f"n{n}.test", {"/": page(f"host{n}x", "solar", [])}) for n in range(NAMES)]
        async with LoopbackServer(Web.of(*sites), host=VICTIM) as victim:
            network = Network(allow_private=True)
            topic = topic_for(
                "", [f"http://n{n}.test:{victim.port}/" for n in range(NAMES)], budget=Budget(seconds=60),
                politeness=Politeness(delay_s=DELAY_S), network=network, limits=Limits(retry_wait_s=0.05),
            )  # fmt: skip
            transport = HttpTransport(network, topic.limits, SystemClock(), Names())
            assembly = await assemble(topic, tmp_path / "c", transport=transport)
            try:
                stop = await assembly.run()
            finally:
                await assembly.close()
            assert stop.kind == "empty"
            return sorted(hit.time for hit in victim.log)

    times = asyncio.run(main())
    assert len(times) == 2 * NAMES, "robots.txt and a page of each: the address where nobody answers was passed over"
    gaps = [after - before for before, after in itertools.pairwise(times)]
    assert min(gaps) >= DELAY_S * 0.9
