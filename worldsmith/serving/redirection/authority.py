"""A certificate authority that lives as long as one command: it signs for any host, and only that command trusts it."""

import ssl
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from worldsmith.errors import UsageError

if TYPE_CHECKING:
    import trustme

CONTEXTS = 1024
"""Hosts whose certificates are kept."""


class Authority:
    """Certificates for hosts, made when they are first visited. Raises UsageError without the package trustme."""

    def __init__(self) -> None:
        try:
            import trustme  # noqa: PLC0415 - of an extra
        except ModuleNotFoundError:
            raise UsageError('no certificates can be made without trustme: pip install "worldsmith[exec]"') from None
        self._authority = trustme.CA(organization_name="worldsmith", organization_unit_name="exec")
        self._context = lru_cache(CONTEXTS)(self._signed_context)

    def context(self, host: str) -> ssl.SSLContext:
        """Return the server's side of TLS for a host; a client that names another one gets that one's certificate."""
        return self._context(host)

    def write(self, file: Path, *, public: bool) -> None:
        """Write a bundle that trusts this authority, and with `public` those that this machine trusts."""
        pem = self._authority.cert_pem.bytes()
        usual = ssl.get_default_verify_paths().cafile
        if public and usual:
            pem += Path(usual).read_bytes()
        file.write_bytes(pem)

    def _signed_context(self, host: str) -> ssl.SSLContext:
        certificate: trustme.LeafCert = self._authority.issue_cert(host)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.configure_cert(context)
        context.sni_callback = self._switch_to_named_host
        return context

    def _switch_to_named_host(
        self, connection: ssl.SSLSocket | ssl.SSLObject, name: str | None, _: ssl.SSLContext
    ) -> int | None:
        if not name:
            return None
        try:
            connection.context = self.context(name.lower())
        except ValueError:  # no name that a certificate can have
            return ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME
        return None
