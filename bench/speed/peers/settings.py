"""Scrapy's settings for speed: everything that waits, logs or is not needed for fetching and parsing is off."""

from __future__ import annotations

import sys
from urllib.parse import urlsplit

URL = sys.argv[1]
HOST = urlsplit(URL).hostname or ""
SETTINGS = {
    "CONCURRENT_REQUESTS": int(sys.argv[2]),
    "CONCURRENT_REQUESTS_PER_DOMAIN": int(sys.argv[2]),
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
    "COOKIES_ENABLED": False,
    "RETRY_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "ERROR",
}
