from __future__ import annotations

import math

import numpy as np

from dowse.lab.replay.recorded_transport import NetworkModel
from dowse.lab.replay.uneven_sites import FASTEST, SLOWEST, UnevenSites
from tests.lab.replay.frozen import Frozen, Host

HOSTS = [f"h{number}.test" for number in range(200)]


class Untimed(Frozen):
    """A recording that tells no times."""

    def usual(self, url: str) -> tuple[float, float]:
        return math.nan, math.nan


def test_every_host_has_times_of_its_own_and_always_the_same() -> None:
    webs = [UnevenSites(Untimed({host: Host() for host in HOSTS})) for _ in range(2)]
    times = np.array([webs[0].usual(f"http://{host}/0") for host in HOSTS])
    again = np.array([webs[1].usual(f"https://{host}/elsewhere?x=1") for host in reversed(HOSTS)])
    np.testing.assert_array_equal(times, again[::-1])
    assert (times >= (FASTEST[0], SLOWEST[1])).all()
    assert (times <= (SLOWEST[0], FASTEST[1])).all()
    places = np.log(times / FASTEST) / np.log(np.array(SLOWEST) / FASTEST)
    assert np.abs(np.mean(places, axis=0) - 0.5).max() < 0.08, "evenly spread, by logarithms"
    assert abs(np.mean((places[:, 0] - 0.5) * (places[:, 1] - 0.5))) < 0.02, "a distant site may have a broad line"


def test_what_was_recorded_stays() -> None:
    web = UnevenSites(Frozen({"a.test": Host(latency_s=0.3, bytes_per_s=7e4, size=14_000)}))
    assert web.usual("http://a.test/0") == (0.3, 7e4)
    assert NetworkModel().times(web.find("http://a.test/0"), web.usual("http://a.test/0")) == (0.3, 0.2)
