"""Certificates no one should trust, made on the fly (the only module that imports trustme)."""

from __future__ import annotations

import ssl
import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from dowse.model.errors import UserError

__all__ = ["make_contexts"]


def make_contexts(expired: Iterable[str]) -> tuple[dict[str, ssl.SSLContext], bytes]:
    """Server contexts by door, and the authority (PEM) behind the expired certificate, which is for these names, and
    the one that is for another host."""
    try:
        import trustme
    except ImportError:
        raise UserError('the hostile web needs certificates: pip install "dowse[hostile]"') from None
    authority = trustme.CA()
    late = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    ended = datetime(2020, 2, 1, tzinfo=UTC)
    authority.issue_cert(*expired, not_before=datetime(2020, 1, 1, tzinfo=UTC), not_after=ended).configure_cert(late)
    other = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("another-host.test").configure_cert(other)
    own = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    alone = trustme.CA()  # an authority's certificate is the one that it signed itself
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "own.pem"
        file.write_bytes(alone.private_key_pem.bytes() + alone.cert_pem.bytes())
        own.load_cert_chain(file)
    return {"self-signed": own, "expired": late, "other-host": other}, authority.cert_pem.bytes()
