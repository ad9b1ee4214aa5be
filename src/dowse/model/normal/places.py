"""Places as they are compared: of an address, the names that tell where it is."""

from __future__ import annotations

import re

from dowse.model.normal.texts import plain

__all__ = ["place_key"]

_parts = re.compile(r"[,;()|/•·\n]|\s[-–—]\s").split
_with_digit = re.compile(r"\d").search
_POSTCODE = re.compile(r"^(?:[a-z]{1,2} )?\d{3,5}(?: \d{2,3})? (?=[^\W\d_])")
_COUNTRY_NAMES = (
    "Argentina, Australia, Austria, Österreich, Rakúsko, Belgium, België, Belgique, Belgien, Brazil, Brasil, "
    "Bulgaria, Canada, Chile, China, Colombia, Croatia, Hrvatska, Czechia, Czech Republic, Česko, Česká "
    "republika, Tschechien, Denmark, Danmark, Estonia, Finland, Suomi, France, Frankreich, Germany, Deutschland, "
    "Nemecko, Německo, Allemagne, Greece, Hungary, Magyarország, Iceland, India, Indonesia, Ireland, Israel, "
    "Italy, Italia, Italien, Japan, Kenya, Latvia, Lithuania, Malaysia, Mexico, México, Netherlands, The "
    "Netherlands, Nederland, New Zealand, Nigeria, Norway, Norge, Philippines, Poland, Polska, Polen, Portugal, "
    "Romania, România, Russia, Россия, Serbia, Slovakia, Slovak Republic, Slovensko, Slovenská republika, "
    "Slowakei, Slovenia, Slovenija, South Africa, South Korea, Korea, Spain, España, Spanien, Sweden, Sverige, "
    "Switzerland, Schweiz, Suisse, Svizzera, Taiwan, Thailand, Turkey, Türkiye, Ukraine, Україна, United Kingdom, "
    "UK, U.K., Great Britain, England, Scotland, Wales, United States, United States of America, USA, U.S.A., US, "
    "U.S., Uruguay, Vietnam"
)
_COUNTRIES = frozenset(map(plain, _COUNTRY_NAMES.split(", ")))


def place_key(text: str) -> str:
    """What is left of a place for a comparison: no country, no post code, no part with a house number, as long as there
    is something else.

    >>> place_key("Bratislava, Slovakia"), place_key("Špitálska 4, 811 08 Bratislava"), place_key("Germany")
    ('bratislava', 'bratislava', 'germany')
    """
    found = [key for part in _parts(text) if (key := plain(part))]
    found = [_POSTCODE.sub("", key) for key in found]
    for is_told in (_COUNTRIES.__contains__, _with_digit):
        found = [key for key in found if not is_told(key)] or found
    return ", ".join(dict.fromkeys(found))
