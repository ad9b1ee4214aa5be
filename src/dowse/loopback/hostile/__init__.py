"""The hostile web: every bad behaviour a crawler meets, each on a host of its own, with the end it must come to.

A *trial* (``trial``) is plain data: a name, a group, a line that says what it does, a seed, the expected ends, and the
function that answers its requests. One module a group holds them; ``catalogue`` has them all, and writes the topic file
that crawls them; ``server`` shows them on loopback. Nothing here leaves the machine.
"""

from __future__ import annotations

from dowse.loopback.hostile.catalogue import GROUPS, TRIALS, topic_text
from dowse.loopback.hostile.server import HostileNames, HostileServer
from dowse.loopback.hostile.trial import End, Trial

__all__ = ["GROUPS", "TRIALS", "End", "HostileNames", "HostileServer", "Trial", "topic_text"]
