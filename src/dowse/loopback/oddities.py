"""The corners of the demo web that are not ordinary articles: an endless calendar, a frameset, other languages and
encodings that nobody declared."""

from __future__ import annotations

import re

from dowse.loopback.page_layout import Dress, frame
from dowse.loopback.web import Ask, Made, Resource

__all__ = ["GERMAN", "atlas", "calendar", "german_page", "japanese_page", "latin_page"]

_MONTH = re.compile(r"/calendar/(\d{4})/(\d{2})(?:/(\d{2}))?")
_EVENTS = ("refuse collection", "choir practice", "a planning hearing", "the flea market", "a blood donor session")


def calendar(host: str, dress: Dress) -> Made:
    """A calendar that goes on for ever: each month leads to the next one, the one before, and its own days."""

    def month_page(ask: Ask) -> Resource | None:
        match = _MONTH.fullmatch(ask.target)
        if match is None or not 1 <= int(match[2]) <= 12:
            return None
        year, month = int(match[1]), int(match[2])
        count = year * 12 + month - 1
        links = "".join(
            f'<a href="/calendar/{number // 12:04}/{number % 12 + 1:02}">{text}</a> '
            for number, text in ((count - 1, "Previous month"), (count + 1, "Next month"))
            if 0 <= number < 120_000
        )
        days = "".join(f'<td><a href="/calendar/{year:04}/{month:02}/{day:02}">{day}</a></td>' for day in range(1, 29))
        event = _EVENTS[(count + int(match[3] or 0)) % len(_EVENTS)]
        main = f"<h1>{match[0][10:]}</h1><p>{links}</p><table><tr>{days}</tr></table><p>On this page: {event}.</p>"
        return Resource(frame(dress, host, f"Events {match[0][10:]}", main).encode())

    return month_page


GERMAN = (
    "Die Arbeitsgruppe stellt Dünnschichten im Labor her und misst ihren Wirkungsgrad unter künstlicher Sonne. "
    "Perowskit-Solarzellen lassen sich aus der Lösung drucken und brauchen deshalb wenig Energie in der Herstellung. "
    "Noch altern die Schichten zu schnell, wenn Feuchtigkeit und Wärme zusammenkommen. "
    "Gesucht werden Studierende, die gern im Handschuhkasten arbeiten und Freude an sorgfältigen Messreihen haben."
)


def german_page(host: str, dress: Dress) -> Resource:
    """A page in German, declared as such."""
    main = f'<h1>Willkommen im Labor</h1><p>{GERMAN}</p><p><a href="/">Zur englischen Seite</a></p>'
    return Resource(frame(dress, host, "Willkommen", main, lang="de").encode(), label="german")


def latin_page() -> Resource:
    """A page in windows-1252 (curly quotes, dashes, accents) that declares no encoding."""
    text = (
        "<html><head><title>Médiéval – café society</title></head><body><h1>Déjà vu at the abbey</h1><p>“The abbé’s "
        "cellar,” wrote the steward — no friend of œnology — “held façade after façade of empty barrels.” The naïve "
        "novice Zoë counted them twice, and the fête was paid for in pepper worth £7.</p>"
        '<p><a href="/">Back to the chronicle</a></p></body></html>'
    )
    return Resource(text.encode("cp1252"), content_type="text/html", label="history")


def japanese_page() -> Resource:
    """A page in Shift_JIS that declares no encoding."""
    text = (
        "<html><head><title>山の鉄道</title></head><body><h1>山の鉄道</h1><p>この路線は明治時代に開業し、"
        "蒸気機関車が急な坂を登りました。春には桜、秋には紅葉を見るために多くの乗客が訪れます。"
        "駅員は切符を一枚ずつ手で切り、信号所では今も古いてこが使われています。</p>"
        '<p><a href="/">駅に戻る</a></p></body></html>'
    )
    return Resource(text.encode("shift_jis"), content_type="text/html", label="railways")


def atlas(left: str, right: str) -> Resource:
    """A frameset of two pages."""
    text = (
        "<html><head><title>Atlas of the old county</title></head>\n"
        f'<frameset cols="30%,70%"><frame src="{left}" name="index"><frame src="{right}" name="map">\n'
        f'<noframes><body><p>Your browser shows no frames: see the <a href="{left}">index</a>.</p></body></noframes>\n'
        "</frameset></html>\n"
    )
    return Resource(text.encode(), label="history")
