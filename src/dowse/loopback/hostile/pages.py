"""Pages that are small on the wire, and on which a parser may spend minutes or gigabytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain, repeat

from dowse.loopback.hostile.trial import DOMAIN, End, Trial
from dowse.loopback.hostile.wire import Visit, document, prose

__all__ = ["TRIALS"]

_BATCH = 1_000


def _again(text: str, times: int) -> Iterable[str]:
    """Repeat a piece of markup, counting up: each # in it becomes the number of the repetition."""
    if "#" not in text:
        return repeat(text * _BATCH, times // _BATCH)
    numbers = (range(first, first + _BATCH) for first in range(0, times, _BATCH))
    return ("".join(text.replace("#", str(number)) for number in batch) for batch in numbers)


def _attributes_of_html(name: str) -> Iterable[str]:
    return chain([f"<title>{name}</title><p>{prose(name)}"], _again("<html a#=1>", 250_000))


def _blanks(name: str) -> Iterable[str]:
    page = document(name, in_head="<meta http-equiv=refresh content='0;url=/a#b'>").decode()
    before, behind = page.split("#")
    return chain([before], _again(" ", 1_000_000), [behind])


def _end_tags_in_comments(name: str) -> Iterable[str]:
    return chain([f"<title>{name}</title><p>{prose(name)}"], _again("<div><!--</div>-->", 140_000))


def _formatting(name: str) -> Iterable[str]:
    page = f"<title>{name}</title><p>{prose(name)}"
    return chain([page, "<p>"], ["".join(f"<b a={number}>" for number in range(200))], _again("<p>x", 200_000))


def _between_cells(name: str) -> Iterable[str]:
    return chain([f"<title>{name}</title><p>{prose(name)}<table>"], _again("x<!>", 290_000))


def _base(name: str) -> Iterable[str]:
    links = _again("<a href=mailto:#>x</a>", 100_000)
    return chain(["<base href='http://base.test/"], _again("a", 10_000_000), ["/'>", document(name).decode()], links)


def _marks(name: str) -> Iterable[str]:
    return chain([document(name).decode(), "a"], _again("\u0323\u0301\u0327\u0345", 1_000_000))


def _trial(name: str, does: str, page: Callable[[str], Iterable[str]]) -> Trial:
    async def answer(visit: Visit) -> None:
        await visit.pour(page(name))

    return Trial(name, "body", does, answer, (End(f"http://{name}.{DOMAIN}/", "fetched", facts={"title": name}),))


TRIALS = (
    _trial("html-attributes", "250,000 <html> tags, whose attributes all belong to the first.", _attributes_of_html),
    _trial("blank-refresh", "A meta refresh with a million blanks in it.", _blanks),
    _trial("end-tags-in-comments", "140,000 nested tags, each closed only in a comment.", _end_tags_in_comments),
    _trial("reopened-formatting", "200 bold elements, reopened in 200,000 paragraphs.", _formatting),
    _trial("text-between-cells", "Text in a table but outside its cells, in 290,000 parts.", _between_cells),
    _trial("long-base", "A base address of 10 MB, and 100,000 links relative to it.", _base),
    _trial("heaped-marks", "A letter with four million combining marks.", _marks),
)
