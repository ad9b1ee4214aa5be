"""File extensions that say what a URL will bring, so that files of unwanted types are not asked for.

Only extensions that servers use for one kind of thing are listed: ``.php``, ``.com`` or ``.xml`` say nothing sure.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["refused_extensions"]

_TYPES: dict[str, str] = {
    "image/": "jpg jpeg jpe jfif png gif webp avif bmp ico tif tiff svg svgz heic heif psd raw cr2 nef eps jp2 djvu",
    "video/": "mp4 m4v mkv avi mov wmv flv webm mpg mpeg mpe 3gp ogv mts m2ts vob m3u8",
    "audio/": "mp3 wav flac aac ogg oga opus m4a wma aif aiff mid midi m3u ra",
    "font/": "woff woff2 ttf otf eot",
    "text/css": "css less scss",
    "application/javascript": "js mjs cjs",
    "application/json": "json jsonl geojson webmanifest",
    "application/zip": "zip jar war ear apk ipa xpi crx epub kmz",
    "application/gzip": "gz tgz tar bz2 tbz tbz2 xz txz zst lz lzma 7z rar z cab deb rpm snap",
    "application/octet-stream": "exe msi dll so dylib bin dmg pkg iso img vmdk ova qcow2 dat o pyc whl egg class wasm"
    " sqlite sqlite3 db mdb accdb parquet h5 hdf5 nc npy npz mat pkl pth onnx torrent swf lnk sys",
    "application/pdf": "pdf",
    "application/postscript": "ps ai",
    "application/msword": "doc dot",
    "application/vnd.ms-excel": "xls xlt xlsb",
    "application/vnd.ms-powerpoint": "ppt pps pot",
    "application/vnd.openxmlformats-officedocument.wordprocessingml": "docx dotx docm",
    "application/vnd.openxmlformats-officedocument.spreadsheetml": "xlsx xltx xlsm",
    "application/vnd.openxmlformats-officedocument.presentationml": "pptx potx ppsx pptm",
    "application/vnd.oasis.opendocument.text": "odt ott",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.oasis.opendocument.graphics": "odg odf",
    "application/rtf": "rtf",
    "application/rss+xml": "rss",
    "application/atom+xml": "atom",
    "text/calendar": "ics ical",
    "text/vcard": "vcf",
    "application/x-bibtex": "bib ris",
}
_ALSO = {  # other names a wanted type may go by
    "application/epub+zip": "epub",
    "text/javascript": "js mjs cjs",
    "image/vnd.djvu": "djvu",
    "application/x-": "gz tgz tar bz2 7z rar bib ris",
    "text/rtf": "rtf",
}


def refused_extensions(content_types: Iterable[str]) -> frozenset[str]:
    """Extensions (lower case, no dot) whose files cannot be of one of these types or type prefixes.

    >>> "pdf" in refused_extensions(["text/html"]), "pdf" in refused_extensions(["text/html", "application/pdf"])
    (True, False)
    """
    wanted = [kind.lower() for kind in content_types]
    if not wanted:
        return frozenset()

    def listed(table: dict[str, str], wish: str) -> set[str]:
        return {ext for kind, names in table.items() if _meets(kind, wish) for ext in names.split()}

    every = {ext for names in _TYPES.values() for ext in names.split()}
    return frozenset(every.difference(*(listed(table, wish) for wish in wanted for table in (_TYPES, _ALSO))))


def _meets(kind: str, wish: str) -> bool:
    return kind.startswith(wish) or wish.startswith(kind)
