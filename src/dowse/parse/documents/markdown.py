"""Markdown (CommonMark, as far as text and links go): headings, paragraphs, items, and links of every form."""

from __future__ import annotations

import re

from dowse.parse.decode import in_utf8
from dowse.parse.documents.writer import Target, Writer

__all__ = ["read_markdown"]

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_RULE = re.compile(r" {0,3}([=-])\1*[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ITEM = re.compile(r"[ \t]{0,12}(?:[-*+]|\d{1,9}[.)])[ \t]+(.*)")
_DEFINITION = re.compile(r" {0,3}\[([^\[\]]{1,500})\]:[ \t]*(?:<([^<>]*)>|(\S+))")
# one link at a time: [text](address "title"), [text][name], <address>, or an address as it is
_LINK = re.compile(
    r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\[\]]{0,300}\]){0,1000})\]"
    r"(?:\((?P<target>[ \t]{0,9}(?:<[^<>]{0,8000}>|[^\s()<>]{0,4000}(?:\([^\s()]{0,1000}\)[^\s()]{0,1000})?))"
    r"(?:[ \t]{1,9}(?:\"[^\"]{0,500}\"|'[^']{0,500}'))?[ \t]{0,9}\)"
    r"|\[(?P<name>[^\[\]]{0,500})\])?"
    r"|<(?P<auto>https?://[^\s<>]{1,4000})>"
    r"|(?P<bare>https?://[^\s<>\"'`]{1,4000}[^\s<>\"'`.,;:!?)\]*_])"
)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,500}>|<!--.{0,2000}?-->")
_STRESS = re.compile(r"(\*{1,3}|_{2,3}|~~|`+)")
_DEEPEST = 3  # links in links: an image that is one


def read_markdown(body: bytes, writer: Writer) -> None:
    """Write what a text in Markdown says."""
    page, _ = in_utf8(body, "text/markdown; charset=utf-8")
    lines = page.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    begin = _front_matter(lines, writer)
    _Reader(lines[begin:], writer).run()


def _front_matter(lines: list[str], writer: Writer) -> int:
    """What stands between two lines of dashes at the top is about the text; the title is taken from it."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    for number, line in enumerate(lines[1:200], 1):
        if line.rstrip() in ("---", "..."):
            return number + 1
        name, _, value = line.partition(":")
        if name in ("title", "lang", "language"):
            value = value.strip().strip("\"'")
            if name == "title":
                writer.title = value
            else:
                writer.language = value
    writer.title = writer.language = ""
    return 0


class _Reader:
    def __init__(self, lines: list[str], writer: Writer) -> None:
        self._writer = writer
        self._names: dict[str, str] = {}
        self._lines = [line for line in lines if not self._defines(line)]
        self._paragraph: list[str] = []
        self._open = False  # is there a section, what stands below a heading?

    def _defines(self, line: str) -> bool:
        """``[name]: address``, which shows nothing."""
        found = _DEFINITION.match(line) if "]:" in line else None
        if found is None:
            return False
        self._names.setdefault(found[1].strip().lower(), found[2] or found[3] or "")
        return True

    def run(self) -> None:
        fence = ""
        for line in self._lines:
            mark = _FENCE.match(line)
            if fence:
                if mark is not None and mark[1].startswith(fence):
                    fence = ""
                else:
                    self._writer.line(line)
            elif mark is not None:
                self._flush()
                fence = mark[1]
            else:
                self._line(line)
        self._flush()
        self._close()

    def _line(self, line: str) -> None:
        if not line.strip():
            self._flush()
        elif (heading := _HEADING.match(line)) is not None:
            self._flush()
            self._heading(len(heading[1]), heading[2] or "")
        elif self._paragraph and (rule := _RULE.match(line)) is not None:
            text, self._paragraph = " ".join(self._paragraph), []
            self._heading(1 if rule[1] == "=" else 2, text)
        elif (item := _ITEM.match(line)) is not None:
            self._flush()
            self._paragraph.append(item[1])
        else:
            self._paragraph.append(line.strip().lstrip("> "))

    def _heading(self, level: int, text: str) -> None:
        self._close()
        self._writer.heading(level, *self._inline(text))

    def _flush(self) -> None:
        text, self._paragraph = " ".join(self._paragraph), []
        if text:
            if not self._open:
                self._writer.begin("section")
                self._open = True
            self._writer.line(*self._inline(text))

    def _close(self) -> None:
        if self._open:
            self._writer.end()
            self._open = False

    def _inline(self, text: str, depth: int = 0) -> tuple[str, list[Target]]:
        """A text as it is shown, and its links."""
        links: list[Target] = []
        parts: list[str] = []
        at = 0
        for match in _LINK.finditer(text):
            parts.append(text[at : match.start()])
            at = match.end()
            shown = match["text"] or ""
            inner: list[Target] = []
            if match["text"] is not None and depth < _DEEPEST:
                shown, inner = self._inline(shown, depth + 1)
            target = match["auto"] or match["bare"] or self._target(match)
            if match["text"] is not None and target is None:
                parts.append(f"[{shown}]")
            else:
                parts.append(shown or match["auto"] or match["bare"] or "")
            if target and not match["image"]:
                links.append((target, _bare(shown or target)))
            links += inner
        parts.append(text[at:])
        return _bare("".join(parts)), links

    def _target(self, match: re.Match[str]) -> str | None:
        """Where it leads; None where the brackets are only brackets."""
        if match["target"] is not None:
            return match["target"].strip().strip("<>")
        name = match["name"] or match["text"] or ""
        return self._names.get(name.strip().lower())


def _bare(text: str) -> str:
    return _STRESS.sub("", _TAG.sub("", text))
