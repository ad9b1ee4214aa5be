"""Steps for the worker tests; importable, since they are sent to worker processes."""

from __future__ import annotations

import os
import signal
import time

from dowse.engine.workers.job import Job, Work
from dowse.model.http import Response


def job(url: str, body: bytes = b"") -> Job:
    return Job(Response(url, 200, (("Content-Type", "text/html"),), body), fetched_at=0.0)


def echo(job: Job) -> Work:
    return Work(error=job.response.url)


def tell(number: int, *, name: str) -> str:
    if name == "hang":
        time.sleep(60)
    if name == "raise":
        raise ValueError("nothing to tell")
    return f"{name} {number} {os.getpid()}"


def misbehave(job: Job) -> Work:
    """Does to the worker what the URL says."""
    url = job.response.url.rpartition("/")[2]
    if url == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if url == "hang":
        time.sleep(60)
    if url == "raise":
        raise ValueError("a page no parser expected")
    if url == "eat":
        return Work(archive=[bytes(8 << 30)])
    return Work(error=job.response.url, archive=[job.response.body])
