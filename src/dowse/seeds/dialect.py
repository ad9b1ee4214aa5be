"""A query in the words of an engine. What an engine has no words for is told, never dropped in silence."""

from __future__ import annotations

from dataclasses import dataclass

from dowse.model.search import Query, Said, Term

__all__ = ["WEB", "WORDS", "Dialect"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How an engine writes each part of an expression; empty: it cannot. ``{}`` stands for the term or the site."""

    word: str = "{}"
    phrase: str = '"{}"'
    every: str = " "  # between terms that are all wanted
    either: str = " OR "  # between terms of which one is wanted
    group: str = "({})"  # around such terms, beside others
    without: str = " -{}"
    site: str = " site:{}"
    without_site: str = " -site:{}"

    def say(self, query: Query) -> Said:
        """The whole query."""
        unsaid: list[str] = []
        choices = [self._choice(choice, len(query.wanted) > 1, unsaid) for choice in query.wanted]
        text = self.every.join(choices) + self._without(query, unsaid) + self._sites(query, unsaid)
        return Said(text.strip(), tuple(unsaid))

    def _term(self, term: Term, unsaid: list[str]) -> str:
        if not term.is_phrase:
            return self.word.format(term.text)
        if self.phrase:
            return self.phrase.format(term.text)
        unsaid.append(f"{term} is asked for as single words: it knows no phrases")
        return self.every.join(map(self.word.format, term.text.split()))

    def _choice(self, choice: tuple[Term, ...], is_inner: bool, unsaid: list[str]) -> str:
        if len(choice) > 1 and not self.either:
            others = " and ".join(map(str, choice[1:]))
            unsaid.append(f"{others} is not asked for, only {choice[0]}: it knows no OR; ask again with the other")
            choice = choice[:1]
        text = self.either.join(self._term(term, unsaid) for term in choice)
        return self.group.format(text) if len(choice) > 1 and is_inner and self.group else text

    def _without(self, query: Query, unsaid: list[str]) -> str:
        if self.without:
            return "".join(self.without.format(self._term(term, unsaid)) for term in query.unwanted)
        unsaid += [f"-{term} is not asked for: results that show it are left out here" for term in query.unwanted]
        return ""

    def _sites(self, query: Query, unsaid: list[str]) -> str:
        """Results from elsewhere are left out by whoever asks, so that a site an engine has no words for is only dear:
        most of what comes is of no use."""
        told = ""
        if query.sites and not self.site:
            unsaid.append(
                f"site:{' site:'.join(query.sites)} is not asked for: results from elsewhere are left out here"
            )
        elif len(query.sites) > 1 and not self.either:
            unsaid.append(f"site:{' site:'.join(query.sites[1:])} is not asked for: it knows no OR")
            told = self.site.format(query.sites[0])
        elif query.sites:
            told = self.either.join(self.site.format(site).strip() for site in query.sites)
            told = f" {self.group.format(told) if len(query.sites) > 1 and self.group else told}"
        if query.unwanted_sites and not self.without_site:
            unsaid.append(f"-site:{' -site:'.join(query.unwanted_sites)}: results from there are left out here")
        else:
            told += "".join(map(self.without_site.format, query.unwanted_sites))
        return told


WEB = Dialect()
"""As the large search engines have it."""

WORDS = Dialect(phrase="", either=" ", group="", without="", site="", without_site="")
"""For engines that take words alone, and none of them must be there."""
