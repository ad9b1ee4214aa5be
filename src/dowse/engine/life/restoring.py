"""Another run: a life goes on where the last commit of an earlier one was."""

from __future__ import annotations

from dowse.engine.life.life import Life
from dowse.engine.life.past import Past
from dowse.engine.life.pricing import costs_of
from dowse.model.records import SiteTurn
from dowse.model.statistic_names import EVIDENCE_KIND, MAXIMISED, STRATEGY_STATE
from dowse.model.topic import Topic
from dowse.predict.calibration import MOST

__all__ = ["restore"]


def restore(life: Life, past: Past, before: Topic) -> None:
    """Go on where the last commit of an earlier run was; ``before`` is that run's topic. Its sites are known
    already (:meth:`Sites.load`)."""
    frontier, now = life._frontier, life._clock.now()
    learned, memory = past.statistics(), life._strategy.memory
    known = memory is None or learned.get(EVIDENCE_KIND, memory.kind) == memory.kind
    if memory is not None and not known:  # an earlier run had another strategy
        past.forget_evidence(memory.kind)
    frontier.restore_turns([(row.id, SiteTurn(row.turn)) for row in life.sites.before])
    for block in past.candidates():
        frontier.load(block)
        life._pricing.load(block)
        if memory is not None and known:
            memory.load(block.first, block.evidence)
        life._admission.load(block)
        life._sources.update(block.via)
    life.visits.begin()
    life._admission.restore(learned)
    frontier.loaded(now)
    maximised = learned.get(MAXIMISED, before.strategy.maximise)
    costs = costs_of(life._topic, life._pricing.log, maximised)
    repriced = life._pricing.restore(past.exchanges(), life.sites.delays_before, costs)
    if repriced is not None:
        life.worth.reprioritise(*repriced)
    if known:  # else it speaks of other measures
        mark = f"{STRATEGY_STATE}{life._strategy.name}."
        state = {name.removeprefix(mark): at for name, at in learned.items() if name.startswith(mark)}
        life._strategy.restore(state)
    life.sites.reopen()
    _restore_tally(life, past)
    recorded = past.counters().recorded
    life.forecasts.restore(learned, past.last_fetches(MOST), fetches=recorded, tally=life.tally)


def _restore_tally(life: Life, past: Past) -> None:
    tally = life.tally
    for row in life.sites.before:
        tally.restore_host(row.host, row.relevant, row.pages)
    tally.saved(*past.saved())
    tally.pages = past.spent().pages - past.visited_again() + tally.saved_pages
    tally.relevant = past.counters().relevant
    tally.value = past.value()
