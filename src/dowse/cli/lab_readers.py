"""``dowse lab readers``: an access log of simulated readers, for a recorded web that has none."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated

import typer

from dowse.cli.flags import Force
from dowse.cli.lab import CorpusFolder, lab, shown_progress
from dowse.cli.outputs import check_out
from dowse.cli.terminal import interruptible, say
from dowse.lab.corpus import Corpus, open_corpus
from dowse.lab.corpus.traces import Traces
from dowse.lab.people.readers import simulated
from dowse.model.files import write_whole

__all__ = ["readers_command"]


@lab.command("readers")
def readers_command(
    corpus: CorpusFolder,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The CSV file to write.")],
    seed_number: Annotated[int, typer.Option(metavar="N", help="Another number draws other readers.")] = 0,
    force: Force = False,
) -> None:
    """Simulate readers of a corpus that has labels, and write the log of where they went.

    They follow links, jump to hosts, and go by interests some of the time. No real person is in it.
    """
    check_out(out, force=force)
    with interruptible():
        with shown_progress() as progress:
            opened = open_corpus(corpus, progress=progress)
        rows = simulated(opened, seed_number)
        write_whole(out, lambda path: _write(opened, rows, path))
    say(f"{len(rows):,} simulated accesses by {len(rows.users):,} simulated readers in {out}")


def _write(corpus: Corpus, rows: Traces, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("time", "user", "url"))
        for at, user, page in zip(rows.at.tolist(), rows.user.tolist(), rows.page.tolist(), strict=True):
            writer.writerow((f"{at:.0f}", rows.users[user], corpus.url(page)))
