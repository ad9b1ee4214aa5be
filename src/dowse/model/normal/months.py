"""The names of months, in languages that the web writes dates in."""

from __future__ import annotations

from dowse.model.normal.texts import plain

__all__ = ["month_of"]

_FULL = (
    # as they stand beside a day: in the genitive, where a language has one
    "january february march april may june july august september october november december",  # English
    "januar februar märz april mai juni juli august september oktober november dezember",  # German
    "jänner feber maerz . . . . . . . . .",  # Austrian, and without the umlaut
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",  # French
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",  # Spanish
    ". . . . . . . . setiembre . . .",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",  # Italian
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",  # Portuguese
    "januari februari maart april mei juni juli augustus september oktober november december",  # Dutch
    ". . mars . maj . . augusti . . . .",  # Swedish, where it differs
    "januar februar marts april maj juni juli august september oktober november december",  # Danish
    ". . . . . . . . . . . desember",  # Norwegian
    "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta"
    " marraskuuta joulukuuta",  # Finnish
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",  # Polish
    "ledna února března dubna května června července srpna září října listopadu prosince",  # Czech
    "januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra",  # Slovak
    "január február marec apríl máj jún júl august september október november december",
    "január február március április május június július augusztus szeptember október november december",  # Hungarian
    "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",  # Romanian
    "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",  # Turkish
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",  # Russian
    "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",  # Ukrainian
)
_SHORT = (
    "jan feb mar apr may jun jul aug sep oct nov dec",
    ". . . . . . . . sept . . .",
    "jän feb mär . mai . . . . okt . dez",
    "janv févr . avr . juin juil . . . . déc",
    "ene . . abr . . . ago . . . dic",
    "gen . . . mag giu lug . set ott . .",
    ". fev . . . . . . . out . .",
    ". . mrt . . . . . . . . .",
    "sty lut . kwi maj cze lip sie wrz paź lis gru",
    "янв фев мар апр мая июн июл авг сен окт ноя дек",
)


def _numbers() -> dict[str, int]:
    found: dict[str, int] = {}
    for row in (*_FULL, *_SHORT):
        for number, name in enumerate(row.split(), 1):
            if name != ".":
                found.setdefault(plain(name), number)
    return found


_NUMBERS = _numbers()


def month_of(name: str) -> int | None:
    """The number of a month, by its name or a usual short form of it.

    >>> month_of("März"), month_of("SEPT."), month_of("mayo"), month_of("Monday")
    (3, 9, 5, None)
    """
    return _NUMBERS.get(plain(name))
