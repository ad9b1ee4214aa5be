"""What somebody answered about the pages of a crawl: ``labels.csv`` in its folder, for the lab and ``dowse train``.

A page of the category ``birds`` has the label ``birds``, another one ``not birds``; other labels in the file are left
alone. Each answer is on the disk before the next question is asked.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

from dowse.lab.corpus.labels import LABELS, read_rows
from dowse.model.errors import UserError
from dowse.model.files import check_plain, open_plain, write_whole

__all__ = ["Answers", "not_label"]

_COLUMNS = ["url", "label"]


def not_label(name: str) -> str:
    """The label of a page that does not belong to a category."""
    return f"not {name}"


class Answers:
    """The answers about one category. Raises UserError when the file cannot be read or added to."""

    def __init__(self, folder: Path, name: str) -> None:
        self.path = folder / LABELS
        self._labels = {name: True, not_label(name): False}
        self._by_answer = {answer: label for label, answer in self._labels.items()}
        self.known: dict[str, bool] = {}  # url -> does it belong to the category? Of several answers the last counts
        if check_plain(self.path, writes=True):
            for url, label in read_rows(self.path, *_COLUMNS):
                if label.strip() in self._labels:
                    self.known[url] = self._labels[label.strip()]
            self._check_columns()

    def count(self, answer: bool) -> int:
        return sum(known is answer for known in self.known.values())

    def add(self, url: str, answer: bool) -> None:
        """Keep an answer."""
        try:
            fd = open_plain(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
            with open(fd, "a", encoding="utf-8", newline="") as stream:
                if stream.tell() == 0:
                    csv.writer(stream, lineterminator="\n").writerow(_COLUMNS)
                elif not self._ends_whole():
                    stream.write("\n")
                csv.writer(stream, lineterminator="\n").writerow([url, self._by_answer[answer]])
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise UserError(f"cannot write {self.path}: {(error.strerror or str(error)).lower()}") from error
        self.known[url] = answer

    def take_back(self, url: str) -> None:
        """Forget the last answer about a page."""
        rows = list(read_rows(self.path, *_COLUMNS))
        places = [place for place, row in enumerate(rows) if row[0] == url and row[1].strip() in self._labels]
        if places:
            del rows[places[-1]]
            write_whole(self.path, lambda path: _write(path, [_COLUMNS, *rows]))
        self.known.pop(url, None)

    def _ends_whole(self) -> bool:
        with self.path.open("rb") as stream:
            stream.seek(-1, os.SEEK_END)
            return stream.read(1) in (b"\n", b"\r")

    def _check_columns(self) -> None:
        with self.path.open(encoding="utf-8-sig", newline="") as stream:
            head = [name.strip().lower() for name in next(csv.reader(stream), [])]
        if head != _COLUMNS:
            raise UserError(f"{self.path} has the columns {', '.join(head)}: to add answers they must be url, label")


def _write(path: Path, rows: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows)
