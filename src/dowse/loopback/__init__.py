"""Webs to crawl on loopback: a small HTTP server that shows many virtual hosts from memory, and the demo's frozen web.

Nothing here leaves the machine. ``web`` holds the values, ``server`` serves them, ``demo`` makes the web that
``dowse demo`` crawls, ``serve`` is the command. ``hostile`` is a web of its own: everything that goes wrong.
"""

from __future__ import annotations

from dowse.loopback.server import Answer, Hit, LoopbackServer, in_thread, together
from dowse.loopback.web import Ask, Resource, Site, Web, redirect

__all__ = ["Answer", "Ask", "Hit", "LoopbackServer", "Resource", "Site", "Web", "in_thread", "redirect", "together"]
