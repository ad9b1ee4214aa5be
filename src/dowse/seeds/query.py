"""Query expressions: words, "phrases", a OR b, -word, site:host, -site:host. Any text is one; nothing is an error.

Words that stand beside each other are all wanted, with ``AND`` between them or not. ``OR`` joins the two terms beside
it, and binds closer. ``NOT`` is a minus.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dowse.model.search import Query, Term
from dowse.model.url import canonical

__all__ = ["is_empty", "on_site", "read_query"]

_MOST_CHARACTERS = 2_000
_MOST_TERMS = 64
_token = re.compile(r'-?"([^"]*)"|[^\s()]+')
_words = re.compile(r"[^\W_](?:[\w.+#'’/&@-]*[\w+#])?").findall
_quoted = re.compile(r'"[^"]*"').sub
_OPERATORS = ("AND", "OR", "NOT")
_PARENTHESES = "parentheses mean nothing here: OR joins the two terms beside it"


def read_query(text: str) -> Query:
    """Read an expression.

    >>> query = read_query('perovskite "solar cell" OR tandem -lamp site:example.org')
    >>> [[str(term) for term in choice] for choice in query.wanted], query.unwanted, query.sites
    ([['perovskite'], ['"solar cell"', 'tandem']], (Term(text='lamp', is_phrase=False),), ('example.org',))
    """
    wanted: list[tuple[Term, ...]] = []
    unwanted: list[Term] = []
    sites: dict[bool, dict[str, None]] = {False: {}, True: {}}
    notes: dict[str, None] = {}
    joins = negates = False  # an OR was read, a NOT
    count = 0
    for token in _token.finditer(text[:_MOST_CHARACTERS]):
        word, minus = token[0], token[0].startswith("-") or negates
        if word in _OPERATORS:
            joins, negates = word == "OR" and bool(wanted), word == "NOT"
            continue
        negates = False
        if token[1] is None and (site := _site(word.removeprefix("-"))):
            sites[minus][site] = None
            continue
        for term in _terms(token, minus):
            count += 1
            if count > _MOST_TERMS:
                notes[f"what stands behind {_MOST_TERMS} words is left out"] = None
            elif minus:
                unwanted.append(term)
            elif joins:
                wanted[-1] = (*wanted[-1], term)
            else:
                wanted.append((term,))
            joins = False
    if " OR " in text and re.search(r"[()]", _quoted("", text)):
        notes[_PARENTHESES] = None
    if len(text) > _MOST_CHARACTERS:
        notes[f"what stands behind {_MOST_CHARACTERS} characters is left out"] = None
    return Query(
        " ".join(text.split()), tuple(wanted), tuple(unwanted), tuple(sites[False]), tuple(sites[True]), tuple(notes)
    )


def is_empty(query: Query) -> bool:
    """Does it ask for nothing?"""
    return not (query.wanted or query.sites)


def _terms(token: re.Match[str], minus: bool) -> Iterator[Term]:
    """The words of a token; of one in quotes, all in a row. A minus before several words is of each of them."""
    found = _words(token[0] if token[1] is None else token[1])
    if token[1] is not None and len(found) > 1:
        yield Term(" ".join(found), is_phrase=True)
    else:
        yield from map(Term, found)


def _site(word: str) -> str:
    """What ``site:`` names, as host or host/path; empty where the word is none.

    >>> _site("site:https://Example.org/a/*"), _site("site:"), _site("websites:x")
    ('example.org/a/', '', '')
    """
    if not word.lower().startswith("site:"):
        return ""
    named = re.sub(r"^(?:https?://)?(?:\*\.)?", "", word[5:]).removesuffix("*")
    url = canonical(f"https://{named}")
    return (
        "" if url is None or "." not in named else url.removeprefix("https://").removesuffix("/" * ("/" not in named))
    )


def on_site(url: str, site: str) -> bool:
    """Is a canonical URL on a site: on its host or one below it, under its path?

    >>> on_site("https://www.example.org/a/b", "example.org"), on_site("https://example.org/b", "example.org/a")
    (True, False)
    """
    host, slash, path = site.partition("/")
    own, _, rest = url.partition("://")[2].partition("/")
    own = own.rpartition("@")[2].partition(":")[0] if not host.partition(":")[1] else own
    return (own == host or own.endswith(f".{host}")) and (not slash or rest.startswith(path))
