"""``python -m dowse``, and the ``dowse`` command."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Run the command line. A program started without standard streams gets empty ones, and Ctrl-C while modules are
    still being loaded is no reason for a traceback."""
    for stream in range(3):
        try:
            os.fstat(stream)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number: this one
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # so Python has it when the stream was closed before it began
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115
    if sys.argv[1:2] == ["crawl"]:
        # threads for large arrays, which a crawl has none of: they take start-up time, and must not be when it forks
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.disable()  # what is loaded stays: looking for garbage in it takes a tenth of the time to start
    try:
        from dowse.cli.main import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
