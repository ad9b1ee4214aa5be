"""Bytes to text as a browser does it: byte order mark, Content-Type, declaration in the page, then a guess."""

from __future__ import annotations

import codecs
import re

from dowse.compiled import core
from dowse.parse.charsets import codec_of

__all__ = ["decode", "in_utf8"]

_BOMS = (
    (codecs.BOM_UTF8, "utf-8", "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16le", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16be", "utf-16-be"),
)
_PRESCAN_BYTES = 1024
_GUESS_BYTES = 65_536
_HEADER = re.compile(r"""charset\s*=\s*["']?([^\s"';,]+)""", re.IGNORECASE)
# in lower case: searching for letters of either case takes ten times as long
_META = re.compile(rb"""<meta[\s/][^>]*?charset\s*=\s*["']?\s*([^\s"'/>;]+)""")
_XML = re.compile(rb"""\s*<\?xml[^>]*?encoding\s*=\s*["']([^"'>]+)""")
_COMMENT = re.compile(rb"<!--.*?(?:-->|$)", re.DOTALL)

_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa\u30fc]")
_HAN = re.compile("[\u4e00-\u9fa5]")
_RARE = re.compile("[\uff61-\uff9f\ue000-\uf8ff\u3400-\u4dbf\x80-\x9f]")  # half-width kana, private use: a wrong guess
_COMMON_HAN = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年发后"
)
_CYRILLIC = re.compile("[\u0400-\u045f]")
_CYRILLIC_ALONE = re.compile("(?<![\u0400-\u045f])[\u0400-\u045f](?![\u0400-\u045f])")
_CYRILLIC_COMMON = frozenset("оеаинтсрвл")


def decode(body: bytes, content_type: str = "") -> tuple[str, str]:
    """The text of a body and the name of its charset (WHATWG). Never raises; bad bytes become U+FFFD."""
    page, charset = in_utf8(body, content_type)
    return page.decode("utf-8"), charset


def in_utf8(body: bytes, content_type: str = "") -> tuple[bytes, str]:
    """The text of a body in UTF-8, which is mostly the body itself, and the name of its charset. Never raises."""
    for bom, name, codec in _BOMS:
        if body.startswith(bom):
            return _recoded(body[len(bom) :], codec), name
    declared = _declared(body, content_type)
    if declared is not None:
        name, codec = declared
        return _recoded(body, codec), name
    if _is_utf8(body):
        return body, "utf-8"
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.end == len(body) and error.reason == "unexpected end of data":  # cut inside a character
            return _recoded(body, "utf-8"), "utf-8"
    name, codec = _guess(body)
    return _recoded(body, codec), name


def _recoded(body: bytes, codec: str) -> bytes:
    if codec == "utf-8" and _is_utf8(body):
        return body
    text = _windows_1252(body) if codec == "cp1252" else body.decode(codec, "replace")
    return text.encode("utf-8", "replace")


def _is_utf8(body: bytes) -> bool:
    if core is not None:
        return core.is_utf8(body)
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _windows_1252(body: bytes) -> str:
    """WHATWG windows-1252 has no holes: the five bytes Python refuses are the C1 controls."""
    try:
        return body.decode("cp1252")
    except UnicodeDecodeError:
        return "".join(chr(byte) if byte in b"\x81\x8d\x8f\x90\x9d" else _CP1252[byte] for byte in body)


_CP1252 = bytes(range(256)).decode("cp1252", "replace")


def _declared(body: bytes, content_type: str) -> tuple[str, str] | None:
    """The first usable declaration: header, then meta, then XML declaration."""
    if content_type:
        header = _HEADER.search(content_type)
        if header is not None and (found := codec_of(header[1])) is not None:
            return found
    head = body[:_PRESCAN_BYTES].lower()
    if b"<!--" in head:
        head = _COMMENT.sub(b"", head)
    for pattern in (_META.search, _XML.match):
        match = pattern(head)
        if match is not None and (found := codec_of(match[1].decode("latin-1"))) is not None:
            # a page that could be read this far is not UTF-16, whatever it says
            return ("utf-8", "utf-8") if found[0].startswith("utf-16") else found
    return None


def _guess(body: bytes) -> tuple[str, str]:
    """Most likely legacy encoding of undeclared bytes that are not UTF-8; windows-1252 when nothing speaks up."""
    sample = body[:_GUESS_BYTES]
    high = len(sample) - len(sample.translate(None, bytes(range(128, 256))))
    best, best_score = ("windows-1252", "cp1252"), 0.0
    for label, score in (
        ("shift_jis", _japanese),
        ("euc-jp", _japanese),
        ("gb18030", _chinese),
        ("windows-1251", _cyrillic),
        ("koi8-r", _cyrillic),
    ):
        found = codec_of(label)
        assert found is not None
        try:
            text = codecs.getincrementaldecoder(found[1])().decode(sample)
        except UnicodeDecodeError:
            continue
        points = score(text, high)
        if points > best_score:
            best, best_score = found, points
    return best


def _japanese(text: str, high: int) -> float:
    """Share of kana among the non-ASCII characters; Japanese prose has much, other scripts misread have little."""
    foreign = sum(not char.isascii() for char in text) or 1
    kana = len(_KANA.findall(text))
    rare = len(_RARE.findall(text))
    known = kana + len(_HAN.findall(text))
    return known / foreign if kana / foreign > 0.15 and rare / foreign < 0.05 else 0.0


def _chinese(text: str, high: int) -> float:
    foreign = sum(not char.isascii() for char in text) or 1
    han = len(_HAN.findall(text))
    common = sum(char in _COMMON_HAN for char in text)
    return 0.9 * han / foreign if han / foreign > 0.6 and common / foreign > 0.06 else 0.0


def _cyrillic(text: str, high: int) -> float:
    """Cyrillic comes in runs (accents of a Latin text stand alone), mostly lower case (the other code page swaps the
    case), of common letters."""
    letters: list[str] = _CYRILLIC.findall(text)
    if len(letters) < 0.7 * high or len(letters) < 8:
        return 0.0
    alone = len(_CYRILLIC_ALONE.findall(text)) / len(letters)
    lower = sum(char.islower() for char in letters) / len(letters)
    common = sum(char in _CYRILLIC_COMMON for char in letters) / len(letters)
    if alone > 0.2 or common < 0.35 or lower < 0.5:
        return 0.0
    return 0.4 * lower + 0.4 * min(1.0, common / 0.6)
