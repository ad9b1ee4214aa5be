"""A strategy and a judge that are given as objects, in place of those that a topic names."""

from __future__ import annotations

from dataclasses import replace

from dowse.judge import GuardedJudge
from dowse.model.errors import TopicError
from dowse.model.judge import Judge
from dowse.model.plugins import missing_members
from dowse.model.strategy import Strategy
from dowse.model.topic import StrategyChoice, Topic

__all__ = ["named_after"]


def named_after(topic: Topic, strategy: Strategy | None, judge: Judge | None) -> Topic:
    """The topic with the names of what was given, which its records are to keep. TopicError when that is no strategy,
    or no judge."""
    for given in (strategy, judge):
        if isinstance(given, type):  # has the members, too
            raise TopicError(f"{given.__name__} is a class: give what it makes, {given.__name__}()")
    if strategy is not None:
        missing = missing_members(strategy, Strategy)
        if missing:
            raise TopicError(f"{type(strategy).__name__} is no strategy: it has no {', '.join(missing)}")
        if topic.strategy.learn_from:
            raise TopicError("a strategy that is given is made already, and starts from nothing: leave out learn_from")
        if strategy.name != topic.strategy.name:
            topic = replace(topic, strategy=StrategyChoice(strategy.name, {}, topic.strategy.maximise))
    if judge is not None:
        topic = replace(topic, judge=replace(topic.judge, method=GuardedJudge(judge).name))
    return topic
