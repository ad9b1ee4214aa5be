"""Labels of pages: ``labels.csv`` with the columns ``url`` and ``label``, a row a label."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dowse.model.errors import UserError
from dowse.model.words import words
from dowse.store.tables import LABELS, read_rows

if TYPE_CHECKING:
    from dowse.lab.corpus.corpus import Corpus

__all__ = ["LABELS", "Labels", "read_labels", "read_rows"]


@dataclass(frozen=True, slots=True)
class Labels:
    """label -> its pages, labels in the order of their names. ``unknown`` rows name what is no page of the corpus."""

    pages: dict[str, frozenset[int]] = field(default_factory=dict)
    unknown: int = 0
    queries: dict[str, str] = field(default_factory=dict)  # of labels whose name is no query

    def query(self, label: str) -> str:
        """What a crawler is told to look for: the words of the label's name, unless something else was given."""
        return self.queries.get(label, " ".join(words(label)))


def read_labels(corpus: Corpus) -> Labels:
    """The labels of a corpus. UserError when there is a file and not one of its rows names a page."""
    path = corpus.folder / LABELS
    if not path.is_file():
        return Labels()
    is_page = corpus.pages.is_page()
    found: dict[str, set[int]] = {}
    unknown = 0
    for url, label in read_rows(path, "url", "label"):
        number = corpus.number(url)
        if number is None or not is_page[number]:
            unknown += 1
        elif label.strip():
            found.setdefault(label.strip(), set()).add(number)
    if unknown and not found:
        raise UserError(f"{path} names no page of this corpus: is it of another one?")
    return Labels({label: frozenset(found[label]) for label in sorted(found)}, unknown)
