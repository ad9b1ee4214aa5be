"""Indexes of addresses (CDX): asked for a host or a path, not for words. What two archives have in common."""

from __future__ import annotations

import re
from urllib.parse import quote

from dowse.model.search import Query, Said, Term, Trouble, TroubleKind

__all__ = ["NO_SITE", "filters", "patterns", "say_patterns"]

NO_SITE = Trouble(
    TroubleKind.QUERY, "it knows addresses only: add site:example.org or site:example.org/path to the query"
)


def say_patterns(query: Query) -> Said:
    """What is asked for: addresses under the sites, which have the words in them."""
    unsaid = ["words are looked for in addresses, not in pages"] if query.wanted or query.unwanted else []
    told = [f"{'!' if is_against else ''}{expression}" for is_against, expression in _expressions(query)]
    return Said(" ".join([*patterns(query), *told]), tuple(unsaid))


def patterns(query: Query) -> list[str]:
    """The sites of a query as patterns: a host with those below it, or a path with what is below it."""
    return [f"{site}*" if "/" in site else f"*.{site}" for site in query.sites]


def filters(query: Query, field: str) -> list[tuple[str, object]]:
    """The parameters that keep addresses with the words, by this field of the index; ``!`` before it: those without."""
    return [("filter", f"{'!' if is_against else ''}{field}:{told}") for is_against, told in _expressions(query)]


def _expressions(query: Query) -> list[tuple[bool, str]]:
    """Regular expressions for addresses, and whether they must not match."""
    wanted = ["|".join(map(_expression, choice)) for choice in query.wanted]
    found = [*((False, told) for told in wanted), *((True, _expression(term)) for term in query.unwanted)]
    return [(is_against, f".*({told}).*") for is_against, told in found if told]


def _expression(term: Term) -> str:
    """Letters and figures are themselves, as an address has them, whatever stands between them."""
    return "[^a-z0-9]*".join(quote(word).lower() for word in re.findall(r"[^\W_]+", term.text.lower()))
