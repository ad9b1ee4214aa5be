from __future__ import annotations

from dowse.engine.life.tally import Tally


def test_counts_and_rates() -> None:
    tally = Tally()
    for n in range(300):
        tally.judged("a.test" if n % 2 else "b.test", 0.5, n >= 250, now=n / 10)
    assert (tally.pages, tally.relevant, tally.value) == (300, 50, 150)
    assert tally.harvest() == 50 / 300
    assert tally.harvest_now() == 0.5
    assert tally.pages_per_s(29.9, 0.0) == 10.1
    assert tally.best_sites() == [("a.test", 25, 150), ("b.test", 25, 150)]


def test_an_empty_tally_divides_by_nothing() -> None:
    tally = Tally()
    assert (tally.harvest(), tally.harvest_now(), tally.pages_per_s(0, 0), tally.best_sites()) == (0, 0, 0, [])
