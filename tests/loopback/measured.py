"""``python -m tests.loopback.measured FILE ARGUMENTS``: the ``dowse`` command, its peak memory written to a file."""

from __future__ import annotations

import json
import re
import resource
import sys
from pathlib import Path

from dowse.cli.main import main

_STATUS = Path("/proc/self/status")
_UNIT = 1 if sys.platform == "darwin" else 1024  # what ru_maxrss counts in


def own_peak_bytes() -> int:
    """The peak of this program alone: on Linux, ru_maxrss includes that of the process that started it."""
    if _STATUS.exists():
        found = re.search(r"VmHWM:\s+(\d+) kB", _STATUS.read_text())
        assert found is not None
        return int(found[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT


if __name__ == "__main__":
    report = Path(sys.argv.pop(1))
    try:
        main()
    finally:
        workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * _UNIT
        report.write_text(json.dumps({"own": own_peak_bytes(), "workers": workers}), encoding="utf-8")
