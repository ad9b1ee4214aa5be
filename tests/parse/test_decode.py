from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.parse import decode
from dowse.parse.charsets import codec_of

JAPANESE = "これは日本語の文章です。太陽電池の効率について説明します。ペロブスカイトという材料を使います。"
RUSSIAN = "Это русский текст о солнечных батареях и о том, как они работают в разных условиях."
CHINESE = "这是一个关于太阳能电池的中文网页，我们在这里说明它们的效率和材料，以及为什么要使用它们。"
FRENCH = "Où est l'été ? Là-bas, à côté de la forêt, près du château."


@pytest.mark.parametrize(
    ("body", "content_type", "text", "charset"),
    [
        (b"plain", "text/html", "plain", "utf-8"),
        ("é".encode(), "text/html", "é", "utf-8"),
        (b"\xe9", "text/html; charset=ISO-8859-1", "é", "windows-1252"),
        (b"\x93q\x94\x81", "text/html; charset=latin1", "“q”\x81", "windows-1252"),
        (codecs.BOM_UTF8 + "é".encode(), "text/html; charset=iso-8859-1", "é", "utf-8"),
        (codecs.BOM_UTF16_LE + "é".encode("utf-16-le"), "text/html; charset=utf-8", "é", "utf-16le"),
        (codecs.BOM_UTF16_BE + "é".encode("utf-16-be"), "", "é", "utf-16be"),
        (b"<meta charset=koi8-r>\xc1", "text/html", "<meta charset=koi8-r>а", "koi8-r"),
        (b"<meta charset=koi8-r>\xe9", "text/html; charset=cp1252", "<meta charset=koi8-r>é", "windows-1252"),
        (b"<META HTTP-EQUIV='Content-Type' CONTENT='text/html; charset=windows-1251'>\xe0", "text/html", None,
         "windows-1251"),
        (b"<!-- <meta charset=koi8-r> -->\xe9 <b>x", "", None, "windows-1252"),
        (b"<?xml version='1.0' encoding='iso-8859-2'?>\xb1", "", None, "iso-8859-2"),
        (b"<meta charset=utf-16>ok", "", None, "utf-8"),
        (b"<meta charset=nonsense>\xc3\xa9", "text/html; charset=also-nonsense", None, "utf-8"),
        (b"ok \xff\xfe", "text/html; charset=utf-8", "ok ��", "utf-8"),
        ("aé".encode()[:2], "", "a�", "utf-8"),
        (JAPANESE.encode("shift_jis"), "text/html", JAPANESE, "shift_jis"),
        (JAPANESE.encode("euc_jp"), "text/html", JAPANESE, "euc-jp"),
        (CHINESE.encode("gb18030"), "text/html", CHINESE, "gb18030"),
        (RUSSIAN.encode("cp1251"), "text/html", RUSSIAN, "windows-1251"),
        (RUSSIAN.encode("koi8-r"), "text/html", RUSSIAN, "koi8-r"),
        (FRENCH.encode("cp1252"), "text/html", FRENCH, "windows-1252"),
        (b"<p>caf\xe9 na\xefve</p>" * 20, "", "<p>café naïve</p>" * 20, "windows-1252"),
    ],
)  # fmt: skip
def test_charsets_as_a_browser_reads_them(body: bytes, content_type: str, text: str | None, charset: str) -> None:
    decoded, name = decode(body, content_type)
    assert name == charset
    assert text is None or decoded == text


def test_every_label_names_a_decoder_python_has() -> None:
    for label in ("utf8", "gbk", "big5", "shift-jis", "x-sjis", "ks_c_5601-1987", "iso-2022-jp", "tis-620", "latin5"):
        found = codec_of(label)
        assert found is not None
        codecs.lookup(found[1])
    assert codec_of("utf-7") is None


@given(
    st.binary(max_size=300),
    st.sampled_from(["", "text/html; charset=", "text/html; charset=gb2312", "x; charset=\x00"]),
)
def test_decode_never_raises(body: bytes, content_type: str) -> None:
    text, name = decode(body, content_type)
    assert isinstance(text, str)
    assert name
    text.encode()  # no lone surrogates come out
