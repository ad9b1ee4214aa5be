"""The predicate of a topic."""

from __future__ import annotations

import inspect

from dowse.judge.predicate.category_names import category_file, load_categories
from dowse.judge.predicate.evaluate import ParsedPredicate, leaves
from dowse.judge.predicate.function import FunctionPredicate
from dowse.judge.predicate.grade import Predicate
from dowse.judge.predicate.parser import parse
from dowse.judge.predicate.syntax import Leaf, Node, SyntaxFault, told
from dowse.judge.terms import Terms
from dowse.model.errors import TopicError
from dowse.model.topic import Expression, FunctionName, Topic
from dowse.model.words import words

__all__ = ["build_predicate", "category_files", "check_measurable", "check_predicate"]


def build_predicate(topic: Topic, terms: Terms) -> Predicate | None:
    """What the topic's pages must satisfy, or None where it does not say so. Raises TopicError, which names the place
    of a mistake."""
    predicate = topic.predicate
    if predicate is None:
        return None
    if isinstance(predicate, FunctionName):
        raise TopicError(
            f"the predicate is the Python function {predicate.name}: go on from Python, with "
            "dowse.crawl(topic, out=..., resume=True)"
        )
    if not isinstance(predicate, (str, Expression)):
        if not callable(predicate) or inspect.iscoroutinefunction(predicate):
            raise TopicError("must be an expression, or a function that is not asynchronous", key="predicate")
        return FunctionPredicate(predicate)
    expression = _expression(predicate)
    try:
        root = parse(expression.text)
        for leaf, _ in leaves(root):
            if leaf.name in ("word", "title") and not terms.sequence(words(leaf.argument)):
                raise SyntaxFault('this has only stop words: add a word, or set language = "none"', leaf.at)
        categories = load_categories(_categories(root).values(), topic, expression, terms.language)
        return ParsedPredicate(root, terms, categories)
    except SyntaxFault as fault:
        raise told(fault, expression) from None


def check_predicate(topic: Topic) -> None:
    """Raise TopicError where the predicate, or the file of a category, is not fit for use: before anybody is asked for
    a page, which the judge may need for its examples."""
    build_predicate(topic, Terms(topic.judge.language))


def category_files(topic: Topic) -> dict[str, str]:
    """The categories that the topic's predicate names, and their files. Raises TopicError."""
    if not isinstance(topic.predicate, (str, Expression)):
        return {}
    expression = _expression(topic.predicate)
    try:
        named = _categories(parse(expression.text))
        return {name: str(category_file(leaf, topic, expression)) for name, leaf in named.items()}
    except SyntaxFault as fault:
        raise told(fault, expression) from None


def check_measurable(topic: Topic, *, similarity: bool, erid: bool) -> None:
    """Raise TopicError where the predicate asks for what this topic has no words to measure by."""
    if not isinstance(topic.predicate, (str, Expression)):
        return
    expression = _expression(topic.predicate)
    for leaf, _ in leaves(parse(expression.text)):
        if leaf.name == "similarity" and not similarity:
            fault = SyntaxFault(
                "similarity to what? Give a query, keywords, examples, or a word(...) to go by", leaf.at
            )
            raise told(fault, expression)
        if leaf.name == "erid" and not erid:
            raise told(SyntaxFault("erid needs keywords or a query in the topic", leaf.at), expression)


def _expression(predicate: str | Expression) -> Expression:
    return predicate if isinstance(predicate, Expression) else Expression(predicate)


def _categories(root: Node) -> dict[str, Leaf]:
    named: dict[str, Leaf] = {}
    for leaf, _ in leaves(root):
        if leaf.name == "category":
            named.setdefault(leaf.argument, leaf)
    return named
