"""What somebody answered about the pages of a crawl: ``labels.csv`` in its folder, for the crawl's judge, the lab and
``dowse train``.

A page of the category ``birds`` has the label ``birds``, another one ``not birds``; other labels in the file are left
alone. A third column says why the page was asked about. Each answer is on the disk before the next question is asked.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

from dowse.model.errors import UserError
from dowse.model.files import check_plain, open_plain, write_whole
from dowse.store.tables import LABELS, read_rows

__all__ = ["OWN", "Answers", "not_label"]

OWN = "relevant"
"""The label of pages that are on the crawl's own topic."""
_COLUMNS = ["url", "label"]
_ASKED = "asked"


def not_label(name: str) -> str:
    """The label of a page that does not belong to a category."""
    return f"not {name}"


class Answers:
    """The answers about one category. Raises UserError when the file cannot be read or added to. Columns that are not
    ours do not keep it from being read."""

    def __init__(self, folder: Path, name: str = OWN) -> None:
        self.path = folder / LABELS
        self._labels = {name: True, not_label(name): False}
        self._by_answer = {answer: label for label, answer in self._labels.items()}
        self.known: dict[str, bool] = {}  # url -> does it belong to the category? Of several answers the last counts
        self.asked: dict[str, str] = {}  # url -> why it was asked about, where the file says so
        if check_plain(self.path, writes=True):
            for url, label, asked in read_rows(self.path, *_COLUMNS, optional=_ASKED):
                if label.strip() in self._labels:
                    self._know(url, self._labels[label.strip()], asked.strip())

    def count(self, answer: bool) -> int:
        return sum(known is answer for known in self.known.values())

    def _know(self, url: str, answer: bool, asked: str) -> None:
        self.known[url] = answer
        self.asked[url] = asked

    def add(self, url: str, answer: bool, asked: str = "") -> None:
        """Keep an answer."""
        columns = self.check_columns()
        try:
            fd = open_plain(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
            with open(fd, "a", encoding="utf-8", newline="") as stream:
                if stream.tell() == 0:
                    csv.writer(stream, lineterminator="\n").writerow(columns)
                elif not self._ends_whole():
                    stream.write("\n")
                row = [url, self._by_answer[answer], asked][: len(columns)]
                csv.writer(stream, lineterminator="\n").writerow(row)
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise UserError(f"cannot write {self.path}: {(error.strerror or str(error)).lower()}") from error
        self._know(url, answer, asked)

    def take_back(self, url: str) -> None:
        """Forget the last answer about a page."""
        columns = self.check_columns()
        rows = [row[: len(columns)] for row in read_rows(self.path, *_COLUMNS, optional=_ASKED)]
        places = [place for place, row in enumerate(rows) if row[0] == url and row[1].strip() in self._labels]
        if places:
            del rows[places[-1]]
            write_whole(self.path, lambda path: _write(path, [columns, *rows]))
        self.known.pop(url, None)
        self.asked.pop(url, None)

    def _ends_whole(self) -> bool:
        with self.path.open("rb") as stream:
            stream.seek(-1, os.SEEK_END)
            return stream.read(1) in (b"\n", b"\r")

    def check_columns(self) -> list[str]:
        """The columns that an answer is written in. A file with others can be read, but not added to: UserError."""
        try:
            with self.path.open(encoding="utf-8-sig", newline="") as stream:
                head = [name.strip().lower() for name in next(csv.reader(stream), [])]
        except OSError:  # there is none yet, or whoever adds to it says why not
            head = []
        if head not in ([], _COLUMNS, [*_COLUMNS, _ASKED]):
            raise UserError(f"{self.path} has the columns {', '.join(head)}: to add answers they must be url, label")
        return head or [*_COLUMNS, _ASKED]


def _write(path: Path, rows: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows)
