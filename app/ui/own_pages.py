"""The server answers only requests with its own name as Host that come from its own page."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from app.access.headers import Header


def is_loopback(host: str) -> bool:
    """True if a server that listens on `host` can be reached from this computer only."""
    address = _address(host)
    return host.lower() == "localhost" if address is None else address.is_loopback


@dataclass(frozen=True, slots=True)
class OwnPages:
    """Recognises requests of the server's own page by their headers. `names` are lower-case names of the server.

    A page of another site can send requests here. If its domain is made to resolve to this computer, the browser even
    lets it read the answers, but such requests have the domain as Host. A numeric Host cannot be made so: one of
    loopback is always accepted, and any other unless the server can be reached from this computer only.
    """

    names: frozenset[str]
    is_local_only: bool

    @classmethod
    def of(cls, host: str, allowed: Iterable[str] = ()) -> OwnPages:
        """For a server that listens on `host`, and that is also known under the `allowed` names."""
        names = frozenset(name.lower() for name in ("localhost", host, *allowed))
        return cls(names, is_loopback(host))

    def sent(self, headers: Iterable[Header]) -> bool:
        """True if Host, and Origin if it is sent, name this server. False for headers that cannot be understood."""
        headers = list(headers)
        hosts = [value.decode("latin-1").lower() for name, value in headers if name == b"host"]
        origins = [value.decode("latin-1").lower() for name, value in headers if name == b"origin"]
        if len(hosts) != 1 or len(origins) > 1:
            return False
        return self._is_own_host(hosts[0]) and all(_network_location(origin) == hosts[0] for origin in origins)

    def _is_own_host(self, host: str) -> bool:
        name = _name_of(host)
        address = _address(name)
        if name in self.names:
            return True
        return address is not None and (address.is_loopback or not self.is_local_only)


def _name_of(host: str) -> str:
    """The name in a Host header, without port and brackets; "" if the header is malformed."""
    try:
        parts = urlsplit("//" + host)
        _ = parts.port  # raises if it is not a number
    except ValueError:
        return ""
    return (parts.hostname or "") if parts.netloc == host and "@" not in host else ""


def _network_location(origin: str) -> str | None:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return None
    return parts.netloc if parts.scheme in ("http", "https") else None


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
