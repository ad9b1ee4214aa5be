"""How many files a process may have open: each connection is one."""

from __future__ import annotations

from contextlib import suppress

__all__ = ["allow_files"]


def allow_files(wanted: int) -> None:
    """Raise the limit of open files to so many, as far as the system lets anybody."""
    try:
        import resource
    except ImportError:  # not on this system
        return
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if now != resource.RLIM_INFINITY and now < wanted:
        room = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(now, room), most))
