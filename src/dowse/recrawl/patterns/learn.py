"""The patterns of a crawl's pages: those that state objects, those that lead there, and the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from dowse.recrawl.crawled import CrawledPage
from dowse.recrawl.patterns.pattern import escaped
from dowse.recrawl.patterns.prefixes import prefix_patterns
from dowse.recrawl.patterns.trie import trie_patterns

__all__ = ["FORMS", "learn_patterns"]

FORMS: dict[str, Callable[[Iterable[str]], list[str]]] = {"robust": trie_patterns, "paper": prefix_patterns}
"""How patterns of object pages are made, by name."""


def learn_patterns(pages: Sequence[CrawledPage], form: str = "robust") -> list[str]:
    """Patterns that each page belongs to one of.

    Pages that state objects, pages that link to such a page, and all others are learned apart, so that what a site has
    besides its objects does not take their place. Pages without objects have the robust form, whatever the form of the
    others: the paper does not say how it finds the way to an object page. An entry page is a pattern of its own.
    """
    stating = {page.url for page in pages if page.objects}
    entries = {page.url for page in pages if page.is_entry}
    leading = {page.url for page in pages if not stating.isdisjoint(page.links)} - stating
    others = {page.url for page in pages} - stating - leading
    found = {escaped(url) for url in entries}
    found.update(FORMS[form](stating - entries if form == "robust" else stating))
    found.update(trie_patterns(leading - entries))
    found.update(trie_patterns(others - entries))
    return sorted(found)
